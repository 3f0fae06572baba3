package contradiction

import (
	"cmp"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
)

// way collects the events that a path proves.
type way struct{ events []Event }

// addLink adds an event whose link is in the path, with the two that it names.
func (w *way) addLink(l chain.Link) {
	w.events = append(w.events, Event{l.Sequence, l.Hash(), true},
		Event{Sequence: l.Sequence - 1, Hash: l.Previous},
		Event{Sequence: chain.Skip(l.Sequence), Hash: l.Skip})
}

// sortedEvents returns the events, the newest first, each once. The genesis is no
// event: it is the same for every history of a log.
func (w *way) sortedEvents() []Event {
	slices.SortFunc(w.events, func(a, b Event) int {
		if c := cmp.Compare(b.Sequence, a.Sequence); c != 0 || a.Link == b.Link {
			return c
		}
		if a.Link {
			return -1
		}
		return 1
	})
	events := slices.CompactFunc(w.events, func(a, b Event) bool { return a.Sequence == b.Sequence })
	if n := len(events); events[n-1].Sequence == 0 {
		events = events[:n-1]
	}
	return slices.Clip(events)
}

// findEvent returns the event of a sequence.
func (f *Facts) findEvent(sequence uint64) (Event, bool) {
	i, found := slices.BinarySearchFunc(f.Way, sequence, func(e Event, s uint64) int { return cmp.Compare(s, e.Sequence) })
	if !found {
		return Event{}, false
	}
	return f.Way[i], true
}

// provenHash returns the hash that is proven for a sequence.
func (f *Facts) provenHash(sequence uint64) (chain.Hash, bool) {
	e, found := f.findEvent(sequence)
	return e.Hash, found
}

// straight returns the lowest sequence that previous links alone reach from the checkpoint.
// Down to there the way is the history itself, whatever a skip link states.
func (f *Facts) straight() uint64 {
	low := f.Sequence()
	for _, e := range f.Way {
		if e.Sequence != low || !e.Link {
			break
		}
		low--
	}
	return low
}

// namedBy returns the link that proves the hash of an event below the checkpoint:
// its event, and whether it is the skip link. A previous link goes first, as it
// cannot lead past anything.
func (f *Facts) namedBy(sequence uint64) (by uint64, skip bool) {
	if e, found := f.findEvent(sequence + 1); found && e.Link {
		return e.Sequence, false
	}
	for _, e := range slices.Backward(f.Way) {
		if e.Link && e.Sequence > sequence && chain.Skip(e.Sequence) == sequence {
			return e.Sequence, true
		}
	}
	return 0, false
}
