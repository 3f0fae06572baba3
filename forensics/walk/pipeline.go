package walk

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/tasks"
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

// task is a part to examine, or a section that is examined already.
type task struct {
	part
	known *section
}

// eachSection calls take with the sections of a log in order, while workers examine the ones that
// follow.
func (p *pipeline) eachSection(ctx context.Context, after uint64, take func(*section) error) error {
	w := tasks.Work[task, *section]{Workers: p.workers, Ahead: 2, Take: take,
		Start: func() (func(context.Context, task) (*section, error), func()) { return p.examineTask, func() {} }}
	return w.Run(ctx, func(yield func(task, error) bool) { p.readLog(ctx, after, yield) })
}

func (p *pipeline) examineTask(ctx context.Context, t task) (*section, error) {
	if t.known != nil {
		return t.known, nil
	}
	defer t.release()
	return p.examinePart(ctx, t.part)
}

// cutter cuts the events of a log into parts, never within a sequence.
type cutter struct {
	*pipeline
	now    part
	last   position
	copies int // of the last sequence
	take   func(task, error) bool
}

// readLog cuts the events of a log into parts, and examines series at once, which is as fast as
// handing them on.
func (p *pipeline) readLog(ctx context.Context, after uint64, take func(task, error) bool) {
	c := cutter{p, p.newPart(), position{sequence: after}, 0, take}
	for s, err := range p.stretches(ctx, after) {
		more := false
		switch {
		case err != nil:
		case s.Series == nil:
			more, err = c.addCopy(s.Event)
		default:
			more, err = c.series(ctx, s.Series)
		}
		if err != nil {
			take(task{}, err)
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
	more := c.take(task{part: c.now}, nil)
	c.now = c.newPart()
	return more
}

// series adds a series, and reports whether to continue.
func (c *cutter) series(ctx context.Context, given *facts.Series) (more bool, err error) {
	if c.last.sequence < given.First.Sequence {
		s, err := c.examineSeries(ctx, given)
		if err != nil {
			return false, err
		}
		if s != nil {
			c.last, c.copies = position{sequence: s.last}, 1
			return c.handOn() && c.take(task{known: s}, nil), nil
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
