package store

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
)

// usedRows deletes the rows of runs that are merged, log by log.
type usedRows struct {
	w    *output
	runs []int64
	log  int64                     // that is merged
	left map[int64][]part.RowFrame // of each run: its blocks of the log that are not deleted
}

// delete deletes the blocks of a log below the newest written ones, and all rows of the log
// before. Their content was read.
func (u *usedRows) delete(log int64, f part.RowFrame) error {
	if u.log != log {
		for _, rows := range u.left {
			if err := u.deleteRows(rows); err != nil {
				return err
			}
		}
		u.log, u.left = log, map[int64][]part.RowFrame{}
		for _, run := range u.runs {
			u.left[run] = u.w.earlier.runs[run].frames[log]
		}
	}
	if f.Kind != part.Copies {
		return nil
	}
	for run, rows := range u.left {
		n := 0
		for n < len(rows) && rows[n].Kind == part.Copies && rows[n].Last < f.Last {
			n++
		}
		if err := u.deleteRows(rows[:n]); err != nil {
			return err
		}
		u.left[run] = rows[n:]
	}
	return nil
}

func (u *usedRows) deleteRows(rows []part.RowFrame) (err error) {
	for _, f := range rows {
		if f.Kind == part.Copies {
			err = u.w.conn.Run("DELETE FROM blocks WHERE block = ?", f.Row>>1)
		} else {
			err = u.w.conn.Run("DELETE FROM statements WHERE statement = ?", f.Row>>1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// counted is a content whose batches are counted from the copies that were read of it, log by
// log.
type counted struct {
	part.Logged
	found []*part.Batch
}

// Copies implements part.Logged. A caller that reads a log must read all of it.
func (c *counted) Copies(ctx context.Context, log facts.Log, from uint64) iter.Seq2[*part.Copy, error] {
	return func(yield func(*part.Copy, error) bool) {
		b := part.NewBatcher(log, func(found *part.Batch) { c.found = append(c.found, found) })
		defer b.End()
		for v, err := range c.Logged.Copies(ctx, log, from) {
			if err == nil {
				b.Add(v)
			}
			if !yield(v, err) {
				return
			}
		}
	}
}

// Batches implements part.Logged.
func (c *counted) Batches(context.Context) iter.Seq2[*part.Batch, error] {
	sortBatches(c.found)
	return func(yield func(*part.Batch, error) bool) {
		for _, b := range c.found {
			if !yield(b, nil) {
				return
			}
		}
	}
}

// sortBatches brings batches into their order.
func sortBatches(all []*part.Batch) {
	slices.SortFunc(all, func(a, b *part.Batch) int {
		return cmp.Or(strings.Compare(a.ID, b.ID), a.Log.Compare(b.Log), cmp.Compare(a.First, b.First))
	})
}
