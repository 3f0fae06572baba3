package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/part"
)

// mostMerged is how many runs are merged at once: each needs memory for a block of its copies.
const mostMerged = 32

// MergeRuns makes one run of those whose copies of a log overlap, as they do where several
// sources have it. No body is written again. If it does not come to its end, the store is as
// it was before, or as it was between two steps.
func (w *Writer) MergeRuns(ctx context.Context) error {
	for runs := w.earlier.overlapping(); len(runs) > 1; runs = w.earlier.overlapping() {
		if err := w.mergeSome(ctx, runs[:min(len(runs), mostMerged)], nil); err != nil {
			return err
		}
	}
	return nil
}

// Tidy commits, and keeps the number of runs small: it merges small ones of like size, so
// that each event is written again a few times at most, however many runs come.
func (w *Writer) Tidy(ctx context.Context) error {
	if err := w.Commit(); err != nil {
		return err
	}
	for runs := w.earlier.alike(); len(runs) > 1; runs = w.earlier.alike() {
		if err := w.mergeSome(ctx, runs, nil); err != nil {
			return err
		}
	}
	return nil
}

// mergeLike makes one run of those that overlap, but for runs that are much larger than the
// others: else a large case would be written again for every small source.
func (w *output) mergeLike(ctx context.Context) error {
	for {
		runs := w.earlier.upToMuchLarger(w.earlier.overlapping())
		if len(runs) < 2 {
			return nil
		}
		if err := w.mergeSome(ctx, runs, nil); err != nil {
			return err
		}
	}
}

// mostFree is one in how many pages may be free: later ingests use them.
const mostFree = 2

// giveBack makes the file smaller if a large part of it is free.
func (w *output) giveBack() error {
	if !w.conn.Autocommit() || w.judges != nil {
		return nil
	}
	free, err := w.conn.Number("PRAGMA freelist_count")
	if err != nil {
		return err
	}
	pages, err := w.conn.Number("PRAGMA page_count")
	if err != nil || free <= pages/mostFree {
		return err
	}
	if err := w.beginChange(); err != nil {
		return err
	}
	if err := w.conn.Exec("COMMIT"); err != nil {
		return err
	}
	return w.conn.Vacuum()
}

// mergeSome makes one run of some, without the content of sources that are gone.
func (w *output) mergeSome(ctx context.Context, runs, gone []int64) error {
	if err := w.beginChange(); err != nil {
		return err
	}
	err := w.writeMerged(ctx, runs, gone)
	if err == nil {
		err = w.deleteRuns(runs)
	}
	if err != nil {
		return errors.Join(err, w.conn.Rollback())
	}
	return w.conn.Exec("COMMIT")
}

// writeMerged writes runs as one. The rows of each log are deleted as they are used, so that
// their pages are used again; not where sources are gone, as copies are read twice then, and
// not where the rollback journal is in memory.
func (w *output) writeMerged(ctx context.Context, runs, gone []int64) error {
	content, err := w.earlier.union(runs, connRows{w.conn}, w.provisional(), gone)
	if err != nil {
		return err
	}
	logs := content.Logs()
	numbers := make([]int64, len(logs))
	for i, l := range logs {
		numbers[i] = w.logs[l]
	}
	var used *usedRows
	if len(gone) == 0 && w.judges == nil {
		used = &usedRows{w: w, runs: runs}
	}
	switch batched := w.earlier.batched(runs); {
	case len(gone) > 0:
		content = living{content}
	case batched:
		content = &counted{Logged: content}
	}
	run := w.next.run
	w.next.run++
	if err := w.moveSources(runs, run); err != nil {
		return err
	}
	return part.WriteFrames(ctx, content, w.earlier.keeps, func(f part.RowFrame, content, kept []byte) error {
		if err := w.writeFrame(run, numbers, f, content, kept); err != nil || used == nil || f.Kind == part.Batches {
			return err
		}
		return used.delete(numbers[f.Log], f)
	})
}

// moveSources records that a run has the sources of others.
func (w *output) moveSources(runs []int64, to int64) error {
	for _, n := range runs {
		err := w.conn.Run("INSERT OR IGNORE INTO run_sources SELECT ?, source FROM run_sources WHERE run = ?", to, n)
		if err != nil {
			return err
		}
	}
	return nil
}

// deleteRuns removes runs whose copies another run has.
func (w *output) deleteRuns(runs []int64) error {
	var list []string
	for _, n := range runs {
		list = append(list, fmt.Sprint(n))
		w.earlier.removeRun(n)
	}
	among := " WHERE run IN (" + strings.Join(list, ", ") + ")"
	return errors.Join(w.conn.Exec("DELETE FROM blocks"+among), w.conn.Exec("DELETE FROM statements"+among),
		w.conn.Exec("DELETE FROM run_sources"+among))
}
