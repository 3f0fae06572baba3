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
					check.That(t, errors.Is(err, errBusy), "%v", err)
					continue
				}
				n := holders.Add(1)
				check.That(t, n == 1, "%d have the lock", n)
				times.Add(1)
				for range 100 {
					runtime.Gosched() // the others shall try
				}
				holders.Add(-1)
				check.Do(t, lock.Release())
			}
		})
	}
	all.Wait()
	check.That(t, times.Load() != 0, "nobody had the lock")
	_, err := os.Lstat(path + LockSuffix)
	check.That(t, errors.Is(err, os.ErrNotExist), "in the end the lock is there, %v", err)
}
