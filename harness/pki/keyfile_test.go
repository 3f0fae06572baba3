package pki

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte("old and longer"), 0o644); err != nil { //nolint:gosec // it must not stay so
		t.Fatal(err)
	}
	must.Do(t, WriteSecret(path, []byte("new")))
	info, err := os.Stat(path)
	if b, _ := os.ReadFile(path); err != nil || string(b) != "new" || info.Mode().Perm() != 0o600 {
		t.Errorf("%q, %v, %v", b, info.Mode(), err)
	}
}

func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.Mkdir(filepath.Join(dir, "taken"), 0o700))
	check.That(t, WriteSecret(filepath.Join(dir, "taken"), nil) != nil, "a folder was replaced")
	check.That(t, WriteSecret(filepath.Join(dir, "none", "key"), nil) != nil, "a file was written to a folder that is not there")
	left, _ := os.ReadDir(dir)
	check.That(t, len(left) == 1, "%d files are left", len(left))
}
