package casefile

import (
	"context"
	"iter"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// packed yields the first arrivals of the packed rows of a log, page by page.
func (a *arrivals) packed(ctx context.Context, c *Case, log Log) iter.Seq2[Arrived, error] {
	return stream(func(yield func(Arrived, error) bool) error {
		return c.read(func(r *sqlite.Conn) error {
			return r.Snapshot(func() error {
				t, err := sqlite.OpenTree(r, "events")
				if err != nil {
					return err
				}
				defer t.Close()
				t.Between(packedRange(log, 0, maxSequence))
				return a.readPages(ctx, r, t, yield)
			})
		})
	})
}

func (a *arrivals) readPages(ctx context.Context, r *sqlite.Conn, t *sqlite.Tree,
	yield func(Arrived, error) bool) error {
	var f [columnCount]sqlite.Field
	for n := 0; ; n++ {
		if n%contextEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row, record, more, err := t.Next()
		if err != nil || !more {
			return err
		}
		one, ok := Arrived{}, sqlite.ReadFields(record, f[:])
		if ok {
			one, ok = a.ofFields(row, f[:])
		}
		if !ok {
			one, err = a.ofRow(r, row)
		}
		if err != nil {
			return err
		}
		if !yield(one, nil) {
			return errStop
		}
	}
}

// ofFields makes an arrival of the columns of events.
func (a *arrivals) ofFields(row int64, f []sqlite.Field) (one Arrived, ok bool) {
	byReference, ok := one.ofRecord(f)
	one.Ref, one.Sequence = facts.Ref(row), uint64(row)&maxSequence
	a.locate(&one, byReference)
	return one, ok
}

// ofRow has the engine read a row that does not stand in one page.
func (a *arrivals) ofRow(r *sqlite.Conn, row int64) (one Arrived, err error) {
	err = sqlite.ErrDamaged
	fault := r.Each(ofEvents(copyColumns, "event = ?"), []any{row}, func(s *sqlite.Stmt) error {
		one, err = a.readPacked(s)
		return nil
	})
	if fault != nil {
		err = fault
	}
	return one, err
}

// readPacked reads the first arrival of a row of events.
func (a *arrivals) readPacked(s *sqlite.Stmt) (one Arrived, err error) {
	byReference := one.ofRow(s)
	one.Ref = facts.Ref(s.Int(colEvent))
	one.Sequence = uint64(one.Ref) & maxSequence
	a.locate(&one, byReference)
	return one, nil
}
