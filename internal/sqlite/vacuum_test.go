package sqlite

import (
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
)

// TestVacuum: a file is written again without its free pages, and no other file can be
// attached before or afterwards.
func TestVacuum(t *testing.T) {
	c := must.Get(Open(filepath.Join(t.TempDir(), "file.db"), Create))(t)
	defer c.Close()
	must.Do(t, c.Exec("CREATE TABLE a (x); INSERT INTO a VALUES (zeroblob(1000000)), ('kept'); DELETE FROM a WHERE rowid = 1"))
	before := must.Get(c.Number("PRAGMA page_count"))(t)
	must.Do(t, c.Vacuum())
	if after := must.Get(c.Number("PRAGMA page_count"))(t); after >= before {
		t.Errorf("%d pages, and %d before", after, before)
	}
	if n := must.Get(c.Number("SELECT count(*) FROM a WHERE x = 'kept'"))(t); n != 1 {
		t.Errorf("%d rows are left", n)
	}
	if err := c.Exec("ATTACH ':memory:' AS other"); err == nil {
		t.Error("a file was attached")
	}
}
