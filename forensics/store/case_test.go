package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
	"github.com/svc-edge/svc-verify/internal/sqlite/guard"
)

func newWriter(t *testing.T) (*Writer, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "case.db")
	w := must.Get(OpenWrite(path))(t)
	return w, path
}

// TestEarlierCaseIsRefused: a case that an earlier version made is not touched, and the reason
// explains what to do.
func TestEarlierCaseIsRefused(t *testing.T) {
	w, path := newWriter(t)
	must.Do(t, w.Close())
	for version := 1; version <= kind.Earlier; version++ {
		c := must.Get(sqlite.Open(path, sqlite.ReadWrite))(t)
		must.Do(t, c.Exec(fmt.Sprintf("PRAGMA user_version = %d", version)), c.Close())
		before := must.Get(os.ReadFile(path))(t)
		_, err := OpenWrite(path)
		_, err2 := OpenRead(path)
		check.That(t, errors.Is(err, ErrEarlier) && errors.Is(err2, ErrEarlier), "version %d: %v, %v", version, err, err2)
		must.That(t, bytes.Equal(before, must.Get(os.ReadFile(path))(t)), "version %d: the file was changed", version)
	}
}

func TestNewerCaseIsRefused(t *testing.T) {
	w, path := newWriter(t)
	must.Do(t, errors.Join(w.conn.Exec("PRAGMA user_version = 99"), w.Close()))
	_, err := OpenWrite(path)
	check.That(t, err != nil && strings.Contains(err.Error(), "99"), "OpenWrite: %v", err)
	if _, err := OpenRead(path); err == nil || !strings.Contains(err.Error(), "99") {
		t.Errorf("OpenRead: %v", err)
	}
}

// TestSchemaIsDocumented: the text that .schema shows states the purpose of every table, and
// the page size and marks are a case's.
func TestSchemaIsDocumented(t *testing.T) {
	w, _ := newWriter(t)
	defer w.Close()
	comment := regexp.MustCompile(`^CREATE (TABLE|VIEW) \w+ (\(|AS)\n  -- [A-Z]`)
	err := w.conn.Each("SELECT name, sql FROM sqlite_schema WHERE type IN ('table', 'view')", nil,
		func(s *sqlite.Stmt) error {
			switch sql := s.Text(1); {
			case !comment.MatchString(sql):
				t.Errorf("%s does not say what it is for:\n%s", s.Text(0), sql)
			case strings.HasPrefix(sql, "CREATE TABLE") && !strings.Contains(sql, "STRICT"):
				t.Errorf("%s is not strict", s.Text(0))
			}
			return nil
		})
	size, err2 := w.conn.Number("PRAGMA page_size")
	check.That(t, err == nil && err2 == nil && size == int64(kind.PageSize), "page size %d, %v, %v", size, err, err2)
}

// TestForeignFilesAreNotTouched: neither their bytes nor the files next to them.
func TestForeignFilesAreNotTouched(t *testing.T) {
	foreign := filepath.Join(t.TempDir(), "foreign.db")
	c := must.Get(sqlite.Open(foreign, sqlite.Create))(t)
	must.Do(t, errors.Join(c.Exec("PRAGMA journal_mode=WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)"),
		c.Close()))
	database := must.Get(os.ReadFile(foreign))(t)
	for name, content := range map[string][]byte{"database": database, "empty": {}, "text": []byte("hello"),
		"long": bytes.Repeat([]byte("x"), 5000)} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, content, 0o600))
		_, err := OpenWrite(path)
		_, err2 := OpenRead(path)
		check.That(t, errors.Is(err, ErrNotCase) && errors.Is(err2, ErrNotCase), "%s: %v, %v", name, err, err2)
		after, err := os.ReadFile(path)
		entries, err2 := os.ReadDir(dir)
		check.That(t, err == nil && err2 == nil && bytes.Equal(after, content) && len(entries) == 1,
			"%s was touched: beside it %v", name, entries)
	}
}

func TestOneWriterAtATime(t *testing.T) {
	w, path := newWriter(t)
	_, err := OpenWrite(path)
	check.That(t, errors.Is(err, ErrBusy), "a second writer: %v", err)
	must.Do(t, w.Close())
	w = must.Get(OpenWrite(path))(t)
	must.Do(t, w.Close())
}

// TestReadWhileWriting: a reader sees the committed content, and does not wait.
func TestReadWhileWriting(t *testing.T) {
	w, path := newWriter(t)
	must.Do(t, errors.Join(w.Refuse(facts.Unread{Path: "a", Code: "source.x"}), w.Commit(),
		w.Refuse(facts.Unread{Path: "b", Code: "source.x"})))
	c := must.Get(OpenRead(path))(t)
	got := c.Content.Unread()
	check.That(t, len(got) == 1, "%v: want the one path that was committed", got)
	must.Do(t, errors.Join(c.Close(), w.Close()))
}

func TestSignatures(t *testing.T) {
	w := newWriterAs(t, 1)
	defer w.Close()
	digests := make([]chain.Hash, 300)
	for i := range digests {
		digests[i] = chain.Hash{byte(i), byte(i >> 8), 7}
	}
	must.Do(t, errors.Join(w.KeepSignatures(digests[:200]), w.KeepSignatures(digests[100:200]), w.Commit()))
	known := make([]bool, len(digests))
	must.Do(t, w.Kept().Signatures(t.Context(), digests, known))
	for i, k := range known {
		must.That(t, k == (i < 200), "digest %d: known %t", i, k)
	}
}

// TestWalks: the newest walk under a trust file is found, with its findings.
func TestWalks(t *testing.T) {
	w := newWriterAs(t, 1)
	defer w.Close()
	trust, other := chain.Hash{1}, chain.Hash{2}
	finding := Finding{"chain.gap", "high", "node/a", 3, 5, []byte(`{"code":"chain.gap"}`)}
	for _, walk := range []Walk{
		{TrustSHA256: trust, Verdict: "verified", Result: []byte(`{}`)},
		{TrustSHA256: trust, Verdict: "rejected", Result: []byte(`{"a":1}`), State: []byte{0, 1}},
		{TrustSHA256: other, Verdict: "inconclusive", Result: []byte(`{}`)},
	} {
		must.Get(w.KeepWalk(walk, []Finding{finding}))(t)
	}
	got, ok, err := w.Kept().LastWalk(t.Context(), trust)
	check.That(t, err == nil && ok && got.Verdict == "rejected" && string(got.Result) == `{"a":1}` &&
		bytes.Equal(got.State, []byte{0, 1}), "%+v, %t, %v", got, ok, err)
	for f, err := range w.Kept().Findings(t.Context(), got.Number) {
		check.That(t, err == nil && f.Code == finding.Code && f.LastSequence == 5 && bytes.Equal(f.JSON, finding.JSON),
			"%+v, %v", f, err)
	}
	if _, ok, err := w.Kept().LastWalk(t.Context(), chain.Hash{3}); ok || err != nil {
		t.Errorf("a walk under an unknown trust file: %v", err)
	}
}

// newWriterAs makes a case of one of several users.
func newWriterAs(t *testing.T, user byte) *Writer {
	t.Helper()
	return must.Get(OpenWrite(filepath.Join(t.TempDir(), "case.db"), as(t, user)))(t)
}

// as is With the key of one of several users.
func as(t *testing.T, user byte) Option {
	t.Helper()
	key := must.Get(NewKey([KeySize]byte{user}))(t)
	return With(key)
}

// TestTemporaryFilesAreSwept: the next writer removes the files of a killed process.
func TestTemporaryFilesAreSwept(t *testing.T) {
	w, path := newWriter(t)
	spool := must.Get(w.Spool())(t)
	f := spool.(beside).File
	must.Do(t, f.Close(), w.Close()) // and it is not removed
	w = must.Get(OpenWrite(path))(t)
	defer w.Close()
	check.Is(t, check.Err(os.Stat(f.Name())), os.ErrNotExist, "%s is still there", f.Name())
}

// TestLockIsRemoved: a case that no one writes to has no lock next to it, and a lock that a
// killed process left behind blocks no one.
func TestLockIsRemoved(t *testing.T) {
	w, path := newWriter(t)
	check.Do(t, check.Err(os.Lstat(path+guard.LockSuffix)))
	for range 2 {
		must.Do(t, w.Close())
		check.Is(t, check.Err(os.Lstat(path+guard.LockSuffix)), os.ErrNotExist, "a closed case: the lock is there,")
		err := os.WriteFile(path+guard.LockSuffix, nil, 0o600)
		if err == nil {
			w, err = OpenWrite(path)
		}
		must.Do(t, err)
	}
	must.Do(t, w.Close())
	must.Do(t, os.WriteFile(path, []byte("no case"), 0o600))
	must.That(t, check.Err(OpenWrite(path)) != nil, "what is no case was opened")
	_, err := os.Lstat(path + guard.LockSuffix)
	check.That(t, errors.Is(err, os.ErrNotExist), "what is no case: the lock is there, %v", err)
}
