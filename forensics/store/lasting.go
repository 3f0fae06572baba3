package store

import (
	"context"
	"errors"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/custody"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// Index brings the case into the form that is fast to read, at the end of an ingest.
func (w *Writer) Index() error {
	ctx := context.Background()
	if err := w.Commit(); err != nil {
		return err
	}
	if err := w.mergeLike(ctx); err != nil {
		return err
	}
	if err := w.Tidy(ctx); err != nil {
		return err
	}
	return w.giveBack()
}

// EachPath calls visit for each absolute path under which a source was given that was read
// to its end, in the order of the sources.
func (w *Writer) EachPath(visit func(source int64, absolute string)) error {
	const query = "SELECT source, absolute FROM paths JOIN sources USING (source) " +
		"WHERE sha256 IS NOT NULL AND absolute <> '' ORDER BY source, path"
	return w.conn.Each(query, nil, func(s *sqlite.Stmt) error {
		visit(s.Int(0), s.Text(1))
		return nil
	})
}

// Beginning returns a source if it was given under a path and read to its end.
func (w *Writer) Beginning(source int64, absolute string) (b facts.Beginning, ok bool, err error) {
	n, err := w.conn.Number("SELECT count(*) FROM paths WHERE source = ? AND absolute = ?", source, absolute)
	if s := w.sources[source-1]; n > 0 && s.whole {
		return facts.Beginning{Source: source, Size: s.Read, SHA256: s.ReadSHA256}, true, err
	}
	return b, false, err
}

// Grew saves that the file at a path, which was a source once, has more in it now and is
// another source. The earlier one is replaced, unless it was given under other paths as well.
func (w *Writer) Grew(old, source int64, absolute string) error {
	others, err := w.conn.Number("SELECT count(*) FROM paths WHERE source = ? AND absolute <> ?", old, absolute)
	switch {
	case err != nil:
		return err
	case others == 0:
		return w.Replace(old, source)
	}
	return w.alter("DELETE FROM paths WHERE source = ? AND absolute = ?", old, absolute)
}

// Replace saves that a source replaces an earlier one. Rows of the earlier one stay until
// [Writer.Purge].
func (w *Writer) Replace(old, source int64) error {
	s := w.sources[old-1]
	s.replaced, s.whole = source, false
	w.touch(s)
	err := w.alter("INSERT OR IGNORE INTO paths SELECT ?, path, absolute FROM paths WHERE source = ?", source, old)
	if err != nil {
		return err
	}
	return w.alter("DELETE FROM paths WHERE source = ?", old)
}

// Purge removes the content of sources that were replaced: the runs that have events of them
// are made again without these.
func (w *Writer) Purge() error {
	var gone []int64
	for _, s := range w.sources {
		if s.replaced != 0 && !s.forgotten {
			gone = append(gone, s.Source)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	// A copy that several runs have is kept by one of them, which may have it of such a
	// source: so that each is in one run before.
	if err := errors.Join(w.Commit(), w.MergeRuns(context.Background())); err != nil {
		return err
	}
	runs, err := w.runsOf(gone)
	for len(runs) > 0 && err == nil {
		n := min(len(runs), mostMerged)
		err = w.mergeSome(context.Background(), runs[:n], gone)
		runs = runs[n:]
	}
	if err != nil {
		return err
	}
	if err := w.beginChange(); err != nil {
		return err
	}
	tables := []string{"skips", "document_places", "containers", "paths", "sources", "run_sources"}
	if w.events.insert != nil {
		tables = append(tables, "events")
	}
	var digests []chain.Hash
	for _, source := range gone {
		digests = append(digests, w.sources[source-1].ReadSHA256)
		w.sources[source-1].forgotten = true
		for _, table := range tables {
			err = errors.Join(err, w.conn.Run("DELETE FROM "+table+" WHERE source = ?", source)) // #nosec G202 -- names of ours
		}
	}
	const unplaced = "DELETE FROM documents WHERE document NOT IN (SELECT document FROM document_places)"
	err = errors.Join(err, w.conn.Exec(unplaced), w.deleteBodies(), w.deleteLogs(),
		w.keeper.addEntry(w.conn, custody.Entry{Replaced: custody.SourcesOf(digests)}))
	if err != nil {
		return errors.Join(err, w.conn.Rollback())
	}
	return w.conn.Exec("COMMIT")
}

// runsOf returns the runs that have events of sources, ascending.
func (w *output) runsOf(sources []int64) (runs []int64, err error) {
	for _, source := range sources {
		err = errors.Join(err, w.conn.Each("SELECT run FROM run_sources WHERE source = ?", []any{source},
			func(s *sqlite.Stmt) error {
				runs = append(runs, s.Int(0))
				return nil
			}))
	}
	slices.Sort(runs)
	return slices.Compact(runs), err
}

// deleteLogs removes logs that have no copies.
func (w *output) deleteLogs() error {
	for number, log := range w.earlier.logs {
		if len(w.earlier.of[number]) > 0 {
			continue
		}
		delete(w.earlier.logs, number)
		delete(w.logs, log)
		if err := w.conn.Run("DELETE FROM logs WHERE log = ?", number); err != nil {
			return err
		}
	}
	return nil
}

// deleteBodies removes the rows of bodies that no copy is kept in.
func (w *output) deleteBodies() error {
	used := map[int64]bool{}
	content, err := w.earlier.union(w.earlier.allRuns(), connRows{w.conn}, w.provisional(), nil)
	if err != nil {
		return err
	}
	for _, log := range content.Logs() {
		for c, err := range content.Copies(context.Background(), log, 0) {
			if err != nil {
				return err
			}
			used[c.Body.Row] = true
		}
	}
	var unused []int64
	err = w.conn.Each("SELECT body FROM bodies", nil, func(s *sqlite.Stmt) error {
		if n := s.Int(0); !used[n] {
			unused = append(unused, n)
		}
		return nil
	})
	for _, n := range unused {
		err = errors.Join(err, w.conn.Run("DELETE FROM bodies WHERE body = ?", n))
	}
	return err
}
