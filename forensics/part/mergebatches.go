package part

import (
	"cmp"
	"context"
	"iter"
	"slices"
)

// Batches yields the batches of all inputs. Runs of one id that overlap or touch are
// one, which is counted again from its copies.
func (m *merged) Batches(ctx context.Context) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		h := heap[Batch]{compare: compareBatch}
		defer h.close()
		for _, in := range m.all {
			if err := h.addStream(in, in.batches(ctx)); err != nil {
				yield(nil, err)
				return
			}
		}
		for len(h.heads) > 0 {
			all, err := takeRun(&h)
			if err == nil {
				all, err = countRun(ctx, all)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range all {
				if !yield(&all[i].Batch, nil) {
					return
				}
			}
		}
	}
}

// pieceOf is a batch of an input.
type pieceOf struct {
	Batch
	in *input
}

// takeRun removes batches that are one run from a heap.
func takeRun(h *heap[Batch]) ([]pieceOf, error) {
	var all []pieceOf
	last := uint64(0)
	for len(h.heads) > 0 {
		v := h.heads[0].value
		if len(all) > 0 && (v.ID != all[0].ID || v.Log != all[0].Log || v.First > last && v.First-last > 1) {
			break
		}
		all, last = append(all, pieceOf{*v, h.heads[0].in}), max(last, v.Last)
		if err := h.step(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// countRun returns the batches that the pieces of a run are.
func countRun(ctx context.Context, pieces []pieceOf) ([]pieceOf, error) {
	one, same := pieces[0], true
	for _, p := range pieces {
		same = same && !p.in.cut && p.First == one.First && p.Last == one.Last && p.Events == one.Events &&
			p.Copies == one.Copies
	}
	if same { // each copy arrived once more
		for _, p := range pieces[1:] {
			one.Deliveries += p.Deliveries
			one.Redelivered = one.Events
		}
		return []pieceOf{one}, nil
	}
	last := one.Last
	var inputs []*input
	seen := map[*input]bool{}
	for _, p := range pieces {
		last = max(last, p.Last)
		if !seen[p.in] {
			inputs, seen[p.in] = append(inputs, p.in), true
		}
	}
	var all []pieceOf
	b := NewBatcher(one.Log, func(found *Batch) { all = append(all, pieceOf{Batch: *found}) })
	s := mergeCopies(ctx, spansOf(inputs, one.Log), one.Log, one.First)
	defer s.close()
	for {
		c, err := s.next()
		if err != nil {
			return nil, err
		}
		if c == nil || c.Sequence > last {
			break
		}
		b.addCopy(c, &one.ID)
	}
	b.End()
	slices.SortFunc(all, func(a, b pieceOf) int { return cmp.Compare(a.First, b.First) })
	return all, nil
}
