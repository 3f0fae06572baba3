package casefile

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// TestLockIsRemoved: a case that nobody writes to has no lock beside it, and one
// that a killed process left behind is in nobody's way.
func TestLockIsRemoved(t *testing.T) {
	w, path := newWriter(t)
	if _, err := os.Lstat(path + lockSuffix); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Lstat(path + lockSuffix); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a closed case: the lock is there, %v", err)
		}
		err := os.WriteFile(path+lockSuffix, nil, 0o600)
		if err == nil {
			w, err = OpenWrite(path)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("no case"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenWrite(path); err == nil {
		t.Fatal("what is no case was opened")
	}
	if _, err := os.Lstat(path + lockSuffix); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what is no case: the lock is there, %v", err)
	}
}

// TestLockExcludes: of many who take the lock and give it up at the same time,
// one has it.
func TestLockExcludes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "case.db")
	var holders, times atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 300 {
				lock, err := acquire(path)
				if err != nil {
					if !errors.Is(err, ErrBusy) {
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
				if err := release(lock); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if times.Load() == 0 {
		t.Error("nobody had the lock")
	}
	if _, err := os.Lstat(path + lockSuffix); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("in the end the lock is there, %v", err)
	}
}
