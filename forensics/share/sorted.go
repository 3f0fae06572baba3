package share

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
)

// sorted is the records of a run in their order, as a [part.Content]. Sources and
// containers have the numbers of the worker.
type sorted struct {
	*run
	header part.Header
	shares []part.Share
	order  []*log      // by log
	ids    []facts.Log // in that order
}

var _ part.Content = (*sorted)(nil)

// sort brings the records into their order, once all are judged.
func (r *run) sort() (*sorted, error) {
	if err := r.judges.settle(); err != nil {
		return nil, err
	}
	order := slices.Clone(r.logs)
	slices.SortFunc(order, func(a, b *log) int { return a.Compare(b.Log) })
	for _, l := range order {
		if !l.sorted {
			slices.SortFunc(l.entries, r.compare)
			l.sorted = true
		}
	}
	s := &sorted{run: r, order: order}
	for _, l := range order {
		s.ids = append(s.ids, l.Log)
	}
	return s, nil
}

// compare orders the entries of a log. Arrivals of one copy keep the order in which
// they came.
func (r *run) compare(a, b uint32) int {
	x, y := r.entry(a), r.entry(b)
	return cmp.Or(cmp.Compare(x.sequence, y.sequence), bytes.Compare(x.digest[:], y.digest[:]), cmp.Compare(a, b))
}

// Header implements part.Content.
func (s *sorted) Header() part.Header { return s.header }

// Shares implements part.Content.
func (s *sorted) Shares() []part.Share { return s.shares }

// Unread implements part.Content.
func (s *sorted) Unread() []facts.Unread { return nil }

// Skips implements part.Content. They are not in a run: see [skips].
func (s *sorted) Skips(context.Context) iter.Seq2[*part.Skip, error] {
	return func(func(*part.Skip, error) bool) {}
}

// Documents implements part.Content.
func (s *sorted) Documents(ctx context.Context) iter.Seq2[*part.Document, error] {
	return func(yield func(*part.Document, error) bool) {
		sums := slices.SortedFunc(maps.Keys(s.documents), func(a, b chain.Hash) int { return bytes.Compare(a[:], b[:]) })
		for _, sum := range sums {
			if !yield(s.documents[sum], ctx.Err()) {
				return
			}
		}
	}
}

// Logs implements part.Content.
func (s *sorted) Logs() []facts.Log { return s.ids }

// from returns the entries of a log from a sequence on.
func (s *sorted) from(id facts.Log, sequence uint64) []uint32 {
	n, ok := s.logNumbers[id]
	if !ok {
		return nil
	}
	all := s.logs[n].entries
	return all[sort.Search(len(all), func(i int) bool { return s.entry(all[i]).sequence >= sequence }):]
}

// copies yields the arrivals of each copy from a sequence on.
func (s *sorted) copies(ctx context.Context, id facts.Log, from uint64) iter.Seq2[[]uint32, error] {
	return func(yield func([]uint32, error) bool) {
		for rest := s.from(id, from); len(rest) > 0; {
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

// Copies implements part.Content.
func (s *sorted) Copies(ctx context.Context, id facts.Log, from uint64) iter.Seq2[*part.Copy, error] {
	return func(yield func(*part.Copy, error) bool) {
		var c part.Copy
		for all, err := range s.copies(ctx, id, from) {
			if err != nil {
				yield(nil, err)
				return
			}
			e := s.entry(all[0])
			c = part.Copy{Digest: e.digest, Size: int64(e.size), Arrivals: c.Arrivals[:0]}
			c.Link = chain.Link{Sequence: e.sequence, Previous: e.previous, Skip: e.skip}
			c.Recorded, c.Computed, c.Signed = e.recorded, e.computed, e.signed
			c.KeyID, c.Type, c.OccurredAt = s.names.texts[e.key], s.names.texts[e.kind], e.occurredAt
			for _, n := range all {
				e := s.entry(n)
				c.Arrivals = append(c.Arrivals, part.Arrival{Place: part.Place{Share: int(e.source), Container: int(e.container),
					Offset: e.offset, Length: e.length, Record: e.record}, Fidelity: e.fidelity,
					Batch: s.names.texts[e.batch], ObservedAt: e.observedAt})
			}
			if !yield(&c, nil) {
				return
			}
		}
	}
}

// Statements implements part.Content.
func (s *sorted) Statements(ctx context.Context, id facts.Log, from uint64) iter.Seq2[*part.Statement, error] {
	return func(yield func(*part.Statement, error) bool) {
		var out part.Statement
		for all, err := range s.copies(ctx, id, from) {
			if err != nil {
				yield(nil, err)
				return
			}
			e := s.entry(all[0])
			if e.statement == 0 {
				continue
			}
			said := &s.statements[e.statement-1]
			out = part.Statement{Sequence: e.sequence, Digest: e.digest, Type: s.names.texts[e.kind],
				TransactionID: string(s.at(said.transaction))}
			if e.valid() {
				out.Said = s.at(said.said)
			}
			if !yield(&out, nil) {
				return
			}
		}
	}
}

func (r *run) at(s span) []byte { return r.texts[s.start:s.end:s.end] }

// Batches implements part.Content.
func (s *sorted) Batches(ctx context.Context) iter.Seq2[*part.Batch, error] {
	return func(yield func(*part.Batch, error) bool) {
		var all []*part.Batch
		for _, l := range s.order {
			if !s.batched {
				return
			}
			b := part.NewBatcher(l.Log, func(found *part.Batch) { all = append(all, found) })
			for c, err := range s.Copies(ctx, l.Log, 0) {
				if err != nil {
					yield(nil, err)
					return
				}
				b.Add(c)
			}
			b.End()
		}
		slices.SortFunc(all, func(a, b *part.Batch) int {
			return cmp.Or(strings.Compare(a.ID, b.ID), a.Log.Compare(b.Log), cmp.Compare(a.First, b.First))
		})
		for _, b := range all {
			if !yield(b, nil) {
				return
			}
		}
	}
}
