package casefile

import (
	"context"
	"iter"

	"github.com/svc-edge/svc-verify/forensics/casefile/sqlite"
)

// packed yields the first arrivals of the packed rows of a log, page by page.
func (a *arrivals) packed(ctx context.Context, c *Case, log Log) iter.Seq2[Arrived, error] {
	return func(yield func(Arrived, error) bool) {
		err := c.read(func(r *sqlite.Conn) error {
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
		if err != nil && err != errStop {
			yield(Arrived{}, err)
		}
	}
}

func (a *arrivals) readPages(ctx context.Context, r *sqlite.Conn, t *sqlite.Tree, yield func(Arrived, error) bool) error {
	var f [20]sqlite.Field
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
func (a *arrivals) ofFields(row int64, f []sqlite.Field) (Arrived, bool) {
	var v [7]int64
	for i, column := range []int{8, 10, 14, 17, 15, 19, 18} {
		value, ok := f[column].Int()
		if null := f[column].Null(); !ok && (!null || i < 5) { // observed_at and batch can be absent
			return Arrived{}, false
		}
		v[i] = value
	}
	in := a.places[v[2]]
	one := Arrived{Ref: Ref(row), Sequence: uint64(row) & maxSequence, OccurredAt: v[0], Fidelity: Fidelity(v[1]),
		Container: v[2], Source: in[0], Record: v[3], ObservedAt: v[5], Batch: v[6], place: [3]int64{in[1], v[3], v[4]}}
	if f[11].Null() { // by reference
		one.HeldBy = one.Source
	}
	return one, true
}

// ofRow has the engine read a row that does not stand in one page.
func (a *arrivals) ofRow(r *sqlite.Conn, row int64) (one Arrived, err error) {
	err = sqlite.ErrDamaged
	const query = "SELECT event & 0xffffffffff, event, " + arrivedColumns + ", coalesce(batch, 0) FROM events WHERE event = ?"
	fault := r.Each(query, []any{row}, func(s *sqlite.Stmt) error {
		one, err = a.readCopy(s)
		return nil
	})
	if fault != nil {
		err = fault
	}
	return one, err
}
