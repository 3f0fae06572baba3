package part

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/svc-edge/svc-verify/forensics/facts"
)

// span is the range of sequences in which an input has copies of a log.
type span struct {
	in          *input
	first, last uint64
	through     uint64 // the highest last of this span and those ahead of it
}

// spansOf returns the spans of the inputs that have copies of a log, by their first
// sequence.
func spansOf(inputs []*input, log facts.Log) (all []span) {
	for _, in := range inputs {
		if first, last, some := in.logRange(log); some {
			all = append(all, span{in: in, first: first, last: last})
		}
	}
	slices.SortStableFunc(all, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	through := uint64(0)
	for i := range all {
		through = max(through, all[i].last)
		all[i].through = through
	}
	return all
}

// later are inputs that are not read yet, by a lower bound of their records.
type later struct {
	near []span // of those that began below the sequence that is read from
	rest []span
}

// laterOf returns the inputs that may have copies of a log from a sequence on. Of many
// inputs it looks only at those that have sequences on both sides of it.
func laterOf(spans []span, log facts.Log, from uint64) (l later) {
	i := sort.Search(len(spans), func(i int) bool { return spans[i].through >= from })
	for ; i < len(spans) && spans[i].first < from; i++ {
		if spans[i].last < from {
			continue
		}
		if n, some := spans[i].in.firstFrom(log, from); some {
			l.near = append(l.near, span{in: spans[i].in, first: n})
		}
	}
	l.rest = spans[i:]
	slices.SortStableFunc(l.near, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	return l
}

// atOnce returns inputs that are all read from the beginning.
func atOnce(inputs []*input) (l later) {
	for _, in := range inputs {
		l.rest = append(l.rest, span{in: in, last: math.MaxUint64})
	}
	return l
}

// removeDue removes and returns an input whose records may come before one of a sequence, or before
// none; may be nil.
func (l *later) removeDue(sequence uint64, none bool) *input {
	from := l.nextList()
	if len(*from) == 0 || !none && (*from)[0].first > sequence {
		return nil
	}
	in := (*from)[0].in
	*from = (*from)[1:]
	return in
}

// nextList returns the list whose first input is the next one, or an empty one.
func (l *later) nextList() *[]span {
	if len(l.near) == 0 || len(l.rest) > 0 && l.rest[0].first < l.near[0].first {
		return &l.rest
	}
	return &l.near
}
