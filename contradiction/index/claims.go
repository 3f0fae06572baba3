package index

import (
	"encoding/binary"
	"iter"

	"github.com/svc-edge/svc-verify/contradiction"
)

// kindHead is a kind of claim that only the index has, the last that a record has
// room for: tenant and sequence → the head of a checkpoint. The head is among the
// claims of contradiction.KindHash too. As a kind of its own, two checkpoints with
// different heads are found even where an earlier bundle contradicts one of them by
// some link.
const kindHead contradiction.Kind = kinds - 1

// indexedClaims yields the claims of a bundle that are indexed. Key and value are valid
// until the next claim.
func indexedClaims(f *contradiction.Facts) iter.Seq[contradiction.Claim] {
	return func(yield func(contradiction.Claim) bool) {
		key := binary.BigEndian.AppendUint64(append([]byte(f.Tenant), 0), f.Sequence())
		head := f.Head()
		if yield(contradiction.Claim{Kind: kindHead, Key: key, Value: head[:]}) {
			f.Claims()(yield)
		}
	}
}

// claimed contains the claims of a bundle, by kind and key.
type claimed map[string][]byte

func newClaimed(f *contradiction.Facts) claimed {
	m := claimed{}
	for c := range indexedClaims(f) {
		m[string(byte(c.Kind))+string(c.Key)] = append([]byte(nil), c.Value...)
	}
	return m
}

// clashes reports whether another bundle clashes with this one in a kind.
func (m claimed) clashes(kind contradiction.Kind, other *contradiction.Facts) bool {
	var name []byte
	for c := range indexedClaims(other) {
		if c.Kind != kind {
			continue
		}
		name = append(append(name[:0], byte(kind)), c.Key...)
		if value, found := m[string(name)]; found && kind.Clash(value, c.Value) {
			return true
		}
	}
	return false
}
