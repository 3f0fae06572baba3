package forensics

import (
	"context"
	"crypto/sha256"
	"sync"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/walk"
)

// Signatures remembers in a case which signatures held. It may be used by
// several goroutines, and keeps the writer to itself while it writes.
type Signatures struct {
	mu sync.Mutex
	w  *store.Writer
}

var _ walk.Signatures = (*Signatures)(nil)

// NewSignatures returns the signatures that a case remembers.
func NewSignatures(w *store.Writer) *Signatures { return &Signatures{w: w} }

// Known sets known[i] where claims[i] was kept before.
func (s *Signatures) Known(ctx context.Context, claims []walk.Claim, known []bool) error {
	return s.w.KnownSignatures(ctx, digests(claims), known)
}

// Keep remembers claims that hold.
func (s *Signatures) Keep(_ context.Context, claims []walk.Claim) error {
	if len(claims) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.KeepSignatures(digests(claims))
}

// digests returns what claims are remembered by: key, message and signature are
// all of fixed length, so that no two claims share their bytes.
func digests(claims []walk.Claim) []chain.Hash {
	all := make([]chain.Hash, len(claims))
	var b []byte
	for i := range claims {
		c := &claims[i]
		b = append(append(append(b[:0], c.Key[:]...), c.Hash[:]...), c.Signature[:]...)
		all[i] = sha256.Sum256(b)
	}
	return all
}
