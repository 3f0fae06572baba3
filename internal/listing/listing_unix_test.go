//go:build unix

package listing_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestKinds: listing does not wait for a pipe, and a name can have any bytes.
func TestKinds(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
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
	// A file becomes a pipe, and another one is gone.
	must.Do(t, errors.Join(os.Remove(filepath.Join(dir, "z")), syscall.Mkfifo(filepath.Join(dir, "z"), 0o644)))
	_, err := reader.Open("z")
	check.That(t, errors.Is(err, listing.ErrKind), "%v", err)
	must.Do(t, os.Remove(filepath.Join(dir, "pipe")))
	_, err = reader.Open("pipe")
	check.That(t, errors.Is(err, listing.ErrGone), "%v", err)
}
