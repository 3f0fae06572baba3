package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// filled makes a case with large documents, and with so many rows that tables
// and indexes have several levels.
func filled(t *testing.T) string {
	t.Helper()
	w, path := newWriter(t)
	p := must.Get(w.Start(1, chain.Hash{}))(t)
	chunk := &facts.Chunk{Source: p.Source, Containers: []facts.Container{{}}}
	for i := range 8 {
		chunk.Documents = append(chunk.Documents, facts.FoundDocument{Found: facts.Found{Record: int64(i)},
			Kind: "bundle", Bytes: bytes.Repeat([]byte{byte(i), 1}, 9000*(i%5+1))})
	}
	for i := range 400 {
		chunk.Skips = append(chunk.Skips, facts.FoundSkip{Found: facts.Found{Record: int64(i)}, Code: "c",
			Detail: fmt.Sprintf("%0200d", i)})
		must.Do(t, w.Name(p.Source, fmt.Sprintf("%0300d", i), ""))
	}
	// A key of an index that continues in other pages.
	must.Do(t, errors.Join(w.Name(p.Source, string(bytes.Repeat([]byte("n"), 30000)), ""), w.Add(chunk, p), w.Commit(),
		w.Close()))
	return path
}

// digestOf digests the evidence of a case.
func digestOf(t *testing.T, path string, user byte) (sum chain.Hash, err error) {
	t.Helper()
	key := must.Get(NewKey([KeySize]byte{user}))(t)
	c := must.Get(sqlite.Open(path, sqlite.ReadOnly))(t)
	defer c.Close()
	err = c.Snapshot(func() error {
		sum, err = digestEvidence(t.Context(), c, key)
		return err
	})
	return sum, err
}

// TestEvidenceCoversEveryPage: a change of any byte of evidence changes the digest, and a
// change of derived bytes does not.
func TestEvidenceCoversEveryPage(t *testing.T) {
	path := filled(t)
	want := must.Get(digestOf(t, path, 1))(t)
	other, err := digestOf(t, path, 2)
	check.That(t, err == nil && other != want, "under another key: %s, %v", other, err)
	file := must.Get(os.ReadFile(path))(t)
	derived := map[int]bool{1: true} // the schema, which is compared by itself
	c := must.Get(sqlite.Open(path, sqlite.ReadOnly))(t)
	defer c.Close()
	const others = "SELECT pageno FROM dbstat WHERE name NOT IN (SELECT name FROM sqlite_schema WHERE tbl_name IN (" +
		evidenceTables + "))"
	must.Do(t, c.Each(others, nil, func(s *sqlite.Stmt) error { derived[int(s.Int(0))] = true; return nil }))
	changed := 0
	for page := 2; page*kind.PageSize <= len(file); page++ {
		at := page*kind.PageSize - 1 // part of a cell or of an overflow page
		damaged := bytes.Clone(file)
		damaged[at] ^= 1
		must.Do(t, os.WriteFile(path, damaged, 0o600))
		got, err := digestOf(t, path, 1)
		check.That(t, (err == nil && got == want) == derived[page],
			"page %d, derived: %t, gives %s, %v", page, derived[page], got, err)
		changed++
	}
	check.That(t, changed >= 40 && len(derived) >= 5, "%d pages, %d of them derived", changed, len(derived))
}

// The kinds of pages, as SQLite's file format defines them.
const interiorTable, interiorIndex, leafTable, leafIndex = 0x05, 0x02, 0x0d, 0x0a

// TestPagesInACircle: trees that lead back to themselves have an end.
func TestPagesInACircle(t *testing.T) {
	path := filled(t)
	file := must.Get(os.ReadFile(path))(t)
	for page := 1; page < len(file)/kind.PageSize; page++ {
		content := file[page*kind.PageSize:]
		damaged := bytes.Clone(file)
		switch content[0] {
		case interiorTable, interiorIndex:
			copy(damaged[page*kind.PageSize+8:], []byte{0, 0, byte((page + 1) >> 8), byte(page + 1)}) // its own number
		case leafTable, leafIndex, 0:
			copy(damaged[page*kind.PageSize:], []byte{0, 0, byte((page + 1) >> 8), byte(page + 1)}) // an overflow page's next
		}
		must.Do(t, os.WriteFile(path, damaged, 0o600))
		_, err := digestOf(t, path, 1)
		check.That(t, err == nil || errors.Is(err, sqlite.ErrDamaged), "page %d: %v", page+1, err)
	}
}

// TestDurable: the engine calls the value 2 FULL.
func TestDurable(t *testing.T) {
	w := must.Get(OpenWrite(filepath.Join(t.TempDir(), "case.db")))(t)
	defer w.Close()
	for _, want := range []int64{1, 2} {
		got, err := w.conn.Number("PRAGMA synchronous")
		check.That(t, err == nil && got == want, "synchronous is %d, %v, want %d", got, err, want)
		must.Do(t, w.Durable())
	}
}

// TestEnds: the case is one file again unless it has a reader, and readers from before and
// after the end see the committed content.
func TestEnds(t *testing.T) {
	t.Run("let go", func(t *testing.T) { testEnds(t, false, (*Writer).LetGo) })
	t.Run("close", func(t *testing.T) {
		testEnds(t, true, func(w *Writer) error {
			return errors.Join(w.conn.Exec("PRAGMA busy_timeout=10"), w.Close()) // so that the test need not wait
		})
	})
}

func testEnds(t *testing.T, telling bool, end func(*Writer) error) {
	path := filepath.Join(t.TempDir(), "case.db")
	for n, reading := range []bool{false, true, false} {
		said := ""
		w := must.Get(OpenWrite(path, Notify(func(text string) { said += text })))(t)
		must.Do(t, errors.Join(w.Refuse(facts.Unread{Path: string(rune('a' + n))}), w.Commit()))
		before := refused(t, path, n+1)
		if !reading {
			before()
		}
		err := end(w)
		_, missing := os.Stat(path + "-wal")
		check.That(t, err == nil && (missing == nil) == reading, "%d: %v; the journal: %v", n, err, missing)
		told := strings.Contains(said, "case.db-wal belongs to it")
		check.That(t, told == (reading && telling), "%d: the user is told %q", n, said)
		refused(t, path, n+1)()
		if reading {
			before()
		}
	}
}

// refused wants so many paths that could not be read in a case, and returns a function that
// closes it.
func refused(t *testing.T, path string, want int) func() {
	t.Helper()
	c := must.Get(OpenRead(path))(t)
	all := c.Content.Unread()
	check.That(t, len(all) == want, "%v, want %d", all, want)
	return func() { check.Do(t, c.Close()) }
}
