package part

import (
	"context"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store/block"
)

// Copies yields the copies of a log from a sequence on, each with the arrivals of all
// inputs.
func (m *merged) Copies(ctx context.Context, log facts.Log, from uint64) iter.Seq2[*Copy, error] {
	return each(func() stream[Copy] { return mergeCopies(ctx, m.holds[log], log, from) })
}

// mergedCopies is a stream of the copies of several inputs. An input is read from the
// sequence on at which it has copies.
type mergedCopies struct {
	ctx     context.Context
	log     facts.Log
	from    uint64
	waiting later
	heap    heap[Copy]
	lent    bool    // what was returned last is the first of the heap
	two     [2]Copy // made of several: the one that was returned last, and the next
	now     int     // the next
}

func mergeCopies(ctx context.Context, spans []span, log facts.Log, from uint64) *mergedCopies {
	return &mergedCopies{ctx: ctx, log: log, from: from, heap: heap[Copy]{compare: block.CompareCopy},
		waiting: laterOf(spans, log, from)}
}

func (m *mergedCopies) close() { m.heap.close() }

func (m *mergedCopies) next() (*Copy, error) {
	for {
		if m.lent {
			m.lent = false
			if err := m.heap.step(); err != nil {
				return nil, err
			}
		}
		for in := m.due(); in != nil; in = m.due() {
			if err := m.heap.add(in, in.copies(m.ctx, m.log, m.from)); err != nil {
				return nil, err
			}
		}
		if len(m.heap.heads) == 0 {
			return nil, nil
		}
		v, err := m.one()
		if err != nil || v != nil {
			return v, err
		}
	}
}

// due takes out an input whose copies may come next.
func (m *mergedCopies) due() *input {
	if len(m.heap.heads) == 0 {
		return m.waiting.due(0, true)
	}
	return m.waiting.due(m.heap.heads[0].value.Sequence, false)
}

// one returns the next copy, with its arrivals in all inputs that have it; nil if none
// of them counts. Mostly one file has it: then it is handed on as the file has it.
func (m *mergedCopies) one() (*Copy, error) {
	top := &m.heap.heads[0]
	if !top.in.cut && !m.shared() {
		m.lent = true
		top.in.moveAll(top.value.Arrivals)
		return top.value, nil
	}
	v := &m.two[m.now]
	arrivals := v.Arrivals[:0]
	*v = *top.value
	for first := true; len(m.heap.heads) > 0; first = false {
		top := &m.heap.heads[0]
		if !first && (top.value.Sequence != v.Sequence || block.CompareCopy(top.value, v) != 0) {
			break
		}
		v.Size = min(v.Size, top.value.Size)
		if v.Body.Row == 0 {
			v.Body = top.value.Body
		}
		n := len(arrivals)
		arrivals = append(arrivals, top.value.Arrivals...)
		arrivals = arrivals[:n+len(top.in.moveAll(arrivals[n:]))]
		if err := m.heap.step(); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(arrivals, func(a, b Arrival) int { return block.CompareArrival(&a, &b) })
	if v.Arrivals = arrivals; len(arrivals) == 0 {
		return nil, nil
	}
	m.now = 1 - m.now
	return v, nil
}

// shared reports whether the copy that is first in the heap may be in another input
// too.
func (m *mergedCopies) shared() bool {
	heads := m.heap.heads
	for _, next := range heads[1:min(3, len(heads))] {
		if next.value.Sequence == heads[0].value.Sequence {
			return true
		}
	}
	return false
}

// moveAll moves arrivals of an input to their new places, and returns those that are
// kept.
func (in *input) moveAll(arrivals []Arrival) []Arrival {
	kept := 0
	for i := range arrivals {
		if !in.move(&arrivals[i].Place) {
			continue
		}
		if kept != i {
			arrivals[kept] = arrivals[i]
		}
		kept++
	}
	arrivals = arrivals[:kept]
	if in.shuffled && kept > 1 {
		slices.SortFunc(arrivals, func(a, b Arrival) int { return block.CompareArrival(&a, &b) })
	}
	return arrivals
}
