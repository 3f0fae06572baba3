package ledger_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/internal/must"
)

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
			if err := ledger.Outside(name, file); !errors.Is(err, ledger.ErrInside) {
				t.Errorf("%s in %s: %v", file, name, err)
			}
		}
	}
	for _, file := range []string{
		filepath.Join(base, "new.db"), filepath.Join(base, "archives", "l.db"), filepath.Join(dir, "out", "l.db"),
		filepath.Join("..", "..", "other.db"),
	} {
		if err := ledger.Outside(dir, file); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	if err := ledger.Outside(dir, filepath.Join(base, "nowhere", "l.db")); err == nil || errors.Is(err, ledger.ErrInside) {
		t.Errorf("a folder that is not there: %v", err)
	}
	if err := ledger.Outside(filepath.Join(base, "nowhere"), filepath.Join(base, "l.db")); err == nil {
		t.Error("an archive that is not there")
	}
}
