package walk

import (
	"cmp"
	"context"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
)

// tolerance is how far a step may be dated before the one ahead of it, in
// milliseconds (SPEC 7.13).
const tolerance = 300_000

// section has the results of a worker on a part of a log, in a form in which parts can be
// joined in order.
type section struct {
	last    uint64
	pieces  []piece
	offers  []chain.Anchor // the hashes in it that links from beyond it can name
	known   []chain.Anchor // the believed hashes at anchored sequences
	reports []headReport   // of nodes, in a tenant log
	crowded []uint64       // sequences with copies that were not examined
	tally   tally
}

// piece is a series of valid events, one copy each, where every one follows the one before it;
// or all copies of a single sequence at which it is not so.
type piece struct {
	series
	copies []judged // nil for a series
}

// series is a chain of events: the summary, the two ends, the number.
type series struct {
	segment     chain.Segment
	first, last *judged
	events      uint64
}

// singleSeries is the series of one event. The hash in its link is the one that the event has in its
// log; other faults of its hash are not for the segment to report.
func singleSeries(j *judged) series {
	link := j.chainEvent()
	return series{segment: chain.OfSound(&link), first: j, last: j, events: 1}
}

// examinePart judges a part of a log. Its result keeps no memory of the part.
func (g *judge) examinePart(ctx context.Context, p part) (*section, error) {
	copies := p.copies
	given := countJudged(copies)
	if err := g.judgeKnown(ctx, copies); err != nil {
		return nil, err
	}
	copies, err := g.judgeManyCopies(ctx, p)
	if err != nil {
		return nil, err
	}
	s := &section{last: copies[len(copies)-1].Sequence, crowded: p.crowded}
	s.cutPieces(copies)
	s.offer(copies)
	s.keepAnchored(copies, g.anchored)
	s.tallyCopies(g.log, copies)
	s.reports, err = g.reports(ctx, copies)
	if given == 0 { // reading judged ones again gives the same
		s.noteSound(copies)
	}
	return s, err
}

// copiesBySequence yields the copies of each sequence.
func copiesBySequence(copies []judged) func(func([]judged) bool) {
	return func(yield func([]judged) bool) {
		for start, i := 0, 1; i <= len(copies); i++ {
			if i == len(copies) || copies[i].Sequence != copies[start].Sequence {
				if !yield(copies[start:i]) {
					return
				}
				start = i
			}
		}
	}
}

// cutPieces cuts the copies into pieces.
func (s *section) cutPieces(copies []judged) {
	for group := range copiesBySequence(copies) {
		j := &group[0]
		if len(group) > 1 || !j.Valid() {
			s.pieces = append(s.pieces, piece{copies: slices.Clone(group)})
			continue
		}
		if n := len(s.pieces); n > 0 && s.pieces[n-1].copies == nil && followsSoundly(s.pieces[n-1].last, j) {
			r := &s.pieces[n-1].series
			link := j.chainEvent()
			r.segment.Append(&link) // valid, so that the hash holds
			r.last, r.events = j, r.events+1
			continue
		}
		s.pieces = append(s.pieces, piece{series: singleSeries(j)})
	}
	for i := range s.pieces { // let go of the copies in between
		if r := &s.pieces[i].series; r.first != nil {
			first, last := *r.first, *r.last
			r.first, r.last = &first, &last
		}
	}
}

// followsSoundly reports whether nothing is wrong between two valid events.
func followsSoundly(a, b *judged) bool {
	return b.Sequence == a.Sequence+1 && b.Previous == a.logHash() && !isDatedBefore(a, b)
}

// isDatedBefore reports whether b is dated too far before a.
func isDatedBefore(a, b *judged) bool {
	return b.OccurredAt < a.OccurredAt-tolerance
}

// offer keeps the hashes that a later link can name: those on the way back
// along the skip links from the last event.
func (s *section) offer(copies []judged) {
	for _, n := range chain.Way(s.last, 0) {
		if n < copies[0].Sequence {
			return
		}
		if group := copiesAt(copies, n); len(group) > 0 {
			s.offers = append(s.offers, chain.Anchor{Sequence: n, Hash: foremostCopy(group).logHash()})
		}
	}
}

// keepAnchored keeps the believed hashes at the anchored sequences.
func (s *section) keepAnchored(copies []judged, anchored []uint64) {
	i, _ := slices.BinarySearch(anchored, copies[0].Sequence)
	for ; i < len(anchored) && anchored[i] <= s.last; i++ {
		group := copiesAt(copies, anchored[i])
		for k := range group {
			if group[k].hashBelieved() {
				s.known = append(s.known, chain.Anchor{Sequence: anchored[i], Hash: group[k].logHash()})
			}
		}
	}
}

// copiesAt returns the copies of one sequence.
func copiesAt(copies []judged, sequence uint64) []judged {
	find := func(n uint64) int {
		i, _ := slices.BinarySearchFunc(copies, n, func(j judged, n uint64) int { return cmp.Compare(j.Sequence, n) })
		return i
	}
	return copies[find(sequence):find(sequence+1)]
}

// isReport reports whether a copy is a node's report that may be relied on.
func isReport(j *judged) bool { return j.Type == event.NodeReported && j.Valid() }
