package casefile

import (
	"errors"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/casefile/sqlite"
)

// commitRecords is how many records are added between two commits: a tenth of
// a second's work is lost if the process is killed, and the cost of a commit is
// spread thin.
const commitRecords = 1 << 16

// Progress is how far the ingest of a source has come. It is written together
// with the rows, so that it is always true of them.
type Progress struct {
	Source     int64
	Size       int64      // bytes when the source was opened
	Reports    int64      // what the reader has reported so far, records or not
	Read       int64      // bytes that had been read by then
	ReadSHA256 chain.Hash // of those bytes
	Events     int64      // of the reports, events
	Documents  int64
	Skipped    int64
	How        string // it is read, of those that are not finished
}

const (
	sizeQuery       = "SELECT EXISTS (SELECT 1 FROM sources WHERE sha256 IS NOT NULL AND read = ?)"
	unfinishedQuery = `SELECT source, size, records, read, read_sha256, events, documents, skipped, coalesce(how, '')
		FROM sources LEFT JOIN readings USING (source) WHERE sha256 IS NULL AND replaced IS NULL ORDER BY read, read_sha256`
)

// KnownSize reports whether any source of this size was ingested to its end.
func (w *Writer) KnownSize(size int64) (bool, error) {
	n, err := w.conn.Number(sizeQuery, size)
	return n > 0, err
}

// Unfinished returns the sources that were not ingested to their end, those of
// which the least was read first.
func (w *Writer) Unfinished() ([]Progress, error) {
	var all []Progress
	return all, w.conn.Each(unfinishedQuery, nil, func(s *sqlite.Stmt) error {
		p := Progress{Source: s.Int(0), Size: s.Int(1), Reports: s.Int(2), Read: s.Int(3),
			Events: s.Int(5), Documents: s.Int(6), Skipped: s.Int(7), How: s.Text(8)}
		copy(p.ReadSHA256[:], s.Blob(4))
		all = append(all, p)
		return nil
	})
}

// Start makes a new source. Nothing was read of it; empty is the digest of no
// bytes.
func (w *Writer) Start(size int64, empty chain.Hash) (Progress, error) {
	if err := w.change(); err != nil {
		return Progress{}, err
	}
	source, err := w.conn.Number("SELECT coalesce(max(source), 0) + 1 FROM sources")
	if err != nil {
		return Progress{}, err
	}
	p := Progress{Source: source, Size: size, ReadSHA256: empty}
	return p, w.conn.Run("INSERT INTO sources VALUES (?, ?, NULL, 0, 0, 0, 0, 0, ?)", source, size, empty[:])
}

// Forget removes a source of which nothing was added.
func (w *Writer) Forget(source int64) error {
	return errors.Join(w.conn.Run("DELETE FROM paths WHERE source = ?", source),
		w.conn.Run("DELETE FROM readings WHERE source = ?", source), w.conn.Run("DELETE FROM sources WHERE source = ?", source))
}

// Add adds a chunk, and notes how far its source has come with it. If it fails,
// all that was added since the last commit is dropped, so that no part of a chunk
// stands in the case, and the writer can only be closed.
func (w *Writer) Add(chunk *Chunk, p Progress) error {
	if err := w.change(); err != nil {
		return err
	}
	if err := w.addAll(chunk, p); err != nil {
		return errors.Join(err, w.conn.Rollback())
	}
	w.pending += int64(len(chunk.Events) + len(chunk.Documents) + len(chunk.Skips))
	return w.commitIfDue()
}

func (w *Writer) addAll(chunk *Chunk, p Progress) error {
	numbers := make([]int64, len(chunk.Containers))
	for i, c := range chunk.Containers {
		var err error
		if numbers[i], err = w.containers.number(chunk.Source, c); err != nil {
			return err
		}
	}
	return inOrder(
		func() error { return w.loader.add(chunk, numbers) },
		func() error { return w.addDocuments(chunk, numbers) },
		func() error { return w.addSkips(chunk, numbers) },
		func() error { return w.save(p, nil) })
}

// inOrder runs steps up to the first that fails: after that the engine may have
// ended the transaction, and a further step would be committed by itself.
func inOrder(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// Finish notes that a source was ingested to its end, and its digest.
func (w *Writer) Finish(p Progress) error {
	if err := errors.Join(w.change(), w.save(p, p.ReadSHA256[:])); err != nil {
		return err
	}
	w.pending++
	w.added[p.Source] = true
	return w.commitIfDue()
}

func (w *Writer) save(p Progress, digest any) error {
	return w.conn.Run(`UPDATE sources SET size = ?, sha256 = ?, records = ?, read = ?, read_sha256 = ?,
		events = ?, documents = ?, skipped = ? WHERE source = ?`,
		p.Size, digest, p.Reports, p.Read, p.ReadSHA256[:], p.Events, p.Documents, p.Skipped, p.Source)
}

// Name notes a path under which a source was given; absolute is "" for a
// stream.
func (w *Writer) Name(source int64, path, absolute string) error {
	return errors.Join(w.change(), w.conn.Run("INSERT OR IGNORE INTO paths VALUES (?, ?, ?)", source, path, absolute))
}

// OtherName returns the first path under which a source was given; "" if it was
// given under this one.
func (w *Writer) OtherName(source int64, path string) (other string, err error) {
	const query = "SELECT coalesce(min(path), '') FROM paths WHERE source = ?1 AND NOT EXISTS (SELECT 1 FROM paths WHERE source = ?1 AND path = ?2)"
	err = w.conn.Each(query, []any{source, path}, func(s *sqlite.Stmt) error {
		other = s.Text(0)
		return nil
	})
	return other, err
}

// Refuse notes a path that was given and cannot be read.
func (w *Writer) Refuse(u Unread) error {
	return errors.Join(w.change(), w.conn.Run("INSERT OR IGNORE INTO unread VALUES (?, ?, ?)", u.Path, u.Code, u.Detail))
}

// Index makes the indexes that reading wants. After a large ingest this is
// cheaper than to keep them while it runs.
func (w *Writer) Index() error {
	return errors.Join(w.change(), w.conn.Exec(transactionIndex))
}

// Commit makes everything that was added so far last.
func (w *Writer) Commit() error {
	w.pending = 0
	if w.conn.Autocommit() {
		return nil
	}
	return w.conn.Exec("COMMIT")
}

// CommitEvery sets how many records are added between two commits.
func (w *Writer) CommitEvery(records int64) { w.commitEvery = records }

func (w *Writer) commitIfDue() error {
	if w.pending < w.commitEvery {
		return nil
	}
	return w.Commit()
}

// change begins to change the evidence.
func (w *Writer) change() error {
	w.changed = true
	return w.begin()
}

func (w *Writer) begin() error {
	if !w.conn.Autocommit() {
		return nil
	}
	return w.conn.Exec("BEGIN IMMEDIATE")
}

func (w *Writer) addSkips(chunk *Chunk, containers []int64) error {
	for i := range chunk.Skips {
		if err := w.addSkip(chunk.Source, containers, &chunk.Skips[i]); err != nil {
			return err
		}
	}
	return nil
}

// addSkip adds a span, or says of one that is there that it stands for more.
func (w *Writer) addSkip(source int64, containers []int64, s *FoundSkip) error {
	through := max(s.Record, s.Through)
	if s.Told > 0 {
		return w.conn.Run("UPDATE skips SET length = ?, spans = ?, through = ? WHERE source = ? AND hides IN (0, 1) AND record = ?",
			s.Length, s.count(), through, source, s.Record)
	}
	const insert = `INSERT INTO skips (container, offset, length, record, code, detail, excerpt, source, spans, through)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	excerpt := s.Excerpt[:min(len(s.Excerpt), ExcerptSize)]
	return w.conn.Run(insert, containers[s.Container], s.Offset, s.Length, s.Record, s.Code, s.Detail, excerpt, source, s.count(), through)
}

func (w *Writer) addDocuments(chunk *Chunk, containers []int64) error {
	for _, d := range chunk.Documents {
		number, err := w.document(d)
		if err != nil {
			return err
		}
		err = w.conn.Run("INSERT INTO document_places VALUES (?, ?, ?, ?, ?)",
			number, containers[d.Container], d.Offset, d.Length, d.Record)
		if err != nil {
			return err
		}
	}
	return nil
}
