package affected

import (
	"cmp"
	"slices"
)

// span is events from the first to the last.
type span struct{ first, last uint64 }

// spans are ascending, and apart from each other.
type spans []span

// joinSpans sorts spans and joins neighbours.
func joinSpans(all []span) spans {
	slices.SortFunc(all, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	var joined spans
	for _, s := range all {
		if n := len(joined); n > 0 && s.first-1 <= joined[n-1].last {
			joined[n-1].last = max(joined[n-1].last, s.last)
			continue
		}
		joined = append(joined, s)
	}
	return joined
}

// contain reports whether an event is in one of the spans.
func (all spans) contain(sequence uint64) bool {
	i, _ := slices.BinarySearchFunc(all, sequence, func(s span, n uint64) int { return cmp.Compare(s.last, n) })
	return i < len(all) && all[i].first <= sequence
}

// countUpTo counts the events of the spans that are not above a sequence.
func (all spans) countUpTo(last uint64) (n uint64) {
	for _, s := range all {
		if s.first <= last {
			n += min(s.last, last) - s.first + 1
		}
	}
	return n
}
