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
		if got := access.WithoutPath(err); got != fs.ErrPermission {
			t.Errorf("%q is %q", err, got)
		}
	}
	other := errors.New("something else")
	if got := access.WithoutPath(other); got != other {
		t.Errorf("%q is %q", other, got)
	}
	check.That(t, access.WithoutPath(nil) == nil, "no error is one")
}

// TestCreate: the file is its owner's alone, whatever the umask is, and nothing is
// replaced or written through a link.
func TestCreate(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "key")
	f := must.Get(access.Create(path))(t)
	if _, err := f.WriteString("secret"); err != nil {
		t.Error(err)
	}
	if err := access.Check(f, access.Nothing); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	link := filepath.Join(dir, "link")
	must.Do(t, os.Symlink(filepath.Join(dir, "elsewhere"), link))
	for _, path := range []string{path, link, dir, filepath.Join(dir, "absent", "key")} {
		if f, err := access.Create(path); err == nil {
			t.Errorf("%s was made", path)
			_ = f.Close()
		}
	}
	if doc, err := os.ReadFile(path); err != nil || string(doc) != "secret" {
		t.Errorf("%q, %v", doc, err)
	}
}
