//go:build unix

package entry

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/internal/must"
)

// TestUnreadable has everything in a directory that is no file that can be read, with its
// reason. A link to a path that was also given is skipped.
func TestUnreadable(t *testing.T) {
	dir := must.Get(os.MkdirTemp("", "entry"))(t) // a short path, for the socket
	defer os.RemoveAll(dir)
	in := func(name string) string { return filepath.Join(dir, name) }
	must.WriteFiles(t, dir, map[string]string{"d/x": "1", "locked/x": "", "z": "2"})
	must.Do(t, syscall.Mkfifo(in("pipe"), 0o600))
	socket := must.Get(net.Listen("unix", in("socket")))(t)
	defer socket.Close()
	for name, target := range map[string]string{"to-file": "d/x", "to-nothing": "none", "to-directory": "d",
		"loop":    "loop",
		"to-pipe": "pipe", "up": ".."} {
		must.Do(t, os.Symlink(target, in(name)))
	}
	const link = "a symbolic link, which is not followed"
	const pipe = "expected a regular file, found a named pipe: write what comes through it to a file first"
	want := []told{{Name: "d/x", Data: "1"}, {Name: "locked/x"}, {Name: "loop", Err: link}, {Name: "pipe", Err: pipe},
		{Name: "socket", Err: "expected a regular file, found a socket"}, {Name: "to-nothing", Err: link},
		{Name: "to-pipe", Err: link}, {Name: "up", Err: link}, {Name: "z", Data: "2"}}
	if os.Getuid() != 0 { // nothing is locked for root
		must.Do(t, os.Chmod(in("locked"), 0))
		must.Do(t, os.Chmod(in("z"), 0))
		want[1] = told{Name: "locked", Err: "permission denied"}
		want[len(want)-1] = told{Name: "z", Err: "permission denied"}
		defer os.Chmod(in("locked"), 0o700)
	}
	got, _ := walkAll(t, dir, Source{Paths: []string{dir}})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	got, _ = walkAll(t, dir, Source{Paths: []string{in("to-directory"), in("none"), in("pipe"), in("to-nothing"),
		in("to-file")}})
	want = []told{{Name: "to-directory/x", Data: "1"}, {Name: "none", Err: "no such file or directory"},
		{Name: "pipe", Err: pipe},
		{Name: "to-nothing", Err: link}, {Name: "to-file", Data: "1"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
