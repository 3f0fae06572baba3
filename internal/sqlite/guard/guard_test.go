package guard

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

var (
	errNot     = errors.New("no such file")
	errForeign = errors.New("made by others")
	errBusy    = errors.New("busy")
)

var kind = Kind{
	Name: "file", ApplicationID: 0x61626364, PageSize: 4096, ErrNot: errNot, ErrForeign: errForeign, ErrBusy: errBusy,
	Steps: []string{"CREATE TABLE a (x)", "CREATE TABLE b (x)"},
	Late:  []Late{{"a_by_x", "CREATE INDEX IF NOT EXISTS a_by_x ON a (x)"}},
}

func TestFailedMigrationLeavesTheOlderVersion(t *testing.T) {
	c := must.Get(sqlite.Open(filepath.Join(t.TempDir(), "file.db"), sqlite.Create))(t)
	defer c.Close()
	k := Kind{Steps: []string{"CREATE TABLE a (x)", "CREATE TABLE b (x); CREATE TABLE a (y)"}}
	must.That(t, k.Migrate(c) != nil, "a migration that cannot be was made")
	version, err := c.Number("PRAGMA user_version")
	tables, err2 := c.Number("SELECT count(*) FROM sqlite_schema")
	check.That(t, version == 1 && tables == 1 && err == nil && err2 == nil,
		"version %d with %d tables, %v, %v; want what was before", version, tables, err, err2)
}

// TestShape: an object that was added to a file, left out or declared in another way is named.
// Late objects may be missing.
func TestShape(t *testing.T) {
	for change, want := range map[string]string{
		"SELECT 1": "",
		"CREATE INDEX IF NOT EXISTS a_by_x ON a (x)":                  "",
		"CREATE INDEX a_by_x ON a (x DESC)":                           "in another way",
		"CREATE TABLE c (x)":                                          "table",
		"DROP TABLE a":                                                "lacks the table a",
		"DROP TABLE b; CREATE TABLE b (y)":                            "in another way",
		"DROP TABLE b; CREATE VIEW b AS SELECT 1 x":                   "in another way",
		"CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM b; END": "trigger",
		"PRAGMA user_version=0":                                       "version 0",
		"PRAGMA user_version=3":                                       "later one than 2",
		"PRAGMA application_id=7":                                     "another program",
	} {
		path := filepath.Join(t.TempDir(), "file.db")
		must.Do(t, kind.Create(path))
		c := must.Get(sqlite.Open(path, sqlite.ReadWrite))(t)
		if err := c.Exec(change); err != nil {
			t.Fatal(change, err)
		}
		version, err := kind.Shape(c)
		switch {
		case want == "" && (err != nil || version != 2):
			t.Errorf("%s: version %d, %v", change, version, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %s", change, err, want)
		}
		must.Do(t, c.Close())
	}
}

// TestIdentify: a file is recognised by its header and by the files next to it.
func TestIdentify(t *testing.T) {
	for what, test := range map[string]struct {
		damage func(path string) error
		want   error
	}{
		"nothing":               {func(string) error { return nil }, nil},
		"a log beside it":       {func(p string) error { return os.WriteFile(p+"-wal", nil, 0o600) }, nil},
		"cut off":               {func(p string) error { return os.Truncate(p, 99) }, errNot},
		"empty":                 {func(p string) error { return os.Truncate(p, 0) }, errNot},
		"text":                  {func(p string) error { return os.WriteFile(p, make([]byte, 200), 0o600) }, errNot},
		"a directory beside it": {func(p string) error { return os.Mkdir(p+"-journal", 0o700) }, errForeign},
		"a link beside it":      {func(p string) error { return os.Symlink(p, p+"-wal") }, errForeign},
		"a shared log":          {shared("-wal"), errForeign},
		"a shared index":        {shared("-shm"), errForeign},
		"a shared journal":      {shared("-journal"), errForeign},
		"a shared lock":         {shared(LockSuffix), errForeign},
		"a log of its own": {func(p string) error {
			return errors.Join(shared("-wal")(p), os.Remove(p+".evidence"))
		}, nil},
		"a name of its own": {func(p string) error { return os.Link(p, p+".copy") }, nil},
		"a journal of several": {func(p string) error {
			return os.WriteFile(p+"-journal", append(make([]byte, 8), 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7), 0o600)
		}, errForeign},
	} {
		path := filepath.Join(t.TempDir(), "file.db")
		must.Do(t, errors.Join(kind.Create(path), test.damage(path)))
		if err := kind.Identify(path); !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
			t.Errorf("%s: %v, want %v", what, err, test.want)
		}
	}
}

// shared puts a hard link to another file next to a file.
func shared(suffix string) func(path string) error {
	return func(path string) error {
		other := path + ".evidence"
		return errors.Join(os.WriteFile(other, []byte("evidence"), 0o600), os.Link(other, path+suffix))
	}
}

// TestPlaceToWrite: a file is found behind links on the way to it, and is written to only
// if that changes no other file.
func TestPlaceToWrite(t *testing.T) {
	for what, test := range map[string]struct {
		change func(path string) error
		want   string
	}{
		"as it is":     {func(string) error { return nil }, ""},
		"a hard link":  {func(path string) error { return os.Link(path, path+".copy") }, "2 hard links"},
		"a shared log": {shared("-wal"), "2 hard links"},
		"no file":      {os.Remove, ""},
		"a link": {func(path string) error {
			return errors.Join(os.Rename(path, path+".moved"), os.Symlink(path+".moved", path))
		}, "a symbolic link"},
		"a link to nothing": {func(path string) error {
			return errors.Join(os.Remove(path), os.Symlink("absent", path))
		}, "a link to nothing"},
		"a folder in its place": {func(path string) error {
			return errors.Join(os.Remove(path), os.Mkdir(path, 0o700))
		}, "a directory"},
	} {
		path := filepath.Join(t.TempDir(), "file.db")
		linked := filepath.Join(t.TempDir(), "linked")
		must.Do(t, errors.Join(kind.Create(path), os.Symlink(filepath.Dir(path), linked), test.change(path)))
		at, err := kind.PlaceToWrite(filepath.Join(linked, "file.db"))
		switch {
		case test.want == "" && (err != nil || at != path):
			t.Errorf("%s: %s, %v", what, at, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: %v, want %s", what, err, test.want)
		}
	}
}
