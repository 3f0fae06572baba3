package store

import (
	"bytes"
	"cmp"
	"errors"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/sqlite"
	"github.com/svc-edge/svc-verify/internal/sqlite/guard"
)

// File is an open case. Any number of goroutines may read from it.
type File struct {
	Content part.Content // nil for a writer's, until requested
	*standing
	*conns
	judged *part.Header // the trust file and rules of its judgement; nil if unjudged

	numbers map[facts.Log]int64 // of the logs, in the rows
	order   []int64             // the sources in the order of the shares of the content
	indexed bool                // there is an index of events
}

// OpenRead opens an existing case for reading. It first checks the whole case, unless the
// key of the options vouches for it: see [Standing].
func OpenRead(path string, options ...Option) (*File, error) {
	path, err := guard.Resolve(path)
	if err != nil {
		return nil, err
	}
	if err := kind.Identify(path); err != nil {
		return nil, err
	}
	f := &File{conns: newConns(path), standing: newStanding(options)}
	vouched, err := f.believe()
	if errors.Is(err, sqlite.ErrHot) {
		if err = kind.Undo(path); err == nil {
			vouched, err = f.believe()
		}
	}
	if err == nil {
		err = f.readCatalogue()
	}
	if err == nil && !vouched {
		err = f.Check(f.ctx)
	}
	if err == nil {
		err = f.withConn(func(c *sqlite.Conn) error { return f.keeper.openJournal(c, path, vouched, f.reopened) })
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// believe finds out whether the user's key vouches for the case. From then on the file is read
// in one state.
func (f *File) believe() (vouched bool, err error) {
	if err := f.holdState(); err != nil {
		return false, err
	}
	return vouched, f.withConn(func(c *sqlite.Conn) error {
		if _, err := kind.Shape(c); err != nil {
			return err
		}
		vouched, err = f.isVouchedFor(c)
		return err
	})
}

// readCatalogue reads which sources and rows there are.
func (f *File) readCatalogue() error {
	return f.withConn(func(c *sqlite.Conn) error { return c.Snapshot(func() error { return f.loadRows(c) }) })
}

// loadRows reads the sources, and which rows there are.
func (f *File) loadRows(c *sqlite.Conn) error {
	sources, err := readSources(c)
	if err != nil {
		return err
	}
	if f.judged == nil && slices.ContainsFunc(sources, func(s *source) bool { return s.of != nil }) {
		return alteredError("a source is a range of a file")
	}
	x, err := readIndex(c)
	if err != nil {
		return err
	}
	x.keeps = f.judged == nil
	paths := make([][]part.Path, len(sources))
	err = c.Each("SELECT source, path, absolute FROM paths ORDER BY source, path", nil, func(s *sqlite.Stmt) error {
		if n := s.Int(0); n >= 1 && n <= int64(len(sources)) {
			paths[n-1] = append(paths[n-1], part.Path{Given: s.Text(1), Absolute: s.Text(2)})
		}
		return nil
	})
	var unread []facts.Unread
	if err == nil {
		err = c.Each("SELECT path, code, detail FROM unread ORDER BY path, code, detail", nil, func(s *sqlite.Stmt) error {
			unread = append(unread, facts.Unread{Path: s.Text(0), Code: s.Text(1), Detail: s.Text(2)})
			return nil
		})
	}
	if err == nil {
		f.indexed, err = isIndexed(c)
	}
	if err != nil {
		return err
	}
	f.numbers = make(map[facts.Log]int64, len(x.logs))
	for number, log := range x.logs {
		f.numbers[log] = number
	}
	return f.joinRuns(sources, paths, unread, x)
}

// joinRuns makes one content of the runs and of the other rows.
func (f *File) joinRuns(sources []*source, paths [][]part.Path, unread []facts.Unread, x *index) error {
	order := make([]int, 0, len(sources))
	shares := make([]part.Share, len(sources))
	for i, s := range sources {
		if shares[i] = s.share(paths[i]); !s.forgotten {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		one, other := &shares[a], &shares[b]
		return cmp.Or(bytes.Compare(one.Source[:], other.Source[:]), cmp.Compare(one.Range.From, other.Range.From),
			cmp.Compare(a, b))
	})
	rest := &rest{file: f, final: map[int64]int{}, judged: f.judged != nil}
	ordered := make([]part.Share, len(order))
	index := make([]int, len(sources)) // of the sources among the shares; of one that was forgotten nothing is there
	provisional := make([]part.Share, len(sources))
	for n, i := range order {
		index[i], ordered[n], provisional[i] = n, shares[i], shares[i]
		rest.final[int64(i)+1] = n
		rest.order = append(rest.order, int64(i)+1)
	}
	var runs []part.Run
	for _, n := range x.allRuns() {
		runs = append(runs, part.Run{File: x.contentOf(n, fileRows{f}, provisional), Index: index})
	}
	f.order = rest.order
	var header part.Header
	if f.judged != nil {
		header = *f.judged
	}
	var err error
	f.Content, err = part.Union(header, ordered, unread, rest, runs...)
	return err
}

// share returns the share of a source.
func (s *source) share(paths []part.Path) part.Share {
	p := part.Share{Source: s.ReadSHA256, Size: s.Read, Range: part.Range{To: s.Read}, Paths: paths,
		Containers: s.containers, Records: max(s.Events+s.Documents+s.Skipped, s.numbers), Events: s.Events,
		Documents: s.Documents, Skipped: s.Skipped, Complete: s.whole}
	if s.of != nil {
		p.Source, p.Size = s.of.sha256, s.of.size
		p.Range = part.Range{From: s.of.begin, To: s.of.begin + s.Read}
	}
	return p
}

// fileRows are the rows of an open case.
type fileRows struct{ *File }

// Frame implements part.Rows.
func (f fileRows) Frame(row int64, buffer []byte) (content []byte, err error) {
	return content, f.withConn(func(c *sqlite.Conn) error {
		content, err = connRows{c}.Frame(row, buffer)
		return err
	})
}

// Kept implements part.Rows.
func (f fileRows) Kept(row int64, buffer []byte) (kept []byte, err error) {
	return kept, f.withConn(func(c *sqlite.Conn) error {
		kept, err = connRows{c}.Kept(row, buffer)
		return err
	})
}

// connRows are the rows of a case by a connection.
type connRows struct{ *sqlite.Conn }

// errGone is the error for a row that is no longer there.
var errGone = errors.New("the case is damaged, or another command wrote to it meanwhile: a row is no longer there; " +
	"run the command again")

// Frame implements part.Rows.
func (c connRows) Frame(row int64, buffer []byte) ([]byte, error) {
	if row&1 == 1 {
		return c.octets("SELECT octets FROM statements WHERE statement = ?", row>>1, buffer)
	}
	return c.octets("SELECT copies FROM blocks WHERE block = ?", row>>1, buffer)
}

// Kept implements part.Rows.
func (c connRows) Kept(row int64, buffer []byte) ([]byte, error) {
	return c.octets("SELECT kept FROM blocks WHERE block = ?", row>>1, buffer)
}

func (c connRows) octets(query string, row int64, buffer []byte) ([]byte, error) {
	found := false
	err := c.Each(query, []any{row}, func(s *sqlite.Stmt) error {
		buffer, found = append(buffer[:0], s.Blob(0)...), true
		return nil
	})
	if err == nil && !found {
		err = errGone
	}
	return buffer, err
}
