package sqlite

import (
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
