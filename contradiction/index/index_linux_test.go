package index

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/spool"
)

// TestFilesHaveNoName holds that nothing would be left if the program were killed:
// the files are private, and have no name while they are in use.
func TestFilesHaveNoName(t *testing.T) {
	dir := t.TempDir()
	x := New(Options{Dir: dir, Memory: 1})
	defer x.Close()
	add(t, x, many(20)...)
	info, err := x.facts.file.Stat()
	check.That(t, err == nil && info.Mode() == 0o600 && info.Size() != 0 && info.Sys().(*syscall.Stat_t).Nlink == 0,
		"%+v, %v", info, err)
	left, _ := os.ReadDir(dir)
	check.That(t, len(left) == 0, "%v has a name", left)
}

// TestFullDisk lets every write fail as it does on a full disk.
func TestFullDisk(t *testing.T) {
	device, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	must.Do(t, err)
	x := New(Options{Dir: t.TempDir(), Memory: 1})
	x.facts.file = &spool.Temporary{File: device}
	err = nil
	for n, f := range many(20) {
		err = errors.Join(err, x.Add(uint32(n), &f))
	}
	check.That(t, errors.Is(err, syscall.ENOSPC) && strings.Contains(err.Error(), "no space left on device"),
		"error %v", err)
	if _, err := x.Settle(t.Context()); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("settled with %v", err)
	}
	check.Do(t, x.Close())
}
