package progress

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// clockwork is a meter whose clock moves on by a step at each look.
func clockwork(out *bytes.Buffer, every, step time.Duration, write func(*Meter, Done, float64, time.Duration)) *Meter {
	at := time.Unix(0, 0)
	m := &Meter{out: out, every: every, write: write, unit: Size, began: at}
	m.now = func() time.Time { at = at.Add(step); return at }
	return m
}

func TestMeterLine(t *testing.T) {
	var out bytes.Buffer
	m := clockwork(&out, 100*time.Millisecond, 2*time.Second, (*Meter).overwriteLine)
	m.Show(Done{"a.ndjson", 0, 8 << 20, 0})
	m.Show(Done{"a.ndjson", 2 << 20, 8 << 20, 4000})
	m.Show(Done{"b\x1b[2J" + strings.Repeat("ü", 60), 1, 1 << 40, 123456789})
	m.Clear()
	lines := strings.Split(out.String(), "\r")
	want := []string{"", "a.ndjson  0 KiB of 8.0 MiB\x1b[K",
		"a.ndjson  2.0 MiB of 8.0 MiB  1000 events/s  6s left\x1b[K"}
	for i, w := range want {
		check.Equal(t, lines[i], w, "line %d", i)
	}
	last := strings.TrimSuffix(lines[3], "\x1b[K")
	check.That(t, !strings.Contains(last, "\x1b") && utf8.RuneCountInString(last) <= 80 &&
		strings.HasSuffix(last, " events/s"), "the last line is %q", last)
	check.That(t, lines[4] == "\x1b[K", "in the end there is %q", lines[4])
}

// TestMeterIsSeldom: a line is not written again at once, however many things are
// worked on.
func TestMeterIsSeldom(t *testing.T) {
	var out bytes.Buffer
	m := clockwork(&out, 100*time.Millisecond, 30*time.Millisecond, (*Meter).overwriteLine)
	for i := range int64(10) {
		m.Show(Done{"a", i, 10, i})
	}
	m.Show(Done{"b", 0, 10, 10})
	n := strings.Count(out.String(), "\r")
	check.That(t, n == 3, "%d lines: %q", n, out.String())
	out.Reset()
	for i := range int64(1000) {
		m.Show(Done{fmt.Sprint("c", i), 0, 10, i})
	}
	n = strings.Count(out.String(), "\r")
	check.That(t, n >= 200 && n <= 300, "%d lines of 1000 small things", n)
}

// TestMeterLeft: the predicted time is neither negative nor longer than its bound, whatever
// the numbers.
func TestMeterLeft(t *testing.T) {
	for name, c := range map[string]struct {
		spent    time.Duration
		read, of int64
		want     time.Duration
	}{
		"a quarter":           {2 * time.Second, 1, 4, 6 * time.Second},
		"at the bound":        {10 * time.Hour, 1, 101, mostLeft},
		"beyond the bound":    {10*time.Hour + time.Minute, 1, 101, 0},
		"beyond any duration": {time.Hour, 1, math.MaxInt64, 0},
		"done":                {time.Hour, 4, 4, 0},
		"grown":               {time.Hour, 5, 4, 0},
		"nothing read":        {time.Hour, 0, 4, 0},
		"too early to tell":   {time.Second, 1, 4, 0},
		"negative":            {time.Hour, math.MinInt64, math.MaxInt64, 0},
	} {
		check.Equal(t, timeLeft(c.spent, Done{Read: c.read, Of: c.of}), c.want, "%s", name)
	}
}

func TestMeterJSON(t *testing.T) {
	var out bytes.Buffer
	m := clockwork(&out, time.Second, 2*time.Second, (*Meter).writeJSON)
	m.Show(Done{"a\"\n", 0, 8, 0})
	m.Show(Done{"a\"\n", 2, 8, 4000})
	m.Clear()
	const form = `{"schema":"svc-verify/progress/v1","doing":"a\"\n",`
	want := form + `"done":0,"of":8,"events":0,"events_per_second":0,"seconds_left":0}` + "\n" +
		form + `"done":2,"of":8,"events":4000,"events_per_second":1000,"seconds_left":6}` + "\n"
	check.That(t, out.String() == want, "got %s", out.String())
}

// TestMeterIdle: work that does not report its progress shows after a while that it continues,
// and again after as long without a report.
func TestMeterIdle(t *testing.T) {
	rows := int64(0)
	for name, c := range map[string]struct {
		set  func(*Meter)
		want []string
	}{
		"line": {func(m *Meter) { m.write, m.idle = (*Meter).overwriteLine, (*Meter).idleLine },
			[]string{"\rworking  3 rows  1s\x1b[K", "\ra  0 KiB of 1 KiB  2 events/s\x1b[K",
				"\rworking  7 rows  3s\x1b[K"}},
		"json": {func(m *Meter) { m.write, m.idle = (*Meter).writeJSON, (*Meter).idleJSON },
			[]string{`"doing":"the case","done":3,"of":0,`, `"doing":"a","done":0,"of":1,`,
				`"doing":"the case","done":7,"of":0,`}},
	} {
		var out bytes.Buffer
		at := time.Unix(0, 0)
		rows = 0
		m := &Meter{out: &out, unit: Size, began: at, told: at, now: func() time.Time { return at },
			rows: func() int64 { rows++; return rows }}
		c.set(m)
		var shown []string
		after := func(step time.Duration, f func()) {
			at = at.Add(step)
			if f(); out.Len() > 0 {
				shown = append(shown, out.String())
				out.Reset()
			}
		}
		after(patience-1, m.showTick)
		after(1, func() { rows = 2; m.showTick() })
		after(patience, func() { m.Show(Done{"a", 0, 1, 4}) })
		after(patience-1, m.showTick)
		after(1, func() { rows = 6; m.showTick() })
		must.That(t, len(shown) == len(c.want), "%s: %q", name, shown)
		for i, want := range c.want {
			check.That(t, strings.Contains(shown[i], want), "%s: %q, want %q", name, shown[i], want)
		}
	}
}
