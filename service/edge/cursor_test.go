package edge_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/edge"
)

func TestCursorFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cursor")
	if c, err := edge.ReadCursor(path); err != nil || c != (edge.Cursor{}) {
		t.Errorf("no file: %v, %v", c, err)
	}
	for i := range int64(3) {
		want := edge.Cursor{Node: "mesh.oslo:1", Sequence: i * 1_000_000}
		must.Do(t, want.WriteFile(path))
		if c, err := edge.ReadCursor(path); err != nil || c != want {
			t.Errorf("%v, %v; expected %v", c, err, want)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
	check.That(t, (edge.Cursor{Node: "n"}).WriteFile(filepath.Join(path, "x")) != nil,
		"a folder that is a file was written into")
}

func TestParseCursor(t *testing.T) {
	for _, text := range []string{"", ".", "n", "n.", ".1", "n.01", "n.-1", "n.+1", "n.1 ", " n.1", "n.1\n", "n/2.1",
		"n.9007199254740992", "n.0x1", "n.1e3", strings.Repeat("n", 101) + ".1"} {
		if c, err := edge.ParseCursor(text); err == nil {
			t.Errorf("%q was read as %v", text, c)
		}
	}
	for _, c := range []edge.Cursor{{"n", 0}, {"n.5", 7}, {strings.Repeat("n", 100), 1<<53 - 1}} {
		if found, err := edge.ParseCursor(c.String()); err != nil || found != c {
			t.Errorf("%v: found %v, %v", c, found, err)
		}
	}
}

func FuzzParseCursor(f *testing.F) {
	f.Add("mesh-oslo-1.42")
	f.Add("a.b.0" + strconv.Itoa(1))
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := edge.ParseCursor(text); err == nil && c.String() != text {
			t.Errorf("%q was read as %q", text, c)
		}
	})
}

// TestCheckCursorFile: a file that could not be replaced is refused beforehand,
// and nothing is left by the question.
func TestCheckCursorFile(t *testing.T) {
	dir := t.TempDir()
	check.Do(t, edge.CheckCursorFile(filepath.Join(dir, "cursor")))
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("%v, %v", entries, err)
	}
	check.That(t, edge.CheckCursorFile(filepath.Join(dir, "none", "cursor")) != nil,
		"a file in a folder that is not there can be written")
}
