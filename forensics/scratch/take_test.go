package scratch

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/verify"
)

// TestTake: the copy of a case comes to what its evidence comes to, and the case is
// as it was. One by reference has no lines, wherever its sources are.
func TestTake(t *testing.T) {
	dir := t.TempDir()
	root := written(t, harness.Description{Name: "revoked"}, dir)
	for name, c := range map[string]struct {
		options ingest.Options
		want    verify.Verdict
	}{
		"whole":        {ingest.Options{}, checked(t, []string{dir}, root).Verdict},
		"by reference": {ingest.Options{ByReference: true}, ""},
	} {
		path := filepath.Join(t.TempDir(), "case.db")
		w, err := casefile.OpenWrite(path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = ingest.Paths(t.Context(), w, []string{dir}, c.options, nil)
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
		var elsewhere *casefile.ReferenceError
		if errors.As(err, &elsewhere) != c.options.ByReference || err == nil && r.Verdict != c.want ||
			c.want == verify.Rejected {
			t.Errorf("%s: it comes to %+v, %v, want %s", name, r, err, c.want)
		}
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
