package spool

import (
	"errors"
	"os"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
)

// TestNamedFile is about systems on which a file in use keeps its name: closing
// removes it.
func TestNamedFile(t *testing.T) {
	f := must.Get(os.CreateTemp(t.TempDir(), ""))(t)
	kept := &Temporary{f, true}
	if err := kept.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(f.Name()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is still there, %v", err)
	}
}
