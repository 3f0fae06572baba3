package chain

import (
	"reflect"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// slow walks a run of events by the definition: it remembers every recorded
// hash since the last restart.
func slow(start map[uint64]Hash, last uint64, started bool, events []Event) []Break {
	var breaks []Break
	known := start
	for i, e := range events {
		if e.Hash() != e.Recorded {
			breaks = append(breaks, Break{i, BreakHash, e.Sequence, e.Sequence})
		}
		switch {
		case !started:
		case e.Sequence <= last:
			breaks = append(breaks, Break{i, BreakRestart, e.Sequence, last})
			known = map[uint64]Hash{}
		case e.Sequence > last+1:
			breaks = append(breaks, Break{i, BreakGap, e.Sequence, last + 1})
		case known[last] != e.Previous:
			breaks = append(breaks, Break{i, BreakPrevious, e.Sequence, last})
		}
		if h, ok := known[Skip(e.Sequence)]; ok && h != e.Skip {
			breaks = append(breaks, Break{i, BreakSkip, e.Sequence, Skip(e.Sequence)})
		}
		known[e.Sequence] = e.Recorded
		last, started = e.Sequence, true
	}
	slices.SortFunc(breaks, compareBreaks)
	return breaks
}

// damaged draws a run of events: a stretch of a sound log with alterations,
// deletions, repeats and swaps.
func damaged(t *rapid.T) []Event {
	from := rapid.IntRange(0, 120).Draw(t, "from")
	events := slices.Clone(log(160)[from : from+rapid.IntRange(0, 40).Draw(t, "length")])
	for range rapid.IntRange(0, 6).Draw(t, "damages") {
		if len(events) == 0 {
			break
		}
		i := rapid.IntRange(0, len(events)-1).Draw(t, "at")
		j := rapid.IntRange(i, min(i+5, len(events))).Draw(t, "to")
		switch rapid.IntRange(0, 6).Draw(t, "damage") {
		case 0:
			events[i].Body[0] ^= 1
		case 1:
			events[i].Previous[0] ^= 1
			events[i].Recorded = events[i].Hash()
		case 2:
			events[i].Skip[0] ^= 1
			events[i].Recorded = events[i].Hash()
		case 3:
			events = slices.Delete(events, i, j)
		case 4:
			events = slices.Insert(events, i, slices.Clone(events[i:j])...)
		case 5:
			slices.Reverse(events[i:j])
		case 6:
			events[i].Recorded[5] ^= 1
		}
	}
	return events
}

// join joins the events in a random grouping.
func join(t *rapid.T, events []Event) Segment {
	switch len(events) {
	case 0:
		return Segment{}
	case 1:
		return Of(events[0])
	}
	cut := rapid.IntRange(0, len(events)).Draw(t, "cut")
	if cut == 0 || cut == len(events) {
		cut = len(events) / 2
	}
	return join(t, events[:cut]).Join(join(t, events[cut:]))
}

func fold(events []Event) Segment {
	var s Segment
	for _, e := range events {
		s = s.Join(Of(e))
	}
	return s
}

func TestJoinIsAssociativeAndAgreesWithTheNaiveWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := damaged(t)
		grouped, left := join(t, events), fold(events)
		must.That(t, reflect.DeepEqual(normal(grouped), normal(left)), "grouping changes the segment:\n%s",
			cmp.Diff(grouped.Breaks, left.Breaks))
		d := cmp.Diff(slow(map[uint64]Hash{}, 0, false, events), normal(left).Breaks)
		must.That(t, d == "", "naive walk and segment differ (-naive +segment):\n%s", d)
	})
}

func TestGenesisJoinsInFront(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := damaged(t)
		s := OfGenesis(genesis).Join(join(t, events))
		want := slow(map[uint64]Hash{0: genesis}, 0, true, events)
		d := cmp.Diff(want, normal(s).Breaks)
		must.That(t, d == "", "naive walk and segment differ (-naive +segment):\n%s", d)
		must.That(t, s.Count == len(events), "the genesis counts as an event: %d of %d", s.Count, len(events))
	})
	s := OfGenesis(genesis).Join(fold(log(500)))
	check.That(t, s.Breaks == nil && s.Last() == 500 &&
		s.Head() == log(500)[499].Recorded, "a sound log: %+v", s.Breaks)
}

// TestAppendIsJoin: but for the hash, which Append does not compute.
func TestAppendIsJoin(t *testing.T) {
	same := func(t must.T, events []Event) {
		joined, appended := fold(events), Segment{}
		for i := range events {
			appended.Append(&events[i])
		}
		joined.Breaks = slices.DeleteFunc(joined.Breaks, func(b Break) bool { return b.Kind == BreakHash })
		must.That(t, reflect.DeepEqual(normal(appended), normal(joined)), "appended %+v\njoined %+v", appended, joined)
	}
	rapid.Check(t, func(t *rapid.T) { same(t, damaged(t)) })
	for from := range 14 { // each gap, and skip links over it, into it and ahead of it
		for to := from; to <= 14; to++ {
			same(t, slices.Delete(slices.Clone(log(45)), from, to))
		}
	}
}

func TestEmptyIsTheIdentity(t *testing.T) {
	s := fold(log(30)[7:20])
	l, r := (Segment{}).Join(s), s.Join(Segment{})
	check.That(t, reflect.DeepEqual(l, s) && reflect.DeepEqual(r, s), "the empty segment changes what it is joined to")
}

func TestSegmentsStaySmall(t *testing.T) {
	var s Segment
	for _, e := range log(5000)[1000:] {
		s = s.Join(Of(e))
	}
	check.That(t, len(s.claims)+len(s.offers) <= 60, "%d claims and %d offers", len(s.claims), len(s.offers))
}

// normal makes nil and empty lists equal.
func normal(s Segment) Segment {
	s.Breaks = slices.Concat(s.Breaks)
	s.claims = slices.Concat(s.claims)
	s.offers = slices.Concat(s.offers)
	return s
}

// TestOfSeries: a series is the segment that appending its events gives.
func TestOfSeries(t *testing.T) {
	hash := func(n uint64) Hash { return Hash{1, byte(n), byte(n >> 8)} }
	event := func(n uint64) Event {
		return Event{Link: Link{Sequence: n, Previous: hash(n - 1), Skip: hash(Skip(n))}, Recorded: hash(n)}
	}
	for first := uint64(1); first < 400; first += 7 {
		e := event(first)
		appended, s := OfSound(&e), &Series{First: e, Recorded: hash}
		for last := first; last < first+150; last++ {
			if e := event(last); last > first {
				appended.Append(&e)
			}
			if Skip(last) < first {
				s.Older = append(s.Older, Older{last, hash(Skip(last))})
			}
			s.Last = last
			got := OfSeries(s)
			must.That(t, reflect.DeepEqual(normal(got), normal(appended)), "%d to %d: %+v\nwant %+v", first, last, got, appended)
		}
	}
}
