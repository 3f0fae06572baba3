package producers

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/internal/must"
)

// faults are forms that are not read as they should be, each with its fault. The test fails
// where one is read right after all: its line must go then.
var faults = map[string]string{
	"pack/cpio-newc": namedOpen,
	"pack/cpio-odc":  namedOpen,
	"pack/cpio-crc":  namedOpen,
	"pack/cpio-bin":  namedOpen,
	"pack/ar":        namedOpen,

	"python/bson":           namedOpen,
	"python/bson-event":     ownTypes,
	"python/msgpack-fluent": namedOpen,
	"python/msgpack-event":  ownTypes,

	"python/pickle":          namedOpen,
	"postgresql/copy-binary": namedOpen,
}

// Faults of several forms.
const (
	namedOpen = "a binary format that is only named leaves the verdict open, though all events in it are read"
	ownTypes  = "an event that is a document of the store's own types is not read"
)

var question = regexp.MustCompile("(?s)```sql\n(.*?)```\n\n```\n(.*?)```\n")

// TestQuestions has the shell of SQLite ask a case the questions of docs/case.md, and wants
// the answers of the document.
func TestQuestions(t *testing.T) {
	all := question.FindAllSubmatch(read(t, filepath.Join("..", "..", "docs", "case.md")), -1)
	must.That(t, len(all) >= 10, "docs/case.md has %d questions, want 10", len(all))
	b := &bench{verify: build(t), root: t.TempDir()}
	t.Chdir(t.TempDir())
	b.run(t, append([]string{"ingest", "case.db", "--index"}, must.Get(harness.WriteAsked(""))(t)...)...)
	b.run(t, "walk", "case.db", "--trust", filepath.Join("scene", "trust.json"))
	for _, m := range all {
		got, err := exec.Command("sqlite3", "-readonly", "-header", "case.db", string(m[1])).CombinedOutput() // #nosec G204
		if err != nil || string(got) != string(m[2]) {
			t.Errorf("%s: %v\n%swant\n%s", m[1], err, got, m[2])
		}
	}
}
