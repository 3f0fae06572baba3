package walk

import (
	"context"
	"crypto/sha256"
	"sync"

	"github.com/svc-edge/svc-verify/internal/event"
	"github.com/svc-edge/svc-verify/internal/keyed"
	"github.com/svc-edge/svc-verify/trust"
)

// signatures verifies claims in bulk. It is safe for concurrent use.
type signatures struct {
	earlier Signatures // nil: nothing is remembered

	mu   sync.Mutex
	keys map[trust.PublicKey]*keyed.Key
}

func newSignatures(earlier Signatures) *signatures {
	return &signatures{earlier: earlier, keys: map[trust.PublicKey]*keyed.Key{}}
}

// verify sets valid[i] to whether claims[i] holds.
func (s *signatures) verify(ctx context.Context, claims []Claim, valid []bool) error {
	if s.earlier == nil {
		return s.compute(claims, valid)
	}
	if err := s.earlier.Known(ctx, claims, valid); err != nil {
		return err
	}
	var fresh []Claim
	var at []int
	for i, known := range valid {
		if !known {
			fresh, at = append(fresh, claims[i]), append(at, i)
		}
	}
	found := make([]bool, len(fresh))
	if err := s.compute(fresh, found); err != nil {
		return err
	}
	var hold []Claim
	for i, ok := range found {
		if ok {
			valid[at[i]], hold = true, append(hold, fresh[i])
		}
	}
	return s.earlier.Keep(ctx, hold)
}

// compute verifies claims, the signatures under one key together.
func (s *signatures) compute(claims []Claim, valid []bool) error {
	// What is signed is the PAE of 32 bytes, so that all messages are alike up
	// to their end (SPEC 4.2).
	pae := trust.PAE(event.Protocol, make([]byte, sha256.Size))
	arena := make([]byte, 0, len(claims)*len(pae))
	byKey := map[trust.PublicKey][]int{}
	items := make([]keyed.Item, len(claims))
	for i := range claims {
		start := len(arena)
		arena = append(append(arena, pae[:len(pae)-sha256.Size]...), claims[i].Hash[:]...)
		items[i] = keyed.Item{Message: arena[start:len(arena):len(arena)], Signature: claims[i].Signature[:]}
		byKey[claims[i].Key] = append(byKey[claims[i].Key], i)
	}
	for public, at := range byKey {
		if err := s.computeUnder(s.key(public), items, at, valid); err != nil {
			return err
		}
	}
	return nil
}

func (s *signatures) computeUnder(key *keyed.Key, items []keyed.Item, at []int, valid []bool) error {
	own, hold := make([]keyed.Item, len(at)), make([]bool, len(at))
	for i, j := range at {
		own[i] = items[j]
	}
	if err := key.Verify(own, hold); err != nil {
		return err
	}
	for i, j := range at {
		valid[j] = hold[i]
	}
	return nil
}

// key returns the verifier of a public key, the same one for the whole walk: it
// gets faster with use.
func (s *signatures) key(public trust.PublicKey) *keyed.Key {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, ok := s.keys[public]
	if !ok {
		k = keyed.New(public)
		s.keys[public] = k
	}
	return k
}
