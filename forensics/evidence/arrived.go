package evidence

import (
	"cmp"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/facts"
)

// Arrived is one arrival of a copy of an event.
type Arrived struct {
	Ref        facts.Ref
	Sequence   uint64
	OccurredAt int64          // milliseconds since 1970, by the clock of the log's owner
	ObservedAt int64          // nanoseconds since 1970, by the clock of a collector; 0 if unknown
	Fidelity   facts.Fidelity // the best of all arrivals of the copy
	Container  int64          // as in the containers of the evidence
	Source     int64
	Record     int64
	Batch      int64 // equal for equal batch ids; 0 without any
	Several    bool  // this very copy arrived more than once
	Offset     int64
}

// Arrange marks the copies that arrived more than once, and puts the arrivals of a sequence in
// the order of their places.
func Arrange(same []Arrived) {
	slices.SortFunc(same, func(a, b Arrived) int { return cmp.Compare(a.Ref.Variant, b.Ref.Variant) })
	for i := range same[1:] {
		before, a := &same[i], &same[i+1]
		if a.Ref == before.Ref {
			a.Several, before.Several = true, true
		}
	}
	slices.SortFunc(same, func(a, b Arrived) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Record, b.Record), cmp.Compare(a.Offset, b.Offset))
	})
}

// Later pairs the second and later arrivals of each copy with its first one.
func Later(same []Arrived) iter.Seq2[Arrived, Arrived] {
	return func(yield func(first, later Arrived) bool) {
		if len(same) == 1 {
			return
		}
		first := map[facts.Ref]Arrived{} // of those that have a later one: copies that differ can be any number
		for _, a := range same {
			if !a.Several {
				continue
			}
			if f, again := first[a.Ref]; !again {
				first[a.Ref] = a
			} else if !yield(f, a) {
				return
			}
		}
	}
}
