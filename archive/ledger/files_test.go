package ledger_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// TestOtherFiles: files that differ from the ledgers of svc-verify are not opened.
func TestOtherFiles(t *testing.T) {
	path := made(t, 50)
	for what, test := range map[string]struct {
		damage func(path string) error
		want   error
	}{
		"a trigger":   {script("CREATE TRIGGER t AFTER INSERT ON objects BEGIN DELETE FROM runs; END"), ledger.ErrForeign},
		"a view":      {script("DROP TABLE runs; CREATE VIEW runs AS SELECT 1 run, x'' record, x'' code"), ledger.ErrForeign},
		"a table":     {script("CREATE TABLE more (x)"), ledger.ErrForeign},
		"no table":    {script("DROP TABLE changes"), ledger.ErrForeign},
		"an index":    {script("CREATE INDEX i ON objects (code)"), ledger.ErrForeign},
		"version 0":   {script("PRAGMA user_version=0"), ledger.ErrForeign},
		"version 9":   {script("PRAGMA user_version=9"), nil},
		"a case":      {script("PRAGMA application_id=0x73766356"), ledger.ErrNotLedger},
		"cut in half": {func(path string) error { return os.Truncate(path, 8<<10) }, ledger.ErrDamaged},
		"cut short":   {func(path string) error { return os.Truncate(path, 50) }, ledger.ErrNotLedger},
		"absent":      {os.Remove, ledger.ErrMissing},
		"a directory": {func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) }, nil},
	} {
		damaged := copyFile(t, path)
		must.Do(t, test.damage(damaged))
		_, err := ledger.Open(t.Context(), damaged, ours)
		check.That(t, err != nil && (test.want == nil || errors.Is(err, test.want)), "%s: %v, want %v", what, err,
			test.want)
		if errors.Is(err, ledger.ErrMissing) {
			continue
		}
		if _, err := ledger.OpenWrite(t.Context(), damaged, ours); err == nil || test.want != nil &&
			!errors.Is(err, test.want) {
			t.Errorf("%s: to write: %v", what, err)
		}
	}
}

func script(text string) func(string) error {
	return func(path string) error {
		c, err := sqlite.Open(path, sqlite.ReadWrite)
		if err != nil {
			return err
		}
		return errors.Join(c.Exec(text), c.Close())
	}
}

// TestOutside: no name and no link hides that a file is inside the archive.
func TestOutside(t *testing.T) {
	base := t.TempDir()
	dir, sub := filepath.Join(base, "archive"), filepath.Join(base, "archive", "2026")
	must.Do(t, errors.Join(os.MkdirAll(sub, 0o700), os.Mkdir(filepath.Join(base, "archives"), 0o700),
		os.Symlink(sub, filepath.Join(base, "way")), os.Symlink(dir, filepath.Join(base, "same")),
		os.Symlink(filepath.Join(base, "archives"), filepath.Join(dir, "out")),
		os.Symlink(filepath.Join(sub, "l.db"), filepath.Join(base, "l.db")),
		os.Symlink(filepath.Join("archive", "later.db"), filepath.Join(base, "later.db")),
		os.WriteFile(filepath.Join(sub, "l.db"), nil, 0o600)))
	t.Chdir(sub)
	for _, file := range []string{
		filepath.Join(dir, "l.db"), filepath.Join(sub, "l.db"), filepath.Join(sub, "new.db"), "l.db",
		filepath.Join("..", "l.db"),
		filepath.Join(base, "way", "new.db"), filepath.Join(base, "same", "l.db"), filepath.Join(base, "l.db"),
		filepath.Join(base, "later.db"),
	} {
		for _, name := range []string{dir, filepath.Join(base, "same")} {
			err := ledger.Outside(name, file)
			check.That(t, errors.Is(err, ledger.ErrInside), "%s in %s: %v", file, name, err)
		}
	}
	for _, file := range []string{
		filepath.Join(base, "new.db"), filepath.Join(base, "archives", "l.db"), filepath.Join(dir, "out", "l.db"),
		filepath.Join("..", "..", "other.db"),
	} {
		check.OK(t, ledger.Outside(dir, file), "%s", file)
	}
	err := ledger.Outside(dir, filepath.Join(base, "nowhere", "l.db"))
	check.That(t, err != nil && !errors.Is(err, ledger.ErrInside), "a folder that is not there: %v", err)
	check.That(t, ledger.Outside(filepath.Join(base, "nowhere"), filepath.Join(base, "l.db")) != nil,
		"an archive that is not there")
}

// TestHot: a ledger whose writer was killed in the middle of a commit can be read, and has its
// content from before.
func TestHot(t *testing.T) {
	path := made(t, 400)
	c := must.Get(sqlite.Open(path, sqlite.ReadWrite))(t)
	// A cache of one page has the engine write to the file before the commit.
	for _, statement := range []string{"PRAGMA cache_size=1", "BEGIN IMMEDIATE",
		"UPDATE objects SET entry = zeroblob(500)"} {
		must.Do(t, c.Exec(statement))
	}
	hot := filepath.Join(t.TempDir(), "hot.ledger")
	for _, suffix := range []string{"", "-journal"} {
		octets, err := os.ReadFile(path + suffix)
		if err == nil {
			err = os.WriteFile(hot+suffix, octets, 0o600)
		}
		must.Do(t, err)
	}
	must.Do(t, c.Rollback())
	must.Do(t, c.Close())
	l := must.Get(ledger.Open(t.Context(), hot, ours))(t)
	check.That(t, l.Standing() == ledger.Own && l.Len() == 400, "standing %s, %d objects: %v", l.Standing(), l.Len(),
		l.Fault())
	must.Do(t, l.Close())
	w := must.Get(ledger.OpenWrite(t.Context(), hot, ours))(t)
	if err := w.Close(); err != nil || w.Len() != 400 {
		t.Errorf("a writer finds %d objects, %v", w.Len(), err)
	}
	if left, err := os.ReadDir(filepath.Dir(hot)); err != nil || len(left) != 1 {
		t.Errorf("after a writer %v is left, %v", left, err)
	}
}
