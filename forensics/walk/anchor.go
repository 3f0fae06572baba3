package walk

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// JoinKinds joins kinds of anchor to one text, with a separator.
func JoinKinds(kinds []facts.AnchorKind, between string) string {
	words := make([]string, len(kinds))
	for i, k := range kinds {
		words[i] = string(k)
	}
	return strings.Join(words, between)
}

// Anchor states the hash of one event of a log. It comes from a verified
// statement. Name describes that statement for people.
type Anchor struct {
	Sequence uint64             `json:"sequence"`
	Hash     chain.Hash         `json:"hash"`
	By       facts.AnchorKind   `json:"by"`
	At       int64              `json:"at"` // when it was made, milliseconds since 1970
	Name     string             `json:"name"`
	Event    uint64             `json:"event"`         // of a NodeReport: the event of the tenant log
	Previous chain.Hash         `json:"previous_hash"` // of a NodeReport: the links of the event that it names
	Skip     chain.Hash         `json:"skip_hash"`
	Evidence []finding.Evidence `json:"-"` // of the others: the document
}

// anchors are the anchors of one log, ascending by sequence.
type anchors []Anchor

// sortedOnce returns the anchors in their order, without duplicates in sequence, hash and kind.
func (a anchors) sortedOnce() anchors {
	a = slices.Clone(a)
	slices.SortFunc(a, func(x, y Anchor) int {
		return cmp.Or(compareAnchors(x, y), cmp.Compare(x.At, y.At), strings.Compare(x.Name, y.Name),
			slices.CompareFunc(x.Evidence, y.Evidence, finding.CompareEvidence))
	})
	return slices.CompactFunc(a, func(x, y Anchor) bool { return compareAnchors(x, y) == 0 })
}

// compareAnchors orders anchors by their statements.
func compareAnchors(x, y Anchor) int {
	return cmp.Or(cmp.Compare(x.Sequence, y.Sequence), bytes.Compare(x.Hash[:], y.Hash[:]),
		strings.Compare(string(x.By), string(y.By)))
}

// sequences returns the anchored sequences, each once.
func (a anchors) sequences() []uint64 {
	var all []uint64
	for _, x := range a {
		all = append(all, x.Sequence)
	}
	return slices.Compact(all)
}

// standing is how the anchors of a log stand to its events.
type standing struct {
	matched    anchors // they name the event that is here
	contrary   anchors // they name another one than this history has
	mismatched anchors // they name one that is in no history of the log
	beyond     anchors // above the last event
	split      []splitView
}

// splitView is two anchors that name different events under one sequence.
type splitView struct{ a, b Anchor }

// compareWith checks the anchors against a history of a log, given the believed hashes of all
// histories. An anchor whose event is missing or not believed is in none of the lists.
func (a anchors) compareWith(b *branch, known map[uint64][]chain.Hash) standing {
	var s standing
	contradicted := map[uint64]bool{}
	for i := 1; i < len(a); i++ {
		if x, y := a[i-1], a[i]; x.Sequence == y.Sequence && x.Hash != y.Hash && !contradicted[x.Sequence] {
			contradicted[x.Sequence] = true
			s.split = append(s.split, splitView{x, y})
		}
	}
	s.matched = b.matched(a)
	for _, x := range a {
		here, all := b.marks[x.Sequence].hashes, known[x.Sequence]
		if x.Sequence > b.counts.Last {
			s.beyond = append(s.beyond, x)
			continue
		}
		if len(here) > 0 && !slices.Contains(here, x.Hash) {
			s.contrary = append(s.contrary, x)
		}
		if len(all) > 0 && !slices.Contains(all, x.Hash) && !contradicted[x.Sequence] {
			s.mismatched = append(s.mismatched, x)
		}
	}
	return s
}

// unvouched returns the first event of a history over which no anchor vouches for earlier
// events, although one fits there or above, or did in an earlier walk: because events are
// missing, changed or replaced, or because the anchors contradict each other. It returns 0 if
// there is none.
func (s *standing) unvouched(b *branch, earlier uint64) uint64 {
	highest := earlier
	if top := s.matched.highest(); len(top) > 0 {
		highest = max(highest, top[0].Sequence)
	}
	if at := s.wholeUpTo(b) + 1; at <= highest {
		return at
	}
	return 0
}

// highest returns the anchors of the highest sequence.
func (a anchors) highest() anchors {
	if len(a) == 0 {
		return nil
	}
	i := slices.IndexFunc(a, func(x Anchor) bool { return x.Sequence == a[len(a)-1].Sequence })
	return a[i:]
}

// firstName names the first of the anchors, nil if there is none.
func (a anchors) firstName() *AnchorName {
	if len(a) == 0 {
		return nil
	}
	return &AnchorName{a[0].Sequence, a[0].Hash.String(), a[0].By, a[0].Name}
}

// checkpoint names the highest checkpoint that has enough witnesses, if so many
// are demanded; nil if there is none.
func (a anchors) checkpoint(demanded int) *CheckpointName {
	for _, x := range slices.Backward(a) {
		witnessed := x.By == facts.WitnessedCheckpoint
		if !witnessed && (x.By != facts.Checkpoint || demanded > 0) {
			continue
		}
		c := &CheckpointName{Sequence: x.Sequence, Hash: x.Hash.String(), CreatedAt: formatTime(x.At), Witnessed: witnessed}
		if len(x.Evidence) > 0 {
			c.Source = x.Evidence[0].Name()
		}
		return c
	}
	return nil
}

// upTo returns the anchors of sequences that are not above n.
func (a anchors) upTo(n uint64) anchors {
	i := slices.IndexFunc(a, func(x Anchor) bool { return x.Sequence > n })
	if i < 0 {
		return a
	}
	return a[:i]
}

// after returns the anchors of sequences above n.
func (a anchors) after(n uint64) anchors { return a[len(a.upTo(n)):] }

// reports returns the anchors that a walk has to keep for the next one:
// documents are read each time, the tenant log only as far as it is new.
func (a anchors) reports() anchors {
	return slices.DeleteFunc(slices.Clone(a), func(x Anchor) bool { return x.By != facts.NodeReport })
}

// independent returns the anchors that the log's owner cannot make alone. Two
// histories under one key need two people, and each can make such an anchor.
func (a anchors) independent() anchors {
	return slices.DeleteFunc(slices.Clone(a), func(x Anchor) bool {
		return x.By != facts.WitnessedCheckpoint &&
			x.By != facts.NodeReport
	})
}

// kinds returns the kinds of the anchors, ascending.
func (a anchors) kinds() []facts.AnchorKind {
	set := map[facts.AnchorKind]bool{}
	for _, x := range a {
		set[x.By] = true
	}
	return append([]facts.AnchorKind{}, slices.Sorted(maps.Keys(set))...)
}

// rollbacks returns the checkpoints that cover less than one that was made
// clearly earlier, with that one (SPEC 5.1).
func (a anchors) rollbacks() [][2]Anchor {
	var made anchors
	for _, x := range a {
		if x.By == facts.WitnessedCheckpoint || x.By == facts.Checkpoint {
			made = append(made, x)
		}
	}
	slices.SortStableFunc(made, func(x, y Anchor) int { return cmp.Compare(x.At, y.At) })
	var back [][2]Anchor
	var highest Anchor // of those that are clearly earlier
	earlier := 0
	for _, x := range made {
		for ; made[earlier].At < x.At-tolerance; earlier++ {
			if made[earlier].Sequence > highest.Sequence {
				highest = made[earlier]
			}
		}
		if highest.Sequence > x.Sequence {
			back = append(back, [2]Anchor{highest, x})
		}
	}
	return back
}
