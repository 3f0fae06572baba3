package guard

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
)

// TestLockExcludes: of many who take the lock and give it up at the same time,
// one has it.
func TestLockExcludes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file.db")
	var holders, times atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 300 {
				lock, err := kind.Lock(path)
				if err != nil {
					if !errors.Is(err, errBusy) {
						t.Error(err)
					}
					continue
				}
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d have the lock", n)
				}
				times.Add(1)
				for range 100 {
					runtime.Gosched() // the others shall try
				}
				holders.Add(-1)
				if err := lock.Release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	check.That(t, times.Load() != 0, "nobody had the lock")
	if _, err := os.Lstat(path + LockSuffix); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("in the end the lock is there, %v", err)
	}
}
