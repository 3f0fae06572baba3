package harness

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestSharesNothingWithTheVerifier holds that the producer is written on its
// own: no part of it imports a part of the verifier, save package node, which
// replays links with package chain, and package dumps, which names the formats
// as their readers do and parses nothing with them but its own events.
func TestSharesNothingWithTheVerifier(t *testing.T) {
	const module = "github.com/svc-edge/svc-verify/"
	seen := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			seen++
			own, inside := strings.CutPrefix(name, module)
			witness := own == "chain" && strings.HasPrefix(path, "node/")
			dumps := (own == "forensics/read" || own == "internal/ijson") && strings.HasPrefix(path, "dumps/")
			if inside && own != "harness" && !strings.HasPrefix(own, "harness/") && !witness && !dumps {
				t.Errorf("%s imports %s", path, name)
			}
			if strings.Contains(name, "jcs") || strings.Contains(name, "jsontext") {
				t.Errorf("%s imports %s, which the verifier encodes with", path, name)
			}
		}
		return nil
	})
	if err != nil || seen < 100 {
		t.Errorf("%d imports seen, %v", seen, err)
	}
}
