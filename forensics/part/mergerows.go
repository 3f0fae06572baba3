package part

import "iter"

// rowMerge describes how the records of several inputs are merged.
type rowMerge[T any] struct {
	of      func(in *input) stream[T]
	compare func(a, b *T) int
	move    func(in *input, v *T) *T // the record in its new place, which stays as it is; nil if it is dropped
	join    func(a, b *T) error      // adds to a record the facts of an equal one
	end     func(v *T) bool          // ends a record that nothing is added to, and reports whether it counts; may be nil

	// The sequence of a record, if the records are in the order of sequences.
	sequence func(v *T) uint64
}

// movedRows is a stream of the records of an input in their new places.
type movedRows[T any] struct {
	stream[T]
	in   *input
	move func(in *input, v *T) *T
}

func (s *movedRows[T]) next() (*T, error) {
	for {
		v, err := s.stream.next()
		if v == nil || err != nil {
			return nil, err
		}
		if v = s.move(s.in, v); v != nil {
			return v, nil
		}
	}
}

// openStream begins a stream of the records of inputs in order.
func (r rowMerge[T]) openStream(inputs later) stream[T] {
	return &mergedRows[T]{rowMerge: r, waiting: inputs, heap: heap[T]{compare: r.compare}}
}

// allRows yields the records of inputs in order.
func (r rowMerge[T]) allRows(inputs []*input) iter.Seq2[*T, error] {
	return eachRecord(func() stream[T] { return r.openStream(atOnce(inputs)) })
}

// mergedRows is a stream of the records of several inputs.
type mergedRows[T any] struct {
	rowMerge[T]
	waiting later
	heap    heap[T]
}

func (m *mergedRows[T]) close() { m.heap.close() }

func (m *mergedRows[T]) next() (now *T, err error) {
	for {
		if now == nil { // else all inputs that can have an equal one are in the heap
			if err := m.fillHeap(&m.heap, &m.waiting); err != nil {
				return nil, err
			}
		}
		heads := m.heap.heads
		if len(heads) == 0 || now != nil && m.compare(now, heads[0].value) != 0 {
			if now == nil || m.end == nil || m.end(now) {
				return now, nil
			}
			now = nil
			continue
		}
		if v := heads[0].value; now == nil {
			now = v
		} else if err := m.join(now, v); err != nil {
			return nil, err
		}
		if err := m.heap.step(); err != nil {
			return nil, err
		}
	}
}

// fillHeap adds the inputs to the heap whose records may come next.
func (r *rowMerge[T]) fillHeap(h *heap[T], waiting *later) error {
	for {
		n := uint64(0)
		if len(h.heads) > 0 && r.sequence != nil {
			n = r.sequence(h.heads[0].value)
		}
		in := waiting.removeDue(n, len(h.heads) == 0)
		if in == nil {
			return nil
		}
		if err := h.addStream(in, &movedRows[T]{r.of(in), in, r.move}); err != nil {
			return err
		}
	}
}
