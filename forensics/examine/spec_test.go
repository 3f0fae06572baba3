package examine

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
)

var (
	citation = regexp.MustCompile(`SPEC (\d+(?:\.\d+)?(?:, \d+(?:\.\d+)?)*)`)
	heading  = regexp.MustCompile(`(?m)^#{2,3} (\d+(?:\.\d+)?)[ :]`)
)

// TestCitedSectionsExist: every section of the specification that a comment
// below this folder cites is there.
func TestCitedSectionsExist(t *testing.T) {
	sections := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(contents(t, filepath.Join("..", "..", "docs", "spec.md")), -1) {
		sections[m[1]] = true
	}
	cited := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		for _, m := range citation.FindAllStringSubmatch(contents(t, path), -1) {
			for _, section := range strings.Split(m[1], ", ") {
				cited++
				check.That(t, sections[section],
					"%s cites section %s, which docs/spec.md does not have", path, section)
			}
		}
		return nil
	})
	check.That(t, err == nil && cited != 0, "%d citations, %v", cited, err)
}
