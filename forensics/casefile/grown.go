package casefile

import (
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// EachPath calls visit for each absolute path under which a source was given that
// was ingested to its end, in the order of the sources.
func (in *intake) EachPath(visit func(source int64, absolute string)) error {
	const query = "SELECT source, absolute FROM paths JOIN sources USING (source) " +
		"WHERE sha256 IS NOT NULL AND absolute <> '' ORDER BY source, path"
	return in.conn.Each(query, nil, func(s *sqlite.Stmt) error {
		visit(s.Int(0), s.Text(1))
		return nil
	})
}

// Beginning is a source of a case that can be how a file began.
type Beginning struct {
	Source int64
	Size   int64
	SHA256 chain.Hash
}

// Beginning returns a source if it was given under a path and ingested to its end.
func (in *intake) Beginning(source int64, absolute string) (b Beginning, ok bool, err error) {
	const query = "SELECT read, sha256 FROM sources WHERE source = ?1 AND sha256 IS NOT NULL " +
		"AND EXISTS (SELECT 1 FROM paths WHERE source = ?1 AND absolute = ?2)"
	err = in.conn.Each(query, []any{source, absolute}, func(s *sqlite.Stmt) error {
		b, ok = Beginning{Source: source, Size: s.Int(0)}, true
		copy(b.SHA256[:], s.Blob(1))
		return nil
	})
	return b, ok, err
}

// Grew saves that the file at a path, which was a source once, has more in it now
// and is another source. The earlier one is replaced, unless it was given under
// other paths as well.
func (w *Writer) Grew(old, source int64, absolute string) error {
	others, err := w.conn.Number("SELECT count(*) FROM paths WHERE source = ? AND absolute <> ?", old, absolute)
	switch {
	case err != nil:
		return err
	case others == 0:
		return w.Replace(old, source)
	}
	return inOrder(w.change, func() error {
		return w.conn.Run("DELETE FROM paths WHERE source = ? AND absolute = ?", old, absolute)
	})
}
