package crosscheck

import (
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// stretch is a part of a log in which no sequence is missing, each event holds the hash of the
// one before, and is under a pinned key of the log's owner: events with another key or a bad
// signature are ignored.
type stretch struct {
	first, last uint64
	begins      int64 // when its first event occurred, milliseconds since 1970
	anchored    uint64
	anchoredAt  int64 // when that event occurred
}

// mostStretches bounds the stretches of one log that are kept: the first. The rest is not
// covered by any.
const mostStretches = 4096

// mostLive bounds the histories that a log is followed along at once. Evidence
// can hold any number of copies of one sequence.
const mostLive = 16

// spine follows the hashes of a log.
type spine struct {
	readable    func(*facts.Event) bool // its statement would have been read
	first, last uint64
	lastAt      int64 // when the first copy of the last event occurred
	stretches   []stretch
	live        []chain.Hash // of the events that the last sequence of the last stretch can be
	anchors     []anchor     // that are still ahead
	matched     int
	unsound     int64 // sequences without a copy that gives its own hash
	differing   []anchor
}

// newSpine follows a log from its genesis. Anchors ascend.
func newSpine(log facts.Log, anchors []anchor, readable func(*facts.Event) bool) *spine {
	return &spine{readable: readable, live: []chain.Hash{chain.Genesis(log.TenantID, log.LogID)}, anchors: anchors}
}

// addOne adds the only copy of the next sequence that is there. Mostly it follows the one
// before. If it is known to be sound, its hash is not computed.
func (s *spine) addOne(e *facts.Event, sound bool) {
	n := e.Link.Sequence
	follows := n == s.last+1 && len(s.live) == 1 && s.live[0] == e.Link.Previous
	anchored := len(s.anchors) > 0 && s.anchors[0].sequence <= n
	if !follows || anchored || !sound && !e.Intact() {
		s.addCopies([]facts.Event{*e})
		return
	}
	if s.first == 0 {
		s.first = n
	}
	s.last, s.lastAt, s.live[0] = n, e.OccurredAt, e.Recorded
	if s.readable(e) {
		s.extend(n, e.OccurredAt)
	}
}

// addSeries adds a series. Only its first event and the ones at the sequences of anchors have
// to be examined.
func (s *spine) addSeries(all *facts.Series) {
	first, end := all.First.Link.Sequence, all.Last.Link.Sequence
	for n := first; n <= end; n++ {
		e := all.At(n)
		s.addOne(&e, true)
		last := end // of the events that only follow
		if len(s.anchors) > 0 {
			last = min(last, max(n, s.anchors[0].sequence-1))
		}
		if len(s.live) != 1 || s.live[0] != e.Recorded || last == n {
			continue
		}
		e = all.At(last)
		s.last, s.lastAt, s.live[0] = last, e.OccurredAt, e.Recorded
		if top := len(s.stretches) - 1; top >= 0 && s.stretches[top].last == n && s.readable(&e) {
			s.stretches[top].last = last
		}
		n = last
	}
}

// addCopies adds the copies of the next sequence that is there.
func (s *spine) addCopies(copies []facts.Event) {
	n := copies[0].Link.Sequence
	s.lastAt = copies[0].OccurredAt
	var linked, sound []facts.Event
	for i := range copies {
		e := copies[i]
		if !e.Intact() {
			continue
		}
		sound = append(sound, e)
		if n == s.last+1 && slices.Contains(s.live, e.Link.Previous) {
			linked = append(linked, e)
		}
	}
	if s.first == 0 {
		s.first = n
	}
	s.last, s.live = n, s.live[:0]
	switch {
	case len(linked) > 0:
		if s.anyReadable(linked) {
			s.extend(n, linked[0].OccurredAt)
		}
		s.compareAnchors(n, linked)
	case len(sound) > 0:
		if s.anyReadable(sound) {
			s.beginSegment(n, sound[0].OccurredAt)
		}
		s.compareAnchors(n, sound)
	default:
		s.unsound++
	}
}

func (s *spine) anyReadable(copies []facts.Event) bool {
	return slices.ContainsFunc(copies, func(e facts.Event) bool { return s.readable(&e) })
}

// extend makes the last stretch longer, or begins one.
func (s *spine) extend(n uint64, at int64) {
	if top := len(s.stretches) - 1; top >= 0 && s.stretches[top].last == n-1 {
		s.stretches[top].last = n
		return
	}
	s.beginSegment(n, at)
}

func (s *spine) beginSegment(n uint64, at int64) {
	if len(s.stretches) < mostStretches {
		s.stretches = append(s.stretches, stretch{first: n, last: n, begins: at})
	}
}

// compareAnchors compares the possible events of a sequence with the anchors there.
func (s *spine) compareAnchors(n uint64, events []facts.Event) {
	for _, e := range events[:min(len(events), mostLive)] {
		s.live = append(s.live, e.Recorded)
	}
	for ; len(s.anchors) > 0 && s.anchors[0].sequence <= n; s.anchors = s.anchors[1:] {
		a := s.anchors[0]
		switch {
		case a.sequence < n: // missing or altered, by the walk
		case slices.Contains(s.live, a.hash):
			s.matched++
			s.anchor(n, events[0].OccurredAt)
		default:
			s.differing = append(s.differing, a)
		}
	}
}

func (s *spine) anchor(n uint64, at int64) {
	if top := len(s.stretches) - 1; top >= 0 && s.stretches[top].last == n {
		s.stretches[top].anchored, s.stretches[top].anchoredAt = n, at
	}
}

// freeMemory frees the memory for reading the log.
func (s *spine) freeMemory() {
	s.live, s.anchors, s.readable = nil, nil, nil
}

// covered is up to where the log is whole from its beginning, and anchored.
func (s *spine) covered() uint64 {
	if len(s.stretches) == 0 || s.stretches[0].first != 1 {
		return 0
	}
	return s.stretches[0].anchored
}

// covers reports whether the log is known to be whole around a time, give or
// take a slack, both in milliseconds.
func (s *spine) covers(at, slack int64) bool {
	return slices.ContainsFunc(s.stretches, func(t stretch) bool {
		return t.anchored > 0 && t.anchoredAt > at+slack && (t.first == 1 || t.begins < at-slack)
	})
}

// isWhole reports whether the log is whole from one sequence to another.
func (s *spine) isWhole(from, to uint64) bool {
	return slices.ContainsFunc(s.stretches, func(t stretch) bool { return t.first <= from && t.last >= to })
}
