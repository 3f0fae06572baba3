package store

import (
	"iter"
	"math"

	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// nearEvents is how far apart two events of a transaction may be to be read at once: about
// as many are in a block.
const nearEvents = 1 << 10

// ranges yields the stretches of the log that can have copies to select, ascending: all of it,
// or near the events of a transaction in the index, or near the wanted ones of a scan. Entries
// of the index are checked again, so that it decides nothing.
func (s *selection) ranges() iter.Seq2[evidence.Stretch, error] {
	return evidence.Stream(func(yield func(evidence.Stretch) error) error {
		each := s.eachIndexed
		switch {
		case s.needsScan():
			each = s.eachScanned
		case s.about == "" || !s.q.f.indexed:
			return yield(s.in)
		}
		near, open := evidence.Stretch{}, false
		err := each(func(n uint64) error {
			if open && n-near.Last <= nearEvents {
				near.Last = n
				return nil
			}
			before, some := near, open
			if near, open = (evidence.Stretch{First: n, Last: n}), true; some {
				return yield(before)
			}
			return nil
		})
		if err == nil && open {
			err = yield(near)
		}
		return err
	})
}

// eachIndexed calls f with each sequence that the index has of the transaction, ascending.
func (s *selection) eachIndexed(f func(uint64) error) error {
	const query = "SELECT DISTINCT sequence FROM events WHERE transaction_id = ? AND log = ? AND " +
		"sequence BETWEEN ? AND ? ORDER BY sequence"
	clamp := func(n uint64) int64 { return int64(min(n, math.MaxInt64)) }
	return s.q.f.withConn(func(c *sqlite.Conn) error {
		return c.Each(query, []any{s.about, s.q.f.numbers[s.log], clamp(s.in.First), clamp(s.in.Last)},
			func(row *sqlite.Stmt) (err error) {
				if err := s.ctx.Err(); err != nil {
					return err
				}
				n := uint64(row.Int(0))
				s.q.f.yield(c, func() { err = f(n) })
				return err
			})
	})
}
