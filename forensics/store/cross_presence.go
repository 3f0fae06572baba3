package store

import (
	"context"
	"iter"
)

// Presence says that a container holds a copy of an event.
type Presence struct {
	Sequence  uint64
	Ref       Ref
	Container int64 // as in [Case.SourceContainers]
}

// Presence yields which containers hold which copies of the events of a log,
// ascending by sequence; those of one sequence are in no order, and a container
// that holds a copy twice is named twice.
func (c *Case) Presence(ctx context.Context, log Log) iter.Seq2[Presence, error] {
	const packed = `SELECT event, container FROM events WHERE event BETWEEN ?1 AND ?2
		UNION ALL SELECT event, container FROM deliveries WHERE event BETWEEN ?1 AND ?2 ORDER BY 1`
	const variants = `SELECT -variant, container, sequence FROM variants WHERE log = ?1
		UNION ALL SELECT d.event, d.container, v.sequence FROM variants v JOIN deliveries d ON d.event = -v.variant WHERE v.log = ?1
		ORDER BY 3, 1`
	first := rows(ctx, c, askLog(packed, log), func(s *stmt) (Presence, error) {
		return Presence{uint64(s.columnInt(0)) & maxSequence, Ref(s.columnInt(0)), s.columnInt(1)}, nil
	})
	others := rows(ctx, c, ask(variants, log.Number), func(s *stmt) (Presence, error) {
		return Presence{uint64(s.columnInt(2)), Ref(s.columnInt(0)), s.columnInt(1)}, nil
	})
	return merged(first, others)
}

// merged merges two sequences, each ascending. It ends at the first error.
func merged(a, b iter.Seq2[Presence, error]) iter.Seq2[Presence, error] {
	return func(yield func(Presence, error) bool) {
		next, stop := iter.Pull2(b)
		defer stop()
		y, err, more := next()
		for x, fault := range a {
			if fault != nil {
				yield(x, fault)
				return
			}
			for ; more && err == nil && y.Sequence < x.Sequence; y, err, more = next() {
				if !yield(y, nil) {
					return
				}
			}
			if !yield(x, nil) {
				return
			}
		}
		for ; more; y, err, more = next() {
			if !yield(y, err) || err != nil {
				return
			}
		}
	}
}
