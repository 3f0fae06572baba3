package sqlite

import (
	"errors"
	"path/filepath"
	"testing"
)

// TestVacuum: a file is written again without its free pages, and no other file can be
// attached before or afterwards.
func TestVacuum(t *testing.T) {
	c, err := Open(filepath.Join(t.TempDir(), "file.db"), Create)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const rows = "INSERT INTO a VALUES (zeroblob(1000000)), ('kept'); DELETE FROM a WHERE rowid = 1"
	fill := c.Exec("CREATE TABLE a (x); " + rows)
	before, err := c.Number("PRAGMA page_count")
	vacuum := c.Vacuum()
	after, err2 := c.Number("PRAGMA page_count")
	left, err3 := c.Number("SELECT count(*) FROM a WHERE x = 'kept'")
	if err := errors.Join(fill, err, vacuum, err2, err3); err != nil || after >= before || left != 1 {
		t.Errorf("%d pages, %d before, %d rows, %v", after, before, left, err)
	}
	if err := c.Exec("ATTACH ':memory:' AS other"); err == nil {
		t.Error("a file was attached")
	}
}
