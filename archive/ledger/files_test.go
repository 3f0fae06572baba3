package ledger_test

import (
	"errors"
	"os"
	"testing"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// TestOtherFiles: what is not as svc-verify makes ledgers is not opened.
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
		"cut in half": {func(path string) error { return os.Truncate(path, 8<<10) }, nil},
		"cut short":   {func(path string) error { return os.Truncate(path, 50) }, ledger.ErrNotLedger},
		"absent":      {os.Remove, ledger.ErrMissing},
		"a directory": {func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) }, nil},
	} {
		damaged := copyFile(t, path)
		must.Do(t, test.damage(damaged))
		_, err := ledger.Open(t.Context(), damaged, ours)
		if err == nil || test.want != nil && !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", what, err, test.want)
		}
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
