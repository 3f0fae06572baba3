package ledger_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// TestHot: a ledger whose writer was killed in the middle of a commit can be read,
// and has what it had before. Reading it changes nothing.
func TestHot(t *testing.T) {
	path := made(t, 400)
	c, err := sqlite.Open(path, sqlite.ReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	// A cache of one page has the engine write to the file before the commit.
	for _, statement := range []string{"PRAGMA cache_size=1", "BEGIN IMMEDIATE",
		"UPDATE objects SET entry = zeroblob(500)"} {
		if err := c.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	hot, as := filepath.Join(t.TempDir(), "hot.ledger"), map[string]string{}
	for _, suffix := range []string{"", "-journal"} {
		octets, err := os.ReadFile(path + suffix)
		if err == nil {
			as[suffix] = string(octets)
			err = os.WriteFile(hot+suffix, octets, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := ledger.Open(t.Context(), hot, ours)
	if err != nil {
		t.Fatal(err)
	}
	if l.Standing() != ledger.Own || l.Len() != 400 {
		t.Errorf("standing %d, %d objects: %v", l.Standing(), l.Len(), l.Fault())
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for suffix, want := range as {
		if left, err := os.ReadFile(hot + suffix); err != nil || string(left) != want {
			t.Errorf("reading changed %q, %v", "ledger"+suffix, err)
		}
	}
	left, err := os.ReadDir(filepath.Dir(hot))
	if err != nil || len(left) != 2 {
		t.Errorf("%v is left, %v", left, err)
	}
	w, err := ledger.OpenWrite(t.Context(), hot, ours)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil || w.Len() != 400 {
		t.Errorf("a writer finds %d objects, %v", w.Len(), err)
	}
	if left, err := os.ReadDir(filepath.Dir(hot)); err != nil || len(left) != 1 {
		t.Errorf("after a writer %v is left, %v", left, err)
	}
}
