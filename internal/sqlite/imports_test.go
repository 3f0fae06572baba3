package sqlite

import (
	"errors"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestKnowsNothingOfEvents: of the project, the package imports access alone, which opens
// files, and its tests import must.
func TestKnowsNothingOfEvents(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil || strings.HasPrefix(path, "github.com/svc-edge/") && !strings.HasSuffix(path, "/internal/access") &&
				!(strings.HasSuffix(path, "/internal/must") && strings.HasSuffix(name, "_test.go")) {
				t.Errorf("%s imports %s, %v", name, path, err)
			}
		}
	}
}

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
