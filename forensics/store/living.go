package store

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
)

// living is a content without the statements of copies that are no longer there, and without
// logs that have no copies.
type living struct{ part.Logged }

// Logs implements part.Logged.
func (l living) Logs() (all []facts.Log) {
	for _, log := range l.Logged.Logs() {
		for c, err := range l.Logged.Copies(context.Background(), log, 0) {
			if c != nil || err != nil { // which readers of the log get
				all = append(all, log)
			}
			break
		}
	}
	return all
}

// Statements implements part.Logged.
func (l living) Statements(ctx context.Context, log facts.Log, from uint64) iter.Seq2[*part.Statement, error] {
	return func(yield func(*part.Statement, error) bool) {
		next, stop := iter.Pull2(l.Logged.Copies(ctx, log, from))
		defer stop()
		c, err, more := next()
		for s, fault := range l.Logged.Statements(ctx, log, from) {
			if fault != nil {
				yield(nil, fault)
				return
			}
			for more && err == nil && (c.Sequence < s.Sequence ||
				c.Sequence == s.Sequence && slices.Compare(c.Digest[:], s.Digest[:]) < 0) {
				c, err, more = next()
			}
			if err != nil {
				yield(nil, fmt.Errorf("the copies of %s: %w", log.LogID, err))
				return
			}
			if more && c.Sequence == s.Sequence && c.Digest == s.Digest && !yield(s, nil) {
				return
			}
		}
	}
}
