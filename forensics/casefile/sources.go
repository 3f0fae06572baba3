package casefile

import (
	"errors"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// Progress is how much of a source was ingested. It is written together with the
// rows, so the two always agree.
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

// intake is how far each source was read, under which paths it was given, and which
// paths could not be read.
type intake struct{ *transaction }

// KnownSize reports whether any source of this size was ingested to its end.
func (in *intake) KnownSize(size int64) (bool, error) {
	n, err := in.conn.Number(sizeQuery, size)
	return n > 0, err
}

// Unfinished returns the sources that were not ingested to their end, by the number
// of bytes that were read, ascending.
func (in *intake) Unfinished() ([]Progress, error) {
	var all []Progress
	return all, in.conn.Each(unfinishedQuery, nil, func(s *sqlite.Stmt) error {
		p := Progress{Source: s.Int(0), Size: s.Int(1), Reports: s.Int(2), Read: s.Int(3),
			Events: s.Int(5), Documents: s.Int(6), Skipped: s.Int(7), How: s.Text(8)}
		copy(p.ReadSHA256[:], s.Blob(4))
		all = append(all, p)
		return nil
	})
}

// Start creates a source that nothing was read of yet; empty is the digest of no
// bytes.
func (in *intake) Start(size int64, empty chain.Hash) (Progress, error) {
	if err := in.change(); err != nil {
		return Progress{}, err
	}
	source, err := in.conn.Number("SELECT coalesce(max(source), 0) + 1 FROM sources")
	if err != nil {
		return Progress{}, err
	}
	p := Progress{Source: source, Size: size, ReadSHA256: empty}
	return p, in.conn.Run("INSERT INTO sources VALUES (?, ?, NULL, 0, 0, 0, 0, 0, ?)", source, size, empty[:])
}

// Forget removes a source that has no rows yet.
func (in *intake) Forget(source int64) error {
	return errors.Join(in.conn.Run("DELETE FROM paths WHERE source = ?", source),
		in.conn.Run("DELETE FROM readings WHERE source = ?", source),
		in.conn.Run("DELETE FROM sources WHERE source = ?", source))
}

// Prepare does nothing: a chunk is ready for a case once its events were read.
func (w *Writer) Prepare(*Chunk) {}

// Add adds a chunk and saves the progress in its source. After an error everything
// since the last commit is dropped, so that no chunk is in the case in part, and
// the writer can only be closed.
func (w *Writer) Add(chunk *Chunk, p Progress) error {
	if err := w.change(); err != nil {
		return err
	}
	if err := inOrder(func() error { return w.loader.add(chunk) }, func() error { return w.save(p, nil) }); err != nil {
		return errors.Join(err, w.conn.Rollback())
	}
	w.pending += int64(len(chunk.Events) + len(chunk.Documents) + len(chunk.Skips))
	return w.commitIfDue()
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

// Finish saves that a source was ingested to its end, and its digest.
func (w *Writer) Finish(p Progress) error {
	if err := errors.Join(w.change(), w.save(p, p.ReadSHA256[:])); err != nil {
		return err
	}
	w.pending++
	w.added[p.Source] = true
	return w.commitIfDue()
}

func (in *intake) save(p Progress, digest any) error {
	return in.conn.Run(`UPDATE sources SET size = ?, sha256 = ?, records = ?, read = ?, read_sha256 = ?,
		events = ?, documents = ?, skipped = ? WHERE source = ?`,
		p.Size, digest, p.Reports, p.Read, p.ReadSHA256[:], p.Events, p.Documents, p.Skipped, p.Source)
}

// Name saves a path under which a source was given; absolute is "" for a stream.
func (in *intake) Name(source int64, path, absolute string) error {
	return errors.Join(in.change(), in.conn.Run("INSERT OR IGNORE INTO paths VALUES (?, ?, ?)", source, path, absolute))
}

// OtherName returns the first path under which a source was given; "" if it was
// given under this one.
func (in *intake) OtherName(source int64, path string) (other string, err error) {
	const query = "SELECT coalesce(min(path), '') FROM paths WHERE source = ?1 AND NOT EXISTS (SELECT 1 FROM paths " +
		"WHERE source = ?1 AND path = ?2)"
	err = in.conn.Each(query, []any{source, path}, func(s *sqlite.Stmt) error {
		other = s.Text(0)
		return nil
	})
	return other, err
}

// Refuse saves a path that was given and cannot be read.
func (in *intake) Refuse(u facts.Unread) error {
	return errors.Join(in.change(), in.conn.Run("INSERT OR IGNORE INTO unread VALUES (?, ?, ?)", u.Path, u.Code, u.Detail))
}

// Withdraw takes back that a path is not read for a reason.
func (in *intake) Withdraw(path string, reason finding.Code) (err error) {
	e := reason.Entry()
	for _, code := range append(e.Was, e.Code) {
		const query = "DELETE FROM unread WHERE path = ? AND code = ?"
		err = errors.Join(err, in.change(), in.conn.Run(query, path, string(code)))
	}
	return err
}

// Index creates the indexes for reading. After a large ingest this is cheaper than
// to maintain them during it.
func (w *Writer) Index() error {
	return errors.Join(w.change(), w.conn.Exec(transactionIndex))
}
