package ledger_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// edit changes a ledger as any SQLite tool can.
func edit(t testing.TB, path string, f func(c *sqlite.Conn) error) {
	t.Helper()
	c := must.Get(sqlite.Open(path, sqlite.ReadWrite))(t)
	must.Do(t, errors.Join(f(c), c.Close()))
}

func sql(text string, args ...any) func(*sqlite.Conn) error {
	return func(c *sqlite.Conn) error { return errors.Join(c.Run(text, args...)) }
}

func copyFile(t testing.TB, path string) string {
	t.Helper()
	b := must.Get(os.ReadFile(path))(t)
	name := filepath.Join(t.TempDir(), "copy.ledger")
	must.Do(t, os.WriteFile(name, b, 0o600))
	return name
}

// row reads the columns of one row.
func row(c *sqlite.Conn, query string, columns int, args ...any) (values []any, err error) {
	err = c.Each(query, args, func(s *sqlite.Stmt) error {
		for i := range columns {
			values = append(values, bytes.Clone(s.Blob(i)))
		}
		return nil
	})
	if err == nil && len(values) != columns {
		err = fmt.Errorf("%d values of %s", len(values), query)
	}
	return values, err
}

// editRecord changes the name of the tool in a record.
const editRecord = `UPDATE runs SET record = CAST(replace(CAST(record AS TEXT), 'test', 'rest') AS BLOB) WHERE run = 1`

// grown returns a ledger of 20 objects and two runs, and a copy of it from before the
// second run. The second run changed one object. A third run has one change.
func grown(t testing.TB) (path, before string) {
	path = made(t, 20)
	before = copyFile(t, path)
	write(t, path, func(w *ledger.Writer) {
		must.Do(t, w.Begin(1_700_000_002_000))
		o := nth(4)
		o.SHA256, o.ReadIn = [32]byte{4}, 2
		must.Do(t, w.Put(&o))
		must.Do(t, w.Note(&run.Change{Path: o.Path, Class: "replaced", Before: o.State(), After: o.State()}))
		must.Get(w.AppendRun(t.Context(), record()))(t)
		must.Do(t, w.Begin(1_700_000_003_000))
		must.Do(t, w.Note(&run.Change{Path: o.Path, Class: "grown", Before: o.State(), After: o.State()}))
		must.Do(t, w.Commit())
	})
	return path, before
}

// TestForged: whatever is changed by something else is noticed, and with the row
// concerned where one is wrong by itself.
func TestForged(t *testing.T) {
	path, before := grown(t)
	old := func(query string, columns int, args ...any) []any {
		c := must.Get(sqlite.Open(before, sqlite.ReadOnly))(t)
		defer c.Close()
		return must.Get(row(c, query, columns, args...))(t)
	}
	at := func(n int) []byte { return []byte(nth(n).Path) }
	const (
		restore      = "UPDATE objects SET entry = ?, code = ? WHERE path = ?"
		restoreState = "UPDATE state SET newest = ?, code = ?, runs = 1, began = 0"
	)
	for what, forge := range map[string]struct {
		edit  func(c *sqlite.Conn) error
		names string // the path of the object that is named
	}{
		"an entry": {func(c *sqlite.Conn) error {
			values, err := row(c, "SELECT entry FROM objects WHERE path = ?", 1, at(3))
			values[0].([]byte)[5] ^= 1
			return errors.Join(err, c.Run("UPDATE objects SET entry = ? WHERE path = ?", values[0], at(3)))
		}, nth(3).Path},
		"a code":               {sql("UPDATE objects SET code = zeroblob(32) WHERE path = ?", at(3)), nth(3).Path},
		"a path":               {sql("UPDATE objects SET path = x'61' WHERE path = ?", at(3)), "a"},
		"a row is removed":     {sql("DELETE FROM objects WHERE path = ?", at(3)), ""},
		"a row is added":       {sql("INSERT INTO objects SELECT x'61', entry, code FROM objects LIMIT 1"), "a"},
		"all rows are removed": {sql("DELETE FROM objects"), ""},
		"an older row is put back": {func(c *sqlite.Conn) error {
			return c.Run(restore, append(old("SELECT entry, code FROM objects WHERE path = ?", 2, at(4)), at(4))...)
		}, ""},
		"an older row and the older state": {func(c *sqlite.Conn) error {
			return errors.Join(
				c.Run(restore, append(old("SELECT entry, code FROM objects WHERE path = ?", 2, at(4)), at(4))...),
				c.Run(restoreState, old("SELECT newest, code FROM state", 2)...))
		}, ""},
		"the older state": {func(c *sqlite.Conn) error {
			return c.Run(restoreState, old("SELECT newest, code FROM state", 2)...)
		}, ""},
		"two rows are swapped": {func(c *sqlite.Conn) error {
			const query = "SELECT entry, code FROM objects WHERE path = ?"
			a, err1 := row(c, query, 2, at(1))
			b, err2 := row(c, query, 2, at(2))
			return errors.Join(err1, err2, c.Run(restore, append(a, at(2))...), c.Run(restore, append(b, at(1))...))
		}, nth(1).Path},
		"no state":       {sql("DELETE FROM state"), ""},
		"a run begins":   {sql("UPDATE state SET began = began + 1"), ""},
		"another newest": {sql("UPDATE state SET newest = zeroblob(32)"), ""},
		"a record":       {sql(editRecord), ""},
		"the newest record is removed": {func(c *sqlite.Conn) error {
			return errors.Join(c.Run("DELETE FROM runs WHERE run = 2"), c.Run("UPDATE state SET runs = 1"))
		}, ""},
		"a record is there twice": {sql("INSERT INTO runs SELECT run + 1, record, code FROM runs WHERE run = 2"), ""},
		"the number of runs":      {sql("UPDATE state SET runs = runs - 1"), ""},
		"the code of all rows":    {sql("UPDATE state SET code = zeroblob(32)"), ""},
		"two records are swapped": {sql("UPDATE runs SET run = 5 - run"), ""},
		"a change is removed":     {sql("DELETE FROM changes WHERE run = 3"), ""},
		"a change":                {sql("UPDATE changes SET line = x'7b7d' WHERE run = 3"), ""},
		"a change of another run": {sql("UPDATE changes SET run = 3, nth = 9 WHERE run = 2"), ""},
		"a name":                  {sql("UPDATE names SET value = CAST(value || x'61' AS BLOB) WHERE name = 1"), ""},
		"a name is removed":       {sql("DELETE FROM names WHERE name = 1"), ""},
		"two names are swapped": {func(c *sqlite.Conn) error {
			return c.Exec("UPDATE names SET name = -name WHERE name < 3; UPDATE names SET name = 3 + name WHERE name < 0")
		}, ""},
	} {
		forged := copyFile(t, path)
		edit(t, forged, forge.edit)
		l := read(t, forged, ours)
		check.That(t, l.Standing() == ledger.Changed && l.Fault() != nil && l.Fault().Path == forge.names &&
			strings.HasPrefix(l.Fault().Error(), "the row of ") == (forge.names != ""),
			"%s: standing %v, %v; want the row of %q", what, l.Standing(), l.Fault(), forge.names)
		must.Do(t, l.Close())
		unchanged(t, forged)
	}
}

// unchanged checks that a writer does not change a ledger that is not its user's.
func unchanged(t *testing.T, path string) {
	t.Helper()
	was := must.Get(os.ReadFile(path))(t)
	write(t, path, func(w *ledger.Writer) {
		o := nth(1)
		err := errors.Join(w.Put(&o))
		check.That(t, errors.Is(err, ledger.ErrNotOwn), "Put: %v", err)
		for _, err := range []error{w.Begin(1), w.Remove(o.Path), w.Note(&run.Change{Path: o.Path}), w.Adopt(t.Context())} {
			check.That(t, err != nil || w.Interrupted() != 0, "an altered ledger is written to")
		}
		check.That(t, check.Err(w.AppendRun(t.Context(), record())) != nil, "an altered ledger gets a record")
	})
	is := must.Get(os.ReadFile(path))(t)
	check.That(t, bytes.Equal(was, is), "an altered ledger was changed")
}

// TestForgedPages: rows that a scan sees and a search does not.
func TestForgedPages(t *testing.T) {
	path := made(t, 5)
	whole := must.Get(os.ReadFile(path))(t)
	for n := range 5 {
		// The header of the row: its size, and the types of path, entry and code.
		name := []byte(nth(n).Path)
		header := bytes.Index(whole, append([]byte{12 + 2*sha256.Size}, name...)) - 4
		must.That(t, header >= 0 && whole[header] == 5 && whole[header+1] == byte(12+2*len(name)),
			"the row is in another form")
		forged := bytes.Clone(whole)
		forged[header+1]++ // a text
		must.Do(t, os.WriteFile(path, forged, 0o600))
		l := read(t, path, ours)
		check.That(t, l.Standing() == ledger.Changed, "%s is a text: %v", name, l.Standing())
	}
	// Two rows in the place of each other: each of them is sound by itself.
	const page, header = 4 << 10, 8
	swapped := bytes.Clone(whole)
	at := bytes.Index(whole, []byte(nth(0).Path)) / page * page
	copy(swapped[at+header:], whole[at+header+2:at+header+4])
	copy(swapped[at+header+2:], whole[at+header:at+header+2])
	must.Do(t, os.WriteFile(path, swapped, 0o600))
	l := read(t, path, ours)
	check.That(t, l.Standing() == ledger.Changed, "two rows are in the place of each other: %v", l.Standing())
}

// TestNotForged: a change that alters no row is no forgery.
func TestNotForged(t *testing.T) {
	path, _ := grown(t)
	for what, change := range map[string]func(*sqlite.Conn) error{
		"nothing":           sql("SELECT 1"),
		"the same values":   sql("UPDATE objects SET entry = entry"),
		"written ahead":     sql("PRAGMA journal_mode=WAL"),
		"indexes made anew": sql("REINDEX"),
	} {
		same := copyFile(t, path)
		edit(t, same, change)
		l := read(t, same, ours)
		check.That(t, l.Standing() == ledger.Own, "%s: %v", what, l.Fault())
		for _, err := range l.Objects(t.Context()) {
			must.Do(t, err)
		}
	}
}

// TestHistoryForged: the changes of a run that has a record are compared with it.
func TestHistoryForged(t *testing.T) {
	path, _ := grown(t)
	for _, change := range []string{
		"SELECT 1",
		"UPDATE changes SET line = replace(line, 'replaced', 'intact') WHERE run = 2",
		"UPDATE changes SET line = CAST(replace(CAST(line AS TEXT), 'replaced', 'intact') AS BLOB) WHERE run = 2",
		"DELETE FROM changes WHERE run = 2",
		"INSERT INTO changes SELECT run, path, nth + 1, line FROM changes WHERE run = 2",
		"UPDATE changes SET line = x'7b7d' WHERE run = 2",
	} {
		forged := copyFile(t, path)
		c := must.Get(sqlite.Open(forged, sqlite.ReadWrite))(t)
		refused := c.Exec(change) != nil
		must.Do(t, c.Close())
		var fault error
		for _, err := range read(t, forged, ours).Changes(t.Context(), 2) {
			fault = err
		}
		var altered *ledger.AlteredError
		sound := change == "SELECT 1" || refused
		check.That(t, sound == (fault == nil) && (sound || errors.As(fault, &altered)), "%s: %v", change, fault)
	}
}

// TestRolledBack: that the whole file was put back to an earlier state shows only by
// the digest of a later record.
func TestRolledBack(t *testing.T) {
	path, before := grown(t)
	l := read(t, path, ours)
	n, newest := l.Newest()
	first := must.Get(l.Run(1))(t)
	for _, test := range []struct {
		path   string
		digest run.Digest
		want   ledger.Expectation
	}{
		{path, newest, ledger.Expectation{Run: n, Newest: true, Fits: true}},
		{path, first.Digest, ledger.Expectation{Run: 1, Fits: true}},
		{path, sha256.Sum256(nil), ledger.Expectation{Fits: true}},
		{before, first.Digest, ledger.Expectation{Run: 1, Newest: true, Fits: true}},
		{before, newest, ledger.Expectation{Fits: true}},
	} {
		l := read(t, test.path, ours)
		if got, err := l.Expect(t.Context(), test.digest); got != test.want || err != nil || l.Standing() != ledger.Own {
			t.Errorf("%+v, %v, %v; want %+v", got, err, l.Fault(), test.want)
		}
	}
	// Another user sees that the objects do not match the record.
	path = copyFile(t, path)
	edit(t, path, sql("DELETE FROM objects WHERE path = ?", []byte(nth(3).Path)))
	e, err := read(t, path, others).Expect(t.Context(), newest)
	check.That(t, err == nil && e.Newest && !e.Fits, "%+v, %v", e, err)
	path = copyFile(t, path)
	edit(t, path, sql(editRecord))
	e, err = read(t, path, others).Expect(t.Context(), newest)
	check.That(t, err != nil, "a chain with another first record: %+v", e)
}

// TestKeySwapped: a ledger that claims another user's key, or ours.
func TestKeySwapped(t *testing.T) {
	path := made(t, 3)
	theirs := filepath.Join(t.TempDir(), "theirs.ledger")
	w, err := ledger.OpenWrite(t.Context(), theirs, others)
	must.Do(t, errors.Join(err, w.Close()))
	c := must.Get(sqlite.Open(theirs, sqlite.ReadOnly))(t)
	id, err := row(c, "SELECT key_id FROM state", 1)
	must.Do(t, errors.Join(err, c.Close()))
	edit(t, path, sql("UPDATE state SET key_id = ?", id[0]))
	l := read(t, path, ours)
	check.That(t, l.Standing() == ledger.Foreign, "%v %v", l.Standing(), l.Fault())
	l = read(t, path, others)
	check.That(t, l.Standing() == ledger.Changed, "%v %v", l.Standing(), l.Fault())
}
