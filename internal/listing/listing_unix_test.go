//go:build unix

package listing_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestKinds: listing does not wait for a pipe, and a name can have any octets.
func TestKinds(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "a\xffb\nc", "x")
	write(t, dir, "z", "x")
	root := open(t, dir)
	all := list(t, root)
	must.That(t, len(all) == 3 && all[0].Path == "a\xffb\nc" && all[0].Err == nil &&
		errors.Is(all[1].Err, listing.ErrKind), "%+v", all)
	reader := root.Reader()
	defer reader.Close()
	if f, err := reader.Open("a\xffb\nc"); err != nil {
		t.Error(err)
	} else {
		f.Close()
	}
	// What was a file becomes a pipe, or is gone.
	if err := errors.Join(os.Remove(filepath.Join(dir, "z")), syscall.Mkfifo(filepath.Join(dir, "z"), 0o644)); err != nil {
		t.Fatal(err)
	}
	if _, err := reader.Open("z"); !errors.Is(err, listing.ErrKind) {
		t.Error(err)
	}
	if err := os.Remove(filepath.Join(dir, "pipe")); err != nil {
		t.Fatal(err)
	}
	if _, err := reader.Open("pipe"); !errors.Is(err, listing.ErrGone) {
		t.Error(err)
	}
}
