package walk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"sync"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/internal/eddsa"
	"github.com/svc-edge/svc-verify/trust"
)

// claim is the claim of one signature: that a key signed a hash.
type claim struct {
	hash      chain.Hash
	key       *trust.Key
	signature *[event.SignatureSize]byte
}

// signatures verifies claims in bulk. It is safe for concurrent use.
type signatures struct {
	earlier Signatures // nil: nothing is remembered
	keys    *eddsa.Keys
}

func newSignatures(earlier Signatures) *signatures {
	return &signatures{earlier: earlier, keys: eddsa.NewKeys(eddsa.MostTables)}
}

// areKnown reports whether claims were found to hold earlier.
func (s *signatures) areKnown(ctx context.Context, c Claims) (bool, error) {
	if s.earlier == nil || c.Count == 0 {
		return false, nil
	}
	return s.earlier.Known(ctx, c)
}

// keepClaims remembers claims that hold.
func (s *signatures) keepClaims(ctx context.Context, c Claims) error {
	if s.earlier == nil || c.Count == 0 {
		return nil
	}
	return s.earlier.Keep(ctx, c)
}

// scratch is the memory for verifying, used again and again.
type scratch struct {
	claims []claim
	at     []int // of the copies that the claims are of
	items  []eddsa.Item
	arena  []byte
	valid  []bool
}

var scratchMemory = sync.Pool{New: func() any { return new(scratch) }}

// verifyClaims returns which of the claims hold, until the scratch memory is used
// again.
func (s *signatures) verifyClaims(r *scratch) ([]bool, error) {
	r.writeMessages()
	first, same := r.claims[0].key, true
	for i := range r.claims {
		same = same && r.claims[i].key == first
	}
	if same {
		return r.valid, s.keys.Of(first.Public).Verify(r.items, r.valid)
	}
	byKey := map[trust.PublicKey][]int{}
	for i := range r.claims {
		byKey[r.claims[i].key.Public] = append(byKey[r.claims[i].key.Public], i)
	}
	for public, at := range byKey {
		if err := s.verifyUnder(s.keys.Of(public), r, at); err != nil {
			return nil, err
		}
	}
	return r.valid, nil
}

// writeMessages writes the signed bytes: the PAE of 32 bytes, so that all messages are alike up to
// their end (SPEC 4.2).
func (r *scratch) writeMessages() {
	r.items, r.arena, r.valid = r.items[:0], r.arena[:0], r.valid[:0]
	for i := range r.claims {
		c := &r.claims[i]
		r.arena = append(append(r.arena, paeOfHash...), c.hash[:]...)
		r.items = append(r.items, eddsa.Item{Signature: c.signature[:]})
		r.valid = append(r.valid, false)
	}
	size := len(paeOfHash) + sha256.Size
	for i := range r.items {
		r.items[i].Message = r.arena[i*size : (i+1)*size : (i+1)*size]
	}
}

// paeOfHash is the beginning of the PAE of an event's hash.
var paeOfHash = bytes.TrimRight(trust.PAE(event.Protocol, make([]byte, sha256.Size)), "\x00")

// verifyUnder verifies those claims at the given places, all under one key.
func (s *signatures) verifyUnder(key *eddsa.Key, r *scratch, at []int) error {
	own, hold := make([]eddsa.Item, len(at)), make([]bool, len(at))
	for i, j := range at {
		own[i] = r.items[j]
	}
	if err := key.Verify(own, hold); err != nil {
		return err
	}
	for i, j := range at {
		r.valid[j] = hold[i]
	}
	return nil
}
