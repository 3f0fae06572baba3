// Package progress shows on standard error how far long work has come.
package progress

import (
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Done is how far a piece of work has come, in bytes or in events.
type Done struct {
	Doing    string // the current item: a path or a log
	Read, Of int64  // of the current item
	Events   int64  // over all
}

// Meter shows how far long work has come: one line on a terminal, or a line of
// JSON now and then for machines. Where nothing reports how far the work is, as while
// a case is checked, it shows how many rows were read.
type Meter struct {
	out   io.Writer
	every time.Duration
	write func(m *Meter, d Done, rate float64, left time.Duration)
	idle  func(m *Meter, rows int64, spent time.Duration)
	now   func() time.Time
	unit  func(int64) string
	rows  func() int64

	mu           sync.Mutex
	began, shown time.Time
	drawn        bool      // there is a line
	told         time.Time // when the work last reported how far it is
	doing        string
	since        time.Time // when the item in progress was started
	end          chan struct{}
	ended        sync.WaitGroup
}

// patience is how long nothing is shown of work that does not say how far it is.
const patience = time.Second

// New returns the meter that the flags --progress and --quiet of a command ask for. It shows
// that the command works until it is cleared, or until the result goes to the same terminal.
// The output of the command is on lines of its own. Unit writes an amount of work, and rows
// counts the rows of the case that were read so far; nil for a command without a case.
func New(c *cliapp.Context, unit func(int64) string, rows func() int64) *Meter {
	if rows == nil {
		rows = func() int64 { return 0 }
	}
	m := &Meter{out: io.Discard, every: 100 * time.Millisecond, write: (*Meter).showNothing, now: time.Now, unit: unit,
		rows: rows}
	switch {
	case c.Switch("quiet"):
		return m
	case c.Text("progress") == "json":
		m.out, m.every, m.write, m.idle = c.Stderr, time.Second, (*Meter).writeJSON, (*Meter).idleJSON
	case cliapp.IsTerminal(c.Stderr):
		m.out, m.write, m.idle = c.Stderr, (*Meter).overwriteLine, (*Meter).idleLine
		if cliapp.IsTerminal(c.Stdout) {
			c.Stdout = &besideMeter{m, c.Stdout, (*Meter).Clear}
		}
	default:
		return m
	}
	c.Stderr = &besideMeter{m, c.Stderr, (*Meter).wipeLine}
	m.began = m.now()
	m.Watch()
	return m
}

// besideMeter writes to a stream that may be the terminal of a meter.
type besideMeter struct {
	m      *Meter
	w      io.Writer
	before func(*Meter)
}

func (b *besideMeter) Write(text []byte) (int, error) {
	b.before(b.m)
	b.m.mu.Lock()
	defer b.m.mu.Unlock()
	return b.w.Write(text)
}

// Unwrap returns the underlying writer.
func (b *besideMeter) Unwrap() io.Writer { return b.w }

// Watch shows from time to time that the work continues, also after the meter was cleared.
func (m *Meter) Watch() {
	if m.idle == nil || m.end != nil {
		return
	}
	end := make(chan struct{})
	m.end, m.told = end, m.now()
	m.ended.Go(func() {
		t := time.NewTicker(m.every)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				m.showTick()
			case <-end:
				return
			}
		}
	})
}

// showTick shows how many rows were read, if nothing reported for a while how far the
// work is.
func (m *Meter) showTick() {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	if now.Sub(m.told) < patience {
		return
	}
	m.drawn = true
	m.idle(m, m.rows(), now.Sub(m.began))
}

// mostLeft is the longest time that is foretold: longer ones are too uncertain to be shown.
const mostLeft = 1000 * time.Hour

// Show shows how far the work has come, unless something was shown just now:
// there may be very many things to work on, each very small.
func (m *Meter) Show(d Done) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	m.told = now
	if d.Doing != m.doing {
		m.doing, m.since = d.Doing, now
	}
	if now.Sub(m.shown) < m.every {
		return
	}
	m.shown, m.drawn = now, true
	var rate float64
	if s := now.Sub(m.began).Seconds(); s > 1 {
		rate = float64(d.Events) / s
	}
	m.write(m, d, rate, timeLeft(now.Sub(m.since), d))
}

// timeLeft is how much longer the work lasts if it continues as in the time spent; 0 if that
// is not known. The item in progress can grow.
func timeLeft(spent time.Duration, d Done) time.Duration {
	if spent <= time.Second || d.Read <= 0 || d.Read >= d.Of {
		return 0
	}
	if left := float64(spent) * (float64(d.Of) - float64(d.Read)) / float64(d.Read); left <= float64(mostLeft) {
		return time.Duration(left)
	}
	return 0
}

// showNothing is for those who do not want to see how far the work has come.
func (m *Meter) showNothing(Done, float64, time.Duration) {}

// overwriteLine overwrites the line that was shown before.
func (m *Meter) overwriteLine(d Done, rate float64, left time.Duration) {
	line := fmt.Sprintf("%s  %s of %s", columns.Cut(safetext.Quote(d.Doing), 30), m.unit(d.Read), m.unit(d.Of))
	if rate > 0 {
		line += fmt.Sprintf("  %.0f events/s", rate)
	}
	if left = left.Round(time.Second); left > 0 {
		line += fmt.Sprintf("  %s left", left)
	}
	fmt.Fprintf(m.out, "\r%s\x1b[K", line)
}

// idleLine is overwriteLine for work that does not say how far it is.
func (m *Meter) idleLine(rows int64, spent time.Duration) {
	read := ""
	if rows > 0 {
		read = safetext.Count(rows, "row") + "  "
	}
	fmt.Fprintf(m.out, "\rworking  %s%s\x1b[K", read, spent.Round(time.Second))
}

// idleJSON is writeJSON for work that does not say how far it is.
func (m *Meter) idleJSON(rows int64, _ time.Duration) {
	m.writeJSON(Done{Doing: "the case", Read: rows}, 0, 0)
}

// writeJSON writes a line of JSON. A rate or a time that is not known yet is 0.
func (m *Meter) writeJSON(d Done, rate float64, left time.Duration) {
	line, err := safetext.Marshal(struct {
		Schema  string  `json:"schema"`
		Doing   string  `json:"doing"`
		Done    int64   `json:"done"`
		Of      int64   `json:"of"`
		Events  int64   `json:"events"`
		Rate    float64 `json:"events_per_second"`
		Seconds float64 `json:"seconds_left"`
	}{"svc-verify/progress/v1", d.Doing, d.Read, d.Of, d.Events, float64(int64(rate)),
		left.Round(time.Second).Seconds()})
	if err == nil {
		fmt.Fprintf(m.out, "%s\n", line)
	}
}

// Clear ends the meter, and removes the line.
func (m *Meter) Clear() {
	if m.end != nil {
		close(m.end)
		m.end = nil
	}
	m.ended.Wait()
	m.wipeLine()
}

// wipeLine removes the line, until there is one again.
func (m *Meter) wipeLine() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.drawn && m.every < time.Second {
		fmt.Fprint(m.out, "\r\x1b[K")
		m.drawn, m.shown = false, time.Time{}
	}
}

// Number writes a number of events.
func Number(n int64) string { return strconv.FormatInt(n, 10) }

// Size writes a number of bytes for people.
func Size(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KiB", (n+1023)>>10)
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
