package store

import (
	"errors"
	"os"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite/guard"
)

// TestLockIsRemoved: a case that nobody writes to has no lock beside it, and one
// that a killed process left behind is in nobody's way.
func TestLockIsRemoved(t *testing.T) {
	w, path := newWriter(t)
	if _, err := os.Lstat(path + guard.LockSuffix); err != nil {
		t.Error(err)
	}
	for range 2 {
		must.Do(t, w.Close())
		if _, err := os.Lstat(path + guard.LockSuffix); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a closed case: the lock is there, %v", err)
		}
		err := os.WriteFile(path+guard.LockSuffix, nil, 0o600)
		if err == nil {
			w, err = OpenWrite(path)
		}
		must.Do(t, err)
	}
	must.Do(t, w.Close())
	must.Do(t, os.WriteFile(path, []byte("no case"), 0o600))
	must.That(t, check.Err(OpenWrite(path)) != nil, "what is no case was opened")
	if _, err := os.Lstat(path + guard.LockSuffix); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what is no case: the lock is there, %v", err)
	}
}
