package spool

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestFullDisk: a write that fails as on a full disk is an error of Add, of At or of All.
func TestFullDisk(t *testing.T) {
	for _, records := range []int{1, 2} {
		device, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
		must.Do(t, err)
		s := NewSorter("", 1)
		s.file = &Temporary{File: device}
		err = nil
		for range records {
			err = errors.Join(err, s.Add([]byte("record")))
		}
		if want := records > 1; errors.Is(err, syscall.ENOSPC) != want {
			t.Errorf("%d records: %v, want an error: %t", records, err, want)
		}
		check.Do(t, s.Close())
	}
	f := must.Get(New(t.TempDir()))(t)
	defer f.Close()
	f.out.Reset(must.Get(os.OpenFile("/dev/full", os.O_RDWR, 0))(t))
	err := errors.Join(f.Add([]byte("record")), check.Err(f.At(0)))
	check.That(t, errors.Is(err, syscall.ENOSPC), "error %v", err)
}
