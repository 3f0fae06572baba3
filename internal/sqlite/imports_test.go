package sqlite

import (
	"errors"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestKnowsNothingOfEvents: of the project, the package imports access alone, which opens
// files, and its tests import check and must.
func TestKnowsNothingOfEvents(t *testing.T) {
	files, err := filepath.Glob("*.go")
	must.That(t, err == nil && len(files) >= 10, "%v %v", files, err)
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		must.Do(t, err)
		for _, spec := range f.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil || strings.HasPrefix(path, "github.com/svc-edge/") && !strings.HasSuffix(path, "/internal/access") &&
				!(strings.HasSuffix(name, "_test.go") && slices.Contains([]string{"check", "must"}, filepath.Base(path))) {
				t.Errorf("%s imports %s, %v", name, path, err)
			}
		}
	}
}

// TestVacuum: a file is written again without its free pages, and no other file can be
// attached before or afterwards.
func TestVacuum(t *testing.T) {
	c, err := Open(filepath.Join(t.TempDir(), "file.db"), Create)
	must.Do(t, err)
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
	check.That(t, c.Exec("ATTACH ':memory:' AS other") != nil, "a file was attached")
}
