package walk

import (
	"context"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// Signed is events of a log under one key id whose hashes match their contents.
type Signed struct {
	facts.Log
	KeyID     string
	Count     int
	Hash      func(i int) chain.Hash
	Signature func(i int) *[event.SignatureSize]byte
}

// Holds reports whether the key is pinned for the owner of the log, and all signatures hold.
// It does not verify signatures that a judge that remembers knows to hold.
func (g *Judge) Holds(s Signed) (bool, error) {
	j := judged{Event: facts.Event{Header: event.Header{KeyID: s.KeyID}}}
	if g.identify(s.Log, &j); j.owner != pinned {
		return false, nil
	}
	r, _ := scratchMemory.Get().(*scratch)
	defer scratchMemory.Put(r)
	r.claims = r.claims[:0]
	for i := range s.Count {
		r.claims = append(r.claims, claim{s.Hash(i), j.key, s.Signature(i)})
	}
	ctx, together := context.Background(), claimsTogether(r.claims)
	if known, err := g.signatures.areKnown(ctx, together); known || err != nil {
		return known, err
	}
	valid, err := g.signatures.verifyClaims(r)
	if err != nil || slices.Contains(valid, false) {
		return false, err
	}
	return true, g.signatures.keepClaims(ctx, together)
}
