package spool

import (
	"errors"
	"os"
	"testing"
)

// TestNamedFile is about systems on which a file in use keeps its name: closing
// removes it.
func TestNamedFile(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	kept := &Temporary{f, true}
	if err := kept.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(f.Name()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is still there, %v", err)
	}
}
