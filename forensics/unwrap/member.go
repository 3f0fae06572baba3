package unwrap

import (
	"cmp"
	"slices"
)

// EventMembers are the names of an event's members, in the order of the canonical
// form (SPEC 4.2).
func EventMembers() []string { return memberNames[:eventNames] }

// memberBit returns the bit of a name, 0 if it is none of ours.
func memberBit(name []byte) uint16 {
	if len(name) < 4 || len(name) > len("previous_hash") {
		return 0
	}
	for i, known := range memberNames {
		if string(name) == known {
			return 1 << i
		}
	}
	return 0
}

// span is a part of a text.
type span struct{ from, to int }

func (s span) size() int { return s.to - s.from }

// object is a JSON object that was recognised.
type object struct {
	span
	kind   Kind
	others bool             // it has other members, too
	values [eventNames]span // of an event's members, in the order of the canonical form
}

// frame is an object or array that is being read.
type frame struct {
	from    int
	array   bool
	others  bool
	current int8 // the member of an event whose value is read; -1 for another
	names   uint16
	values  [eventNames]span
}

func kindOf(names uint16) Kind {
	switch {
	case names&anEvent == anEvent:
		return Event
	case names&aBundle == aBundle:
		return Bundle
	case names&anEnvelope == anEnvelope:
		return Envelope
	}
	return 0
}

// outermostOf drops matches within another, and orders the others.
func outermostOf(found []object) []object {
	slices.SortFunc(found, func(a, b object) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to))
	})
	kept := found[:0]
	for _, o := range found {
		if len(kept) == 0 || o.from >= kept[len(kept)-1].to {
			kept = append(kept, o)
		}
	}
	return kept
}
