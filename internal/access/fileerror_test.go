package access_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

func TestWithoutPath(t *testing.T) {
	at := &fs.PathError{Op: "open", Path: "evil\x1b[2J", Err: fs.ErrPermission}
	for _, err := range []error{at, fmt.Errorf("reading: %w", at)} {
		got := access.WithoutPath(err)
		check.That(t, got == fs.ErrPermission, "%q is %q", err, got)
	}
	other := errors.New("something else")
	got := access.WithoutPath(other)
	check.That(t, got == other, "%q is %q", other, got)
	check.That(t, access.WithoutPath(nil) == nil, "no error is one")
}

// TestCreate: the file is its owner's alone, whatever the umask is, and nothing is
// replaced or written through a link.
func TestCreate(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "key")
	f := must.Get(access.Create(path))(t)
	check.Do(t, check.Err(f.WriteString("secret")))
	check.Do(t, access.Check(f, access.Nothing))
	check.Do(t, f.Close())
	link := filepath.Join(dir, "link")
	must.Do(t, os.Symlink(filepath.Join(dir, "elsewhere"), link))
	for _, path := range []string{path, link, dir, filepath.Join(dir, "absent", "key")} {
		if f, err := access.Create(path); err == nil {
			t.Errorf("%s was made", path)
			_ = f.Close()
		}
	}
	doc, err := os.ReadFile(path)
	check.That(t, err == nil && string(doc) == "secret", "%q, %v", doc, err)
}
