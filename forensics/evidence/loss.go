package evidence

import (
	"encoding/base64"
	"slices"
	"unicode/utf8"

	"github.com/svc-edge/svc-verify/internal/ijson"
)

// A transport leaves a mark where it lost something: the replacement character for bytes
// that it could not read as text, or base64 for text that it read as bytes. Only the marked
// value may differ. Otherwise an attacker could alter an event and damage one character
// elsewhere to hide it.
//
// White space, the order of members, escapes and the spelling of numbers are no losses:
// events that differ only in these have the same canonical form (SPEC 1.3).

// LossExplains reports whether every difference between a genuine event and a copy is
// a loss in the copy. Both are canonical JSON. It returns false for two equal
// events and for text that is not I-JSON.
func LossExplains(genuine, copied []byte) bool {
	if slices.Equal(genuine, copied) {
		return false
	}
	a, fault := ijson.Parse(genuine)
	if fault != nil {
		return false
	}
	b, fault := ijson.Parse(copied)
	c := comparison{}
	return fault == nil && c.explains(a, b)
}

// comparison is one of two events. It counts its steps.
type comparison struct{ steps int }

// explains reports whether the copy is the genuine value but for losses.
func (c *comparison) explains(genuine, copied *ijson.Value) bool {
	if genuine.Kind() != copied.Kind() {
		return false
	}
	switch genuine.Kind() {
	case ijson.Object:
		return slices.EqualFunc(genuine.Members(), copied.Members(), func(a, b ijson.Member) bool {
			return a.Name == b.Name && c.explains(a.Value, b.Value)
		})
	case ijson.Array:
		return slices.EqualFunc(genuine.Elements(), copied.Elements(), c.explains)
	case ijson.String:
		return c.ofText(genuine.Text(), copied.Text())
	}
	return slices.Equal(genuine.Raw(), copied.Raw())
}

// ofText reports whether a string is the genuine one, or its remainder.
func (c *comparison) ofText(genuine, copied string) bool {
	return genuine == copied || base64.StdEncoding.EncodeToString([]byte(genuine)) == copied || c.leaves(genuine, copied)
}

const (
	// mostReplaced bounds the bytes of the genuine text that one replacement character
	// replaces: the bytes of one character.
	mostReplaced = utf8.UTFMax

	// mostSteps bounds the comparison of two events. Where a string is mostly replaced, there
	// are very many ways to lay it over the other. A difference that needs more steps is not
	// explained.
	mostSteps = 1 << 22
)

// leaves reports whether the copy is the genuine text with bytes replaced: each replacement
// character replaces one to four bytes, and one at the end also everything after it, since a
// text is cut in the middle of a character.
func (c *comparison) leaves(genuine, copied string) bool {
	at := []int{0} // where in the genuine text the copy can have come to, ascending
	replaced := false
	for i, r := range copied {
		size := utf8.RuneLen(r)
		if c.steps += len(at); c.steps > mostSteps {
			return false
		}
		if r != utf8.RuneError {
			at = passCharacter(genuine, copied[i:i+size], at)
			continue
		}
		replaced = true
		if i+size == len(copied) {
			return len(at) > 0 && at[0] < len(genuine)
		}
		at = skipReplaced(genuine, at)
	}
	return replaced && slices.Contains(at, len(genuine))
}

// passCharacter advances over a character that both have.
func passCharacter(genuine, character string, at []int) []int {
	next := at[:0]
	for _, n := range at {
		if len(genuine)-n >= len(character) && genuine[n:n+len(character)] == character {
			next = append(next, n+len(character))
		}
	}
	return next
}

// skipReplaced advances over the bytes that one replacement character replaces.
func skipReplaced(genuine string, at []int) []int {
	var next []int
	for _, n := range at {
		for to := n + 1; to <= min(n+mostReplaced, len(genuine)); to++ {
			if len(next) == 0 || next[len(next)-1] < to {
				next = append(next, to)
			}
		}
	}
	return next
}
