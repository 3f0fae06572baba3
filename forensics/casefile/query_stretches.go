package casefile

import (
	"context"
	"iter"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// Stretch is the sequences from First to Last, both included.
type Stretch struct{ First, Last uint64 }

// Count is how many sequences a stretch has.
func (s Stretch) Count() uint64 { return s.Last - s.First + 1 }

// Stretches yields the sequences of a log that have events, as ranges without a
// gap, ascending.
func (c *Case) Stretches(ctx context.Context, log Log) iter.Seq2[Stretch, error] {
	events := ask("SELECT event & ? FROM events WHERE event BETWEEN ? AND ? ORDER BY event",
		append([]any{int64(maxSequence)}, packedBounds(log, 0, maxSequence)...)...)
	variants := ask("SELECT sequence FROM variants WHERE log = ? ORDER BY sequence", log.Number)
	return stretches(ascending(rows(ctx, c, events, readSequence), rows(ctx, c, variants, readSequence)))
}

// StretchesOf is [Case.Stretches] for the events that one source delivered, first
// or again.
func (v Arrivals) StretchesOf(ctx context.Context, log Log, source int64) iter.Seq2[Stretch, error] {
	const within = " IN (SELECT container FROM containers WHERE source = ?)"
	const events = "SELECT event & ? FROM events e WHERE event BETWEEN ? AND ? AND (container" + within +
		" OR EXISTS (SELECT 1 FROM deliveries d WHERE d.event = e.event AND d.container" + within + ")) ORDER BY event"
	const variants = "SELECT sequence FROM variants v WHERE log = ? AND (container" + within +
		" OR EXISTS (SELECT 1 FROM deliveries d WHERE d.event = -v.variant AND d.container" + within + ")) ORDER BY sequence"
	args := append(append([]any{int64(maxSequence)}, packedBounds(log, 0, maxSequence)...), source, source)
	return stretches(ascending(rows(ctx, v.c, ask(events, args...), readSequence),
		rows(ctx, v.c, ask(variants, log.Number, source, source), readSequence)))
}

// Sizes are the smallest and the largest body of a range of events, in bytes.
type Sizes struct{ Smallest, Largest int64 }

// Sizes returns the smallest and the largest body in a range of a log, including
// those of variants; zeros if there is none.
func (c *Case) Sizes(ctx context.Context, log Log, s Stretch) (Sizes, error) {
	const query = `SELECT coalesce(min(size), 0), coalesce(max(size), 0) FROM (SELECT size FROM events
		WHERE event BETWEEN ? AND ?
		UNION ALL SELECT size FROM variants WHERE log = ? AND sequence BETWEEN ? AND ?)`
	args := append(packedBounds(log, s.First, s.Last), log.Number, clamp(s.First), clamp(s.Last))
	all, err := collect(rows(ctx, c, ask(query, args...), func(s *sqlite.Stmt) (Sizes, error) {
		return Sizes{s.Int(0), s.Int(1)}, nil
	}))
	if err != nil || len(all) == 0 {
		return Sizes{}, err
	}
	return all[0], nil
}

// Batched is one arrival of an event under batch ids.
type Batched struct {
	Sequence uint64
	Hash     [32]byte // as it is written in the event
	Batches  []facts.BatchID
}

// Batched yields every arrival under a batch id of the copies of a range,
// ascending by sequence, hash and ids.
func (v Arrivals) Batched(ctx context.Context, log Log, s Stretch) iter.Seq2[Batched, error] {
	const query = `SELECT event & ?1, hash, ids FROM events JOIN batches USING (batch) WHERE event BETWEEN ?2 AND ?3
		UNION ALL SELECT e.event & ?1, e.hash, b.ids FROM deliveries d JOIN events e USING (event)
			JOIN batches b ON b.batch = d.batch
		WHERE d.event BETWEEN ?2 AND ?3
		UNION ALL SELECT sequence, hash, ids FROM variants JOIN batches USING (batch) WHERE log = ?4 AND sequence BETWEEN ?5
			AND ?6
		UNION ALL SELECT v.sequence, v.hash, b.ids FROM variants v CROSS JOIN deliveries d ON d.event = -v.variant
			JOIN batches b ON b.batch = d.batch
		WHERE v.log = ?4 AND v.sequence BETWEEN ?5 AND ?6 ORDER BY 1, 2, 3`
	args := append([]any{int64(maxSequence)}, packedBounds(log, s.First, s.Last)...)
	args = append(args, log.Number, clamp(s.First), clamp(s.Last))
	return rows(ctx, v.c, ask(query, args...), func(s *sqlite.Stmt) (Batched, error) {
		ids, err := facts.ParseBatches(s.Text(2))
		return Batched{uint64(s.Int(0)), hashOf(s.Blob(1)), ids}, err
	})
}

// BatchShare is the part of a batch that one source delivered of one log.
type BatchShare struct {
	ID              string
	TenantID, LogID string
	Source          int64
	Deliveries      int64
	First, Last     uint64 // the lowest and the highest sequence
}

// BatchShares yields the shares of all batches, ascending by id, those of one
// batch by log and source.
func (v Arrivals) BatchShares(ctx context.Context) iter.Seq2[BatchShare, error] {
	const query = `
	WITH arrivals (batch, log, sequence, container) AS (
	  SELECT batch, event >> 40, event & 0xffffffffff, container FROM events WHERE batch IS NOT NULL
	  UNION ALL SELECT batch, log, sequence, container FROM variants WHERE batch IS NOT NULL
	  UNION ALL SELECT d.batch, coalesce(v.log, d.event >> 40), coalesce(v.sequence, d.event & 0xffffffffff), d.container
	    FROM deliveries d LEFT JOIN variants v ON v.variant = -d.event WHERE d.batch IS NOT NULL),
	ids (batch, id) AS (
	  SELECT DISTINCT batch, substr(value, instr(value, ':') + 1) FROM batches, json_each(batches.ids))
	SELECT id, l.tenant_id, l.log_id, c.source, count(*), min(sequence), max(sequence)
	  FROM arrivals JOIN ids USING (batch) JOIN containers c USING (container) JOIN logs l USING (log)
		JOIN sources s USING (source)
	  GROUP BY id, log, c.source
	  ORDER BY id, l.tenant_id, l.log_id, coalesce(s.sha256, s.read_sha256)`
	return rows(ctx, v.c, ask(query), func(s *sqlite.Stmt) (BatchShare, error) {
		return BatchShare{s.Text(0), s.Text(1), s.Text(2), s.Int(3), s.Int(4),
			uint64(s.Int(5)), uint64(s.Int(6))}, nil
	})
}

// Container returns the format of the container that a place is in, as the
// reader recognised it.
func (v Arrivals) Container(ctx context.Context, p facts.Place) (Container, error) {
	all, err := collect(rows(ctx, v.c, ask("SELECT path, format, why FROM containers WHERE source = ? AND path = ?",
		p.Source, p.Container),
		func(s *sqlite.Stmt) (Container, error) {
			return Container{s.Text(0), s.Text(1), s.Text(2)}, nil
		}))
	if err != nil || len(all) == 0 {
		return Container{}, err
	}
	return all[0], nil
}

// stretches joins ascending sequences into stretches.
func stretches(sequences iter.Seq2[uint64, error]) iter.Seq2[Stretch, error] {
	return func(yield func(Stretch, error) bool) {
		var s Stretch
		open := false
		for n, err := range sequences {
			switch {
			case err != nil:
				yield(Stretch{}, err)
				return
			case open && (n == s.Last || n == s.Last+1):
				s.Last = n
				continue
			case open && !yield(s, nil):
				return
			}
			s, open = Stretch{n, n}, true
		}
		if open {
			yield(s, nil)
		}
	}
}

// ascending merges two ascending sequences.
func ascending(a, b iter.Seq2[uint64, error]) iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		next, stop := iter.Pull2(b)
		defer stop()
		y, fault, more := next()
		for x, err := range a {
			for more && fault == nil && err == nil && y < x {
				if !yield(y, nil) {
					return
				}
				y, fault, more = next()
			}
			if !yield(x, err) || err != nil {
				return
			}
		}
		for ; more; y, fault, more = next() {
			if !yield(y, fault) || fault != nil {
				return
			}
		}
	}
}
