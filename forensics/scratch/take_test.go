package scratch

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// TestTake: the copy of a case comes to what its evidence comes to, and the case is
// as it was.
func TestTake(t *testing.T) {
	dir := t.TempDir()
	root := written(t, harness.Description{Name: "revoked"}, dir)
	path := filepath.Join(t.TempDir(), "case.db")
	w := must.Get(store.OpenWrite(path))(t)
	must.Get(ingest.Paths(t.Context(), w, []string{dir}, ingest.Options{}, nil))(t)
	must.Do(t, w.Close())
	octets := must.Get(os.ReadFile(path))(t)
	below := t.TempDir()
	taken := must.Get(New(below))(t)
	must.Do(t, taken.Take(t.Context(), bytes.NewReader(octets)))
	r, err := taken.Examine(t.Context(), root, examine.Options{})
	must.Do(t, taken.Remove())
	empty(t, below)
	want := checked(t, []string{dir}, root).Verdict
	check.That(t, err == nil && r.Verdict == want && want != verify.Rejected, "it comes to %+v, %v, want %s", r, err, want)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	c := must.Get(New(t.TempDir()))(t)
	if err := c.Take(ended, bytes.NewReader(nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("called off: %v", err)
	}
	check.Do(t, c.Remove())
}
