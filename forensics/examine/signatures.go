package examine

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/walk"
)

// Signatures remembers in a case which signatures held. It may be used by
// several goroutines, and keeps the writer to itself while it writes.
type Signatures struct {
	mu      sync.Mutex
	w       *store.Writer
	pending int // signatures that a walk would have to verify again if it were killed

	known atomic.Int64 // signatures that were known
}

// mostPending bounds them: less than a second's work.
const mostPending = 1 << 16

var _ walk.Signatures = (*Signatures)(nil)

// NewSignatures returns the signatures that a case remembers.
func NewSignatures(w *store.Writer) *Signatures { return &Signatures{w: w} }

// Known reports whether the claims were kept before.
func (s *Signatures) Known(ctx context.Context, c walk.Claims) (bool, error) {
	known := []bool{false}
	err := s.w.Kept().Signatures(ctx, []chain.Hash{c.SHA256}, known)
	if known[0] {
		s.known.Add(int64(c.Count))
	}
	return known[0], err
}

// Keep remembers claims that hold.
func (s *Signatures) Keep(_ context.Context, c walk.Claims) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.w.KeepSignatures([]chain.Hash{c.SHA256}); err != nil {
		return err
	}
	if s.pending += c.Count; s.pending < mostPending {
		return nil
	}
	s.pending = 0
	return s.w.Commit()
}
