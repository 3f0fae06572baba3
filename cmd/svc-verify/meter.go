package main

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// done is how far a piece of work has come, in bytes or in events.
type done struct {
	Doing  string // what is worked on: a path or a log
	Read   int64  // of what is worked on
	Of     int64
	Events int64 // over all
}

// meter shows how far long work has come: one line on a terminal, or a line of
// JSON now and then for machines.
type meter struct {
	out   io.Writer
	every time.Duration
	write func(m *meter, d done, rate float64, left time.Duration)
	now   func() time.Time
	unit  func(int64) string

	began, shown time.Time
	doing        string
	since        time.Time // when it was begun with what is worked on
}

func progressFlags() []cliapp.Flag {
	return []cliapp.Flag{
		{Name: "progress", Choices: []string{"auto", "json"}, Default: "auto", Usage: "On standard error: auto shows one line on a terminal, json writes lines for machines"},
		{Name: "quiet", Kind: cliapp.Switch, Usage: "Show no progress"},
	}
}

// newMeter returns the meter that the flags of a command ask for.
func newMeter(c *cliapp.Context, unit func(int64) string) *meter {
	m := &meter{out: io.Discard, every: 100 * time.Millisecond, write: (*meter).nothing, now: time.Now, unit: unit}
	switch {
	case c.Switch("quiet"):
	case c.Text("progress") == "json":
		m.out, m.every, m.write = c.Stderr, time.Second, (*meter).json
	case isTerminal(c.Stderr):
		m.out, m.write = c.Stderr, (*meter).line
	}
	m.began = m.now()
	return m
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&fs.ModeCharDevice != 0
}

// mostLeft is the longest time that is foretold: what would take longer is not
// known well enough to be said.
const mostLeft = 1000 * time.Hour

// show shows how far the work has come, unless something was shown just now:
// there may be very many things to work on, each very small.
func (m *meter) show(d done) {
	now := m.now()
	if d.Doing != m.doing {
		m.doing, m.since = d.Doing, now
	}
	if now.Sub(m.shown) < m.every {
		return
	}
	m.shown = now
	var rate float64
	if s := now.Sub(m.began).Seconds(); s > 1 {
		rate = float64(d.Events) / s
	}
	m.write(m, d, rate, left(now.Sub(m.since), d))
}

// left is how much longer the work takes if it goes on as it did for a time; 0 if
// that cannot be told. What is worked on can grow beyond what it was.
func left(spent time.Duration, d done) time.Duration {
	if spent <= time.Second || d.Read <= 0 || d.Read >= d.Of {
		return 0
	}
	if left := float64(spent) * (float64(d.Of) - float64(d.Read)) / float64(d.Read); left <= float64(mostLeft) {
		return time.Duration(left)
	}
	return 0
}

// nothing is for those who do not want to see how far the work has come.
func (m *meter) nothing(done, float64, time.Duration) {}

// line overwrites the line that was shown before.
func (m *meter) line(d done, rate float64, left time.Duration) {
	line := fmt.Sprintf("%s  %s of %s", safetext.Cut(safetext.Quote(d.Doing), 30), m.unit(d.Read), m.unit(d.Of))
	if rate > 0 {
		line += fmt.Sprintf("  %.0f events/s", rate)
	}
	if left = left.Round(time.Second); left > 0 {
		line += fmt.Sprintf("  %s left", left)
	}
	fmt.Fprintf(m.out, "\r%s\x1b[K", line)
}

// json writes a line of JSON. A rate or a time that is not known yet is 0.
func (m *meter) json(d done, rate float64, left time.Duration) {
	line, err := json.Marshal(struct {
		Schema  string  `json:"schema"`
		Doing   string  `json:"doing"`
		Done    int64   `json:"done"`
		Of      int64   `json:"of"`
		Events  int64   `json:"events"`
		Rate    float64 `json:"events_per_second"`
		Seconds float64 `json:"seconds_left"`
	}{"svc-verify/progress/v1", d.Doing, d.Read, d.Of, d.Events, float64(int64(rate)), left.Round(time.Second).Seconds()})
	if err == nil {
		fmt.Fprintf(m.out, "%s\n", line)
	}
}

// clear removes the line.
func (m *meter) clear() {
	if !m.shown.IsZero() && m.every < time.Second {
		fmt.Fprint(m.out, "\r\x1b[K")
	}
}

// size writes a number of bytes for people.
func size(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KiB", (n+1023)>>10)
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
