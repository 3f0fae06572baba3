package crosscheck

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/check"
)

// spineLog is a log whose events occur at 100 milliseconds times their sequence. The argument
// history distinguishes two events with one sequence.
type spineLog struct{ name facts.Log }

func (l spineLog) event(n uint64, previous chain.Hash, history byte) facts.Event {
	e := facts.Event{Header: event.Header{OccurredAt: int64(n) * 100}}
	e.Link = chain.Link{Sequence: n, Previous: previous, Body: chain.Hash{history}}
	e.Recorded = e.Link.Hash()
	return e
}

// events are the first n events of a history.
func (l spineLog) events(n uint64, history byte) (all []facts.Event) {
	head := chain.Genesis(l.name.TenantID, l.name.LogID)
	for i := range n {
		all = append(all, l.event(i+1, head, history))
		head = all[i].Recorded
	}
	return all
}

// pinnedHere reports whether an event is under a pinned key: all but one are.
func pinnedHere(e *facts.Event) bool { return e.KeyID != "stranger" }

// at is an anchor of an event.
func at(e facts.Event) anchor { return anchor{sequence: e.Link.Sequence, hash: e.Recorded} }

// spineOf follows events, each alone in its sequence.
func (l spineLog) spineOf(events []facts.Event, anchors ...anchor) *spine {
	s := newSpine(l.name, anchors, pinnedHere)
	for _, e := range events {
		s.addOne(&e, false)
	}
	s.freeMemory()
	slow := newSpine(l.name, anchors, pinnedHere)
	for _, e := range events {
		slow.addCopies([]facts.Event{e})
	}
	slow.freeMemory()
	if !reflect.DeepEqual(s, slow) {
		panic(fmt.Sprintf("one by one: %+v, want %+v", s, slow))
	}
	return s
}

// TestSpineStretches: where a sequence is missing, where an event does not give
// its hash, and where one does not hold the hash of the one before, a stretch ends.
func TestSpineStretches(t *testing.T) {
	l := spineLog{facts.Log{TenantID: "acme-corp", LogID: berlinLog}}
	all := l.events(9, 0)
	unsound := slices.Clone(all)
	unsound[4].Recorded[0] ^= 1
	foreign := slices.Clone(all)
	foreign[4] = l.event(5, chain.Hash{1}, 0)
	strange := slices.Clone(all)
	strange[4].KeyID = "stranger"
	over := slices.Concat(all[:4], []facts.Event{l.event(6, all[3].Recorded, 0)})
	for name, tt := range map[string]struct {
		events []facts.Event
		want   [][2]uint64
	}{
		"over an unpinned key": {strange, [][2]uint64{{1, 4}, {6, 9}}},
		"over a gap":           {over, [][2]uint64{{1, 4}, {6, 6}}},
		"whole":                {all, [][2]uint64{{1, 9}}},
		"one":                  {all[:1], [][2]uint64{{1, 1}}},
		"without one":          {slices.Concat(all[:4], all[5:]), [][2]uint64{{1, 4}, {6, 9}}},
		"without the last":     {all[:8], [][2]uint64{{1, 8}}},
		"from the second":      {all[1:], [][2]uint64{{2, 9}}},
		"unsound":              {unsound, [][2]uint64{{1, 4}, {6, 9}}},
		"foreign":              {foreign, [][2]uint64{{1, 4}, {5, 5}, {6, 9}}},
		"nothing":              {nil, nil},
	} {
		var got [][2]uint64
		s := l.spineOf(tt.events)
		for _, p := range s.stretches {
			got = append(got, [2]uint64{p.first, p.last})
			check.That(t, p.begins == int64(p.first)*100, "%s: %d begins at %d", name, p.first, p.begins)
		}
		check.That(t, slices.Equal(got, tt.want), "%s: %v, want %v", name, got, tt.want)
		n := len(tt.events)
		check.That(t, n == 0 || s.first == tt.events[0].Link.Sequence && s.last == tt.events[n-1].Link.Sequence,
			"%s: from %d to %d", name, s.first, s.last)
		for from := uint64(1); from <= 10; from++ {
			for to := from; to <= 10; to++ {
				want := slices.ContainsFunc(tt.want, func(p [2]uint64) bool { return p[0] <= from && to <= p[1] })
				check.That(t, s.isWhole(from, to) == want, "%s: whole from %d to %d: %t", name, from, to, !want)
			}
		}
	}
}

// TestSpineAnchors: an anchor matches an event of its hash, differs from another one, is
// beyond the last one, or shows nothing where the event is missing.
func TestSpineAnchors(t *testing.T) {
	l := spineLog{facts.Log{TenantID: "acme-corp", LogID: berlinLog}}
	all, other := l.events(9, 0), l.events(9, 1)
	hole := slices.Concat(all[:4], all[5:])
	unsound := slices.Clone(all)
	unsound[8].Recorded[0] ^= 1
	type numbers struct {
		matched, differing int
		covered, anchors   uint64
	}
	for name, tt := range map[string]struct {
		events  []facts.Event
		anchors []anchor
		want    numbers
	}{
		"none":    {all, nil, numbers{}},
		"first":   {all, []anchor{at(all[0])}, numbers{matched: 1, covered: 1, anchors: 1}},
		"last":    {all, []anchor{at(all[8])}, numbers{matched: 1, covered: 9, anchors: 9}},
		"two":     {all, []anchor{at(all[2]), at(all[5])}, numbers{matched: 2, covered: 6, anchors: 6}},
		"another": {all, []anchor{at(other[5])}, numbers{differing: 1}},
		"both at one": {all, []anchor{at(all[5]), at(other[5])},
			numbers{matched: 1, differing: 1, covered: 6, anchors: 6}},
		"beyond":                   {all[:8], []anchor{at(all[8])}, numbers{}},
		"an unsound last one":      {unsound, []anchor{at(all[8])}, numbers{}},
		"missing":                  {hole, []anchor{at(all[4])}, numbers{}},
		"above what is missing":    {hole, []anchor{at(all[4]), at(all[7])}, numbers{matched: 1, anchors: 8}},
		"missing, and then beyond": {slices.Concat(all[:4], all[5:7]), []anchor{at(all[4]), at(all[8])}, numbers{}},
	} {
		s := l.spineOf(tt.events, tt.anchors...)
		got := numbers{matched: s.matched, differing: len(s.differing), covered: s.covered()}
		for _, p := range s.stretches {
			if got.anchors = max(got.anchors, p.anchored); p.anchored > 0 && p.anchoredAt != int64(p.anchored)*100 {
				t.Errorf("%s: anchored %d at %d", name, p.anchored, p.anchoredAt)
			}
		}
		check.That(t, got == tt.want, "%s: %+v, want %+v", name, got, tt.want)
	}
}

// TestSpineCovers: a log is known to be whole around a time where a stretch begins
// before it or at event 1, and is anchored after it, each by more than the slack.
func TestSpineCovers(t *testing.T) {
	for name, tt := range map[string]struct {
		stretch stretch
		want    bool
	}{
		"around":               {stretch{first: 5, begins: 899, anchored: 9, anchoredAt: 1101}, true},
		"begins too late":      {stretch{first: 5, begins: 900, anchored: 9, anchoredAt: 1101}, false},
		"begins with the log":  {stretch{first: 1, begins: 1000, anchored: 9, anchoredAt: 1101}, true},
		"begins with its next": {stretch{first: 2, begins: 1000, anchored: 9, anchoredAt: 1101}, false},
		"anchored too early":   {stretch{first: 5, begins: 899, anchored: 9, anchoredAt: 1100}, false},
		"not anchored":         {stretch{first: 5, begins: 899, anchoredAt: 1101}, false},
	} {
		got := (&spine{stretches: []stretch{tt.stretch}}).covers(1000, 100)
		check.That(t, got == tt.want, "%s: %t", name, got)
	}
	for first, want := range map[uint64]uint64{1: 9, 2: 0} {
		check.Equal(t, (&spine{stretches: []stretch{{first: first, anchored: 9}}}).covered(), want,
			"from %d: covered up to", first)
	}
	got := new(spine).covered()
	check.That(t, got == 0, "nothing is covered up to %d", got)
}

// TestSpineBounds: of very many stretches the first are kept, and of very many
// events of one sequence the first are followed.
func TestSpineBounds(t *testing.T) {
	l := spineLog{facts.Log{TenantID: "acme-corp", LogID: berlinLog}}
	s := newSpine(l.name, []anchor{at(l.event(2*mostStretches+4, chain.Hash{}, 0))}, pinnedHere)
	for n := range uint64(mostStretches + 2) {
		s.addCopies([]facts.Event{l.event(2*n+2, chain.Hash{}, 0)})
	}
	got := len(s.stretches)
	check.That(t, got == mostStretches, "%d stretches are kept, want %d", got, mostStretches)
	s.addCopies([]facts.Event{l.event(2*mostStretches+5, s.live[0], 0)})
	top := s.stretches[mostStretches-1]
	check.That(t, top.last == top.first && top.anchored == 0 && s.matched == 1,
		"a stretch that is not kept goes on in the last that is: %+v", top)
	for copies, want := range map[int]bool{mostLive: true, mostLive + 1: false} {
		var same []facts.Event
		for i := range copies {
			same = append(same, l.event(1, chain.Genesis(l.name.TenantID, l.name.LogID), byte(i)))
		}
		s := newSpine(l.name, nil, pinnedHere)
		s.addCopies(same)
		s.addCopies([]facts.Event{l.event(2, same[copies-1].Recorded, 0)})
		got := s.isWhole(1, 2)
		check.That(t, got == want, "%d copies, of which the last goes on: followed is %t", copies, got)
	}
}

// TestStoreSet: sets of stores behave as sets of numbers do, and no set changes another.
func TestStoreSet(t *testing.T) {
	numbers := rapid.SliceOfDistinct(rapid.IntRange(0, 200), func(n int) int { return n })
	of := func(all []int) (s storeSet) {
		for _, n := range all {
			s = s.union(setOf(n))
		}
		return s
	}
	rapid.Check(t, func(r *rapid.T) {
		a, b, n := numbers.Draw(r, "a"), numbers.Draw(r, "b"), rapid.IntRange(0, 200).Draw(r, "n")
		x, y := of(a), of(b)
		both := slices.Sorted(slices.Values(slices.Concat(a, b)))
		without := slices.DeleteFunc(slices.Clone(a), func(m int) bool { return m == n })
		slices.Sort(without)
		for what, holds := range map[string]bool{
			"union":   slices.Equal(slices.Collect(x.union(y).all()), slices.Compact(both)),
			"without": slices.Equal(slices.Collect(x.without(n).all()), without),
			"has":     x.has(n) == slices.Contains(a, n),
			"other":   x.hasOther(n) == (len(without) > 0),
			"count":   x.count() == len(a),
			"meets":   x.meets(y) == slices.ContainsFunc(a, func(m int) bool { return slices.Contains(b, m) }),
			"as it was": slices.Equal(slices.Collect(x.all()), slices.Sorted(slices.Values(a))) &&
				slices.Equal(slices.Collect(y.all()), slices.Sorted(slices.Values(b))),
		} {
			check.That(r, holds, "%s: %v, %v, %d", what, a, b, n)
		}
	})
}
