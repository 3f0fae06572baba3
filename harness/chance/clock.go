package chance

import (
	"sync"
	"time"
)

// Clock gives the time.
type Clock interface {
	// Next returns the time. No two calls return the same one, and none an
	// earlier one than before, to the millisecond that documents write.
	Next() time.Time
}

// Script is a clock that only moves when it is read.
type Script struct {
	now   time.Time
	steps *Stream
}

// longestStep bounds the time between two readings. It is short, so that
// approvals are still fresh when a certificate is issued.
const longestStep = 1800 * time.Millisecond

// Clock returns the clock of the source. It starts at 2026-03-02T09:00:00Z.
func (s Source) Clock() *Script {
	return &Script{time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC), s.Stream("clock")}
}

// Next moves the clock by 1 ms or more and returns the new time.
func (c *Script) Next() time.Time {
	c.now = c.now.Add(time.Duration(1+c.steps.Below(int(longestStep.Milliseconds()))) * time.Millisecond)
	return c.now
}

// Pass lets time go by.
func (c *Script) Pass(d time.Duration) { c.now = c.now.Add(d) }

// Wall returns the real time, in whole milliseconds. Where it is read faster
// than that, or where the system's clock was set back, it runs ahead by a
// millisecond a reading. It is safe for use by many goroutines.
func Wall() Clock { return &wall{} }

type wall struct {
	mu   sync.Mutex
	last time.Time
}

// Next returns the time.
func (c *wall) Next() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now().UTC().Truncate(time.Millisecond)
	if !now.After(c.last) {
		now = c.last.Add(time.Millisecond)
	}
	c.last = now
	return now
}
