package schemas_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/schemas"
)

var (
	documentForm = regexp.MustCompile(`svc-(verify|harness|edge)/([a-z0-9-]+)/v([0-9]+)\b`)
	constForm    = regexp.MustCompile(`"const": "([^"]+)"`)
)

// withoutSchema are forms that no program hands out as a JSON document: the file of a
// part, which is binary, and the state of a walk, which stays in its case.
var withoutSchema = []string{"svc-verify/part/v1", "svc-verify/walk-state/v1"}

// TestFormsHaveSchemas: a document that names its form and version has a schema of that
// version, wherever it is written.
func TestFormsHaveSchemas(t *testing.T) {
	known := slices.Clone(withoutSchema)
	for _, name := range schemas.Names() {
		text := must.Get(schemas.Source(name))(t)
		for _, m := range constForm.FindAllSubmatch(text, -1) {
			if documentForm.Match(m[1]) && !slices.Contains(known, string(m[1])) {
				known = append(known, string(m[1]))
			}
		}
	}
	found := map[string]bool{}
	must.Do(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if hidden := strings.HasPrefix(d.Name(), ".") && path != ".."; d.IsDir() && (hidden || d.Name() == "bin") {
			return fs.SkipDir
		}
		written := slices.Contains([]string{".go", ".js", ".mjs", ".sh", ".html"}, filepath.Ext(path))
		if !written || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "/testdata/") {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range documentForm.FindAll(text, -1) {
			if found[string(m)] = true; !slices.Contains(known, string(m)) {
				t.Errorf("%s: the form %s has no schema: add schemas/NAME.schema.json", path, m)
			}
		}
		return err
	}))
	for _, form := range known {
		if !found[form] {
			t.Errorf("nothing writes the form %s", form)
		}
	}
}
