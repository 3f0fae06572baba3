//go:build unix

package guard

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gofrs/flock"

	"github.com/svc-edge/svc-verify/internal/must"
)

// TestLockOfRemovedFile: a lock on a file that others do not find any more
// excludes no one.
func TestLockOfRemovedFile(t *testing.T) {
	lock := flock.New(filepath.Join(t.TempDir(), "lock"))
	if held, err := lock.TryLock(); err != nil || !held {
		t.Fatal(held, err)
	}
	defer lock.Close()
	if current, err := isCurrent(lock); !current || err != nil {
		t.Errorf("as it was locked: %t, %v", current, err)
	}
	must.Do(t, os.Remove(lock.Path()))
	if current, err := isCurrent(lock); current || err != nil {
		t.Errorf("removed: %t, %v", current, err)
	}
	must.Do(t, os.WriteFile(lock.Path(), nil, 0o600))
	if current, err := isCurrent(lock); current || err != nil {
		t.Errorf("made again: %t, %v", current, err)
	}
}
