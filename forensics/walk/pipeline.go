package walk

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/fault"
)

// sectionEvents is how many events a section has: enough that verifying the signatures of one
// together saves time. Where there are no gaps and few copies, the sections end at its
// multiples, so that they are the same ones in every walk, whatever came to other parts of the
// log.
const sectionEvents = 1024

// mostCopies bounds the copies of one sequence that are looked at, and with
// them the size of a section. Honest evidence has a handful.
const mostCopies = 256

// part is a part of a log to examine: whole sequences, and those with more copies than could
// be kept.
type part struct {
	copies  []judged
	crowded []uint64
}

// partMemory is memory of parts that were examined.
var partMemory sync.Pool

// pipeline reads one log and has workers judge it, section by section.
type pipeline struct {
	*judge
	workers int
	section int // events of a section
}

func (p *pipeline) newPart() part {
	if memory, ok := partMemory.Get().(*[]judged); ok {
		return part{copies: (*memory)[:0]}
	}
	return part{copies: make([]judged, 0, p.section)}
}

// release gives the memory of a part back.
func (p *part) release() {
	clear(p.copies)
	partMemory.Put(&p.copies)
}

// outcome is the result of a part.
type outcome struct {
	section *section
	err     error
}

// job is a part, and where to put the outcome.
type job struct {
	part
	done chan<- outcome
}

// sections yields the sections of a log in order, while workers examine the
// ones that follow. Work that is under way is bounded, and none is left behind
// when the caller stops. When the context ends, the last thing yielded is its
// error.
func (p *pipeline) sections(ctx context.Context, after uint64) iter.Seq2[*section, error] {
	return func(yield func(*section, error) bool) {
		inner, cancel := context.WithCancel(ctx)
		var running sync.WaitGroup
		defer running.Wait()
		defer cancel()

		jobs := make(chan job)
		order := make(chan (<-chan outcome), 2*p.workers)
		running.Go(func() {
			defer close(order)
			defer close(jobs)
			if err := fault.Guard(func() error {
				p.readLog(inner, after, func(read part, err error) bool { return handToWorker(inner, jobs, order, read, err) },
					func(s *section) bool { return queueOutcome(inner, order, outcome{section: s}) })
				return nil
			}); err != nil {
				queueOutcome(inner, order, outcome{err: err})
			}
		})
		for range p.workers {
			running.Go(func() {
				for j := range jobs {
					var out outcome
					out.err = fault.Guard(func() (err error) {
						out.section, err = p.examinePart(inner, j.part)
						return err
					})
					j.release()
					j.done <- out
				}
			})
		}
		for done := range order {
			if out := <-done; !yield(out.section, out.err) || out.err != nil {
				return
			}
		}
		if ctx.Err() != nil {
			yield(nil, ctx.Err())
		}
	}
}

// handToWorker gives a part to a worker, or an error to the one who waits for its
// outcome, and puts the outcome in line. It returns whether to go on.
func handToWorker(ctx context.Context, jobs chan<- job, order chan<- (<-chan outcome), p part, err error) bool {
	if err != nil {
		queueOutcome(ctx, order, outcome{err: err})
		return false
	}
	done := make(chan outcome, 1)
	select {
	case jobs <- job{p, done}:
	case <-ctx.Done():
		return false
	}
	select {
	case order <- done:
		return true
	case <-ctx.Done():
		return false
	}
}

// queueOutcome puts an outcome in line. It returns whether to go on.
func queueOutcome(ctx context.Context, order chan<- (<-chan outcome), o outcome) bool {
	done := make(chan outcome, 1)
	done <- o
	select {
	case order <- done:
		return true
	case <-ctx.Done():
		return false
	}
}

// cutter cuts the events of a log into parts, never within a sequence.
type cutter struct {
	*pipeline
	now    part
	last   position
	copies int // of the last sequence
	take   func(part, error) bool
}

// readLog cuts the events of a log into parts, and examines series at once, which is as fast as
// handing them on.
func (p *pipeline) readLog(ctx context.Context, after uint64, take func(part, error) bool, known func(*section) bool) {
	c := cutter{p, p.newPart(), position{sequence: after}, 0, take}
	for s, err := range p.stretches(ctx, after) {
		more := false
		switch {
		case err != nil:
		case s.Series == nil:
			more, err = c.addCopy(s.Event)
		default:
			more, err = c.series(ctx, s.Series, known)
		}
		if err != nil {
			take(part{}, err)
		}
		if !more {
			return
		}
	}
	c.handOn()
}

// addCopy adds a copy, and reports whether to continue.
func (c *cutter) addCopy(e *facts.Event) (more bool, err error) {
	if !c.last.before(e) {
		return false, fmt.Errorf("%s: the source yields event %d after event %d, out of order", c.log.LogID, e.Sequence,
			c.last.sequence)
	}
	if e.Sequence > c.last.sequence {
		if c.copies = 0; c.full(&c.now, c.last.sequence, e.Sequence) && !c.handOn() {
			return false, nil
		}
	}
	c.last, c.copies = position{e.Sequence, e.Variant}, c.copies+1
	switch {
	case c.copies <= mostCopies:
		c.now.addCopy(e)
	case c.copies == mostCopies+1:
		c.now.crowded = append(c.now.crowded, e.Sequence)
	}
	return true, nil
}

// handOn hands on the part that is read, and reports whether to go on.
func (c *cutter) handOn() bool {
	if len(c.now.copies) == 0 {
		return true
	}
	more := c.take(c.now, nil)
	c.now = c.newPart()
	return more
}

// series adds a series, and reports whether to continue.
func (c *cutter) series(ctx context.Context, given *facts.Series, known func(*section) bool) (more bool, err error) {
	if c.last.sequence < given.First.Sequence {
		s, err := c.examineSeries(ctx, given)
		if err != nil {
			return false, err
		}
		if s != nil {
			c.last, c.copies = position{sequence: s.last}, 1
			return c.handOn() && known(s), nil
		}
	}
	for n := max(given.First.Sequence, c.last.sequence+1); n <= given.Last.Sequence; n++ {
		e := given.At(n)
		if more, err := c.addCopy(&e); err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

// addCopy adds a copy, to memory that is zero.
func (p *part) addCopy(e *facts.Event) {
	n := len(p.copies)
	p.copies = slices.Grow(p.copies, 1)[:n+1]
	p.copies[n].Event = *e
}

// full reports whether a part ends between two sequences.
func (p *pipeline) full(now *part, last, next uint64) bool {
	size, section := len(now.copies), uint64(p.section)
	between := (last-1)/section != (next-1)/section
	return size >= 2*p.section || between && size > p.section/2
}

// position is where a copy is in the order of its log.
type position struct {
	sequence uint64
	variant  int
}

// before reports whether a copy may come next.
func (p *position) before(e *facts.Event) bool {
	return e.Sequence > p.sequence || e.Sequence == p.sequence && e.Variant > p.variant
}
