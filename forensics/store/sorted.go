package store

import (
	"context"
	"iter"
	"sort"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
)

// sorted is a run in its order.
type sorted struct {
	*run
	shares []part.Share
	order  []*log
}

var _ part.Logged = (*sorted)(nil)

// Shares implements part.Logged.
func (s *sorted) Shares() []part.Share { return s.shares }

// Logs implements part.Logged.
func (s *sorted) Logs() []facts.Log {
	all := make([]facts.Log, len(s.order))
	for i, l := range s.order {
		all[i] = l.Log
	}
	return all
}

// same yields the arrivals of each copy of a log from a sequence on.
func (s *sorted) same(ctx context.Context, id facts.Log, from uint64) iter.Seq2[[]uint32, error] {
	return func(yield func([]uint32, error) bool) {
		n, ok := s.logNumbers[id]
		if !ok {
			return
		}
		rest := s.logs[n].entries
		rest = rest[sort.Search(len(rest), func(i int) bool { return s.entry(rest[i]).sequence >= from }):]
		for len(rest) > 0 {
			first, n := s.entry(rest[0]), 1
			for n < len(rest) && s.entry(rest[n]).sequence == first.sequence && s.entry(rest[n]).digest == first.digest {
				n++
			}
			if !yield(rest[:n], ctx.Err()) {
				return
			}
			rest = rest[n:]
		}
	}
}

// Copies implements part.Logged.
func (s *sorted) Copies(ctx context.Context, id facts.Log, from uint64) iter.Seq2[*part.Copy, error] {
	return func(yield func(*part.Copy, error) bool) {
		var c part.Copy
		for all, err := range s.same(ctx, id, from) {
			if err != nil {
				yield(nil, err)
				return
			}
			if s.copyOf(&c, all); !yield(&c, nil) {
				return
			}
		}
	}
}

// sources returns the sources of the entries, by number.
func (s *sorted) sources() map[int64]bool {
	all := map[int64]bool{}
	last := uint32(0)
	for _, entries := range s.run.blocks {
		for i := range entries {
			if n := entries[i].source; n != last || len(all) == 0 {
				all[int64(n)+1], last = true, n
			}
		}
	}
	return all
}

// copyOf sets a copy to the one that arrivals are of.
func (s *sorted) copyOf(c *part.Copy, all []uint32) {
	e := s.entry(all[0])
	*c = part.Copy{Digest: e.digest, Size: int64(e.size), Body: e.body, Arrivals: c.Arrivals[:0]}
	c.Link = chain.Link{Sequence: e.sequence, Previous: e.previous, Skip: e.skip}
	c.Recorded, c.Computed, c.Signature, c.Signed = e.recorded, e.computed, e.signature, e.signed
	c.KeyID, c.Type, c.OccurredAt = s.names.texts[e.key], s.names.texts[e.kind], e.occurredAt
	for _, n := range all {
		e := s.entry(n)
		c.Arrivals = append(c.Arrivals, part.Arrival{Place: part.Place{Share: int(e.source), Container: int(e.container),
			Offset: e.offset, Length: e.length, Record: e.record}, Fidelity: e.fidelity,
			Batch: s.names.texts[e.batch], ObservedAt: e.observedAt})
	}
}

// Statements implements part.Logged.
func (s *sorted) Statements(ctx context.Context, id facts.Log, from uint64) iter.Seq2[*part.Statement, error] {
	return func(yield func(*part.Statement, error) bool) {
		var out part.Statement
		if len(s.statements) == 0 {
			return
		}
		for all, err := range s.same(ctx, id, from) {
			if err != nil {
				yield(nil, err)
				return
			}
			e := s.entry(all[0])
			if e.statement == 0 || e.held {
				continue
			}
			one := &s.run.statements[e.statement-1]
			out = part.Statement{Sequence: e.sequence, Digest: e.digest, Type: s.names.texts[e.kind],
				TransactionID: string(s.textAt(one.transaction))}
			if e.signed == event.Unjudged || e.isGenuine() {
				out.Said = s.textAt(one.said)
			}
			if !yield(&out, nil) {
				return
			}
		}
	}
}

// isGenuine reports whether a copy gives its own hash, and its log's owner signed that.
func (e *entry) isGenuine() bool { return e.signed == event.OverContent && e.computed == e.recorded }

func (r *run) textAt(s span) []byte { return r.texts[s.start:s.end:s.end] }

// Batches implements part.Logged: [counted] finds them.
func (s *sorted) Batches(context.Context) iter.Seq2[*part.Batch, error] {
	return func(func(*part.Batch, error) bool) {}
}
