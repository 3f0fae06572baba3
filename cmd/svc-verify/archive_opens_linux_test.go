package main

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
)

// opens counts how often each file below a folder is opened, by any process: a program's own
// report is no measure of its work.
type opens struct {
	fd      int
	folders map[int32]string
	seen    map[string]int // how often each file was opened, by path below the folder
}

// watchOpens watches a folder and all that are in it now.
func watchOpens(t *testing.T, dir string) *opens {
	t.Helper()
	fd := must.Get(syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC))(t)
	t.Cleanup(func() { syscall.Close(fd) })
	o := &opens{fd: fd, folders: map[int32]string{}, seen: map[string]int{}}
	must.Do(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		watch, err := syscall.InotifyAddWatch(fd, path, syscall.IN_OPEN)
		below, _ := filepath.Rel(dir, path)
		o.folders[int32(watch)] = below // #nosec G115 -- the kernel's own type
		return err
	}))
	return o
}

// take reads the available events, and returns the number of opened files.
func (o *opens) take(t *testing.T) int {
	t.Helper()
	buffer := make([]byte, 1<<16)
	for {
		n, err := syscall.Read(o.fd, buffer)
		if errors.Is(err, syscall.EAGAIN) {
			return len(o.seen)
		}
		must.Do(t, err)
		for rest := buffer[:n]; len(rest) >= syscall.SizeofInotifyEvent; {
			watch, mask := int32(binary.NativeEndian.Uint32(rest)), binary.NativeEndian.Uint32(rest[4:])
			length := binary.NativeEndian.Uint32(rest[12:])
			name := strings.TrimRight(string(rest[16:16+length]), "\x00")
			rest = rest[16+length:]
			must.That(t, mask&syscall.IN_Q_OVERFLOW == 0, "more files were opened than are counted")
			if mask&syscall.IN_ISDIR == 0 {
				o.seen[filepath.Join(o.folders[watch], name)]++
			}
		}
	}
}

// forget starts again from nothing.
func (o *opens) forget(t *testing.T) {
	o.take(t)
	clear(o.seen)
}
