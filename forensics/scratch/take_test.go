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
	"github.com/svc-edge/svc-verify/verify"
)

// TestTake: the copy of a case comes to what its evidence comes to, and the case is
// as it was.
func TestTake(t *testing.T) {
	dir := t.TempDir()
	root := written(t, harness.Description{Name: "revoked"}, dir)
	path := filepath.Join(t.TempDir(), "case.db")
	w, err := store.OpenWrite(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = ingest.Paths(t.Context(), w, []string{dir}, ingest.Options{}, nil)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	octets, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	below := t.TempDir()
	taken, err := New(below)
	if err != nil {
		t.Fatal(err)
	}
	if err := taken.Take(t.Context(), bytes.NewReader(octets)); err != nil {
		t.Fatal(err)
	}
	r, err := taken.Examine(t.Context(), root, examine.Options{})
	if err := taken.Remove(); err != nil {
		t.Fatal(err)
	}
	empty(t, below)
	if want := checked(t, []string{dir}, root).Verdict; err != nil || r.Verdict != want || want == verify.Rejected {
		t.Errorf("it comes to %+v, %v, want %s", r, err, want)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	c, err := New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Take(ended, bytes.NewReader(nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("called off: %v", err)
	}
	if err := c.Remove(); err != nil {
		t.Error(err)
	}
}
