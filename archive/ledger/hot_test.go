package ledger_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// TestHot: a ledger whose writer was killed in the middle of a commit can be read,
// and has what it had before. Reading it changes nothing.
func TestHot(t *testing.T) {
	path := made(t, 400)
	c := must.Get(sqlite.Open(path, sqlite.ReadWrite))(t)
	// A cache of one page has the engine write to the file before the commit.
	for _, statement := range []string{"PRAGMA cache_size=1", "BEGIN IMMEDIATE",
		"UPDATE objects SET entry = zeroblob(500)"} {
		must.Do(t, c.Exec(statement))
	}
	hot, as := filepath.Join(t.TempDir(), "hot.ledger"), map[string]string{}
	for _, suffix := range []string{"", "-journal"} {
		octets, err := os.ReadFile(path + suffix)
		if err == nil {
			as[suffix] = string(octets)
			err = os.WriteFile(hot+suffix, octets, 0o600)
		}
		must.Do(t, err)
	}
	must.Do(t, c.Rollback())
	must.Do(t, c.Close())
	l := must.Get(ledger.Open(t.Context(), hot, ours))(t)
	if l.Standing() != ledger.Own || l.Len() != 400 {
		t.Errorf("standing %d, %d objects: %v", l.Standing(), l.Len(), l.Fault())
	}
	must.Do(t, l.Close())
	for suffix, want := range as {
		if left, err := os.ReadFile(hot + suffix); err != nil || string(left) != want {
			t.Errorf("reading changed %q, %v", "ledger"+suffix, err)
		}
	}
	left, err := os.ReadDir(filepath.Dir(hot))
	if err != nil || len(left) != 2 {
		t.Errorf("%v is left, %v", left, err)
	}
	w := must.Get(ledger.OpenWrite(t.Context(), hot, ours))(t)
	if err := w.Close(); err != nil || w.Len() != 400 {
		t.Errorf("a writer finds %d objects, %v", w.Len(), err)
	}
	if left, err := os.ReadDir(filepath.Dir(hot)); err != nil || len(left) != 1 {
		t.Errorf("after a writer %v is left, %v", left, err)
	}
}
