package read

import (
	"bytes"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/unwrap"
)

// recordedHash returns the hash that is written in an event.
func recordedHash(m *unwrap.Match) (string, bool) {
	const digits = 64
	if m.Kind != unwrap.Event {
		return "", false
	}
	hash := bytes.Trim(find(m.Body, "hash"), `"`)
	return string(hash), len(hash) == digits
}

// alike reports whether two copies are written in the same way, or stand on
// different lines of text.
func alike(part []byte, a, b *unwrap.Match) bool {
	if part[0] != '{' && part[0] != '[' && bytes.IndexByte(part[a.Start:max(a.Start, b.Start)], '\n') >= 0 {
		return true
	}
	return a.Rebuilt == b.Rebuilt && slices.Equal(a.Steps, b.Steps)
}

// better reports whether a is a more faithful copy than b.
func better(a, b *unwrap.Match) bool {
	if holds := unwrap.Holds(a.Body); holds != unwrap.Holds(b.Body) {
		return holds
	}
	if a.Rebuilt != b.Rebuilt {
		return b.Rebuilt
	}
	return len(a.Steps) < len(b.Steps)
}
