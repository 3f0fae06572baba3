package cause

import (
	"cmp"
	"slices"
)

// overlaps are findings about sequences of one log. It looks up those that overlap with
// a range in time that grows with their number, and not with the number of all.
type overlaps struct {
	all  []overlap // by their first sequence
	tree []uint64  // above them: the greatest end below each node, whose children are 2n+1 and 2n+2
}

// overlap is a finding. Its end is one behind its last sequence, and 0 if it was dropped.
type overlap struct {
	finding    int
	first, end uint64
}

func newOverlaps(all []overlap) *overlaps {
	slices.SortFunc(all, func(a, b overlap) int { return cmp.Or(cmp.Compare(a.first, b.first), a.finding-b.finding) })
	leaves := 1
	for leaves < len(all) {
		leaves *= 2
	}
	o := &overlaps{all, make([]uint64, 2*leaves-1)}
	for i, a := range all {
		o.tree[leaves-1+i] = a.end
	}
	for n := leaves - 2; n >= 0; n-- {
		o.tree[n] = max(o.tree[2*n+1], o.tree[2*n+2])
	}
	return o
}

// findOverlapping returns the findings that overlap with sequences; 0, 0 is any. Those that it
// drops are not found again.
func (o *overlaps) findOverlapping(first, last uint64, drop bool) []int {
	var found []int
	var below func(n, from, to int)
	below = func(n, from, to int) {
		if from >= len(o.all) || o.tree[n] == 0 || last > 0 && (o.tree[n] <= first || o.all[from].first > last) {
			return
		}
		if to-from > 1 {
			middle := (from + to) / 2
			below(2*n+1, from, middle)
			below(2*n+2, middle, to)
			o.tree[n] = max(o.tree[2*n+1], o.tree[2*n+2])
			return
		}
		found = append(found, o.all[from].finding)
		if drop {
			o.tree[n] = 0
		}
	}
	if o != nil {
		below(0, 0, (len(o.tree)+1)/2)
	}
	return found
}
