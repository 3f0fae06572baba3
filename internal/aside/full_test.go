//go:build linux

package aside

import (
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// TestFullDevice: a device is written directly, and a full one is named.
func TestFullDevice(t *testing.T) {
	f, err := Open("/dev/full")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Discard()
	if _, err := f.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err == nil || err.Error() != "writing /dev/full: no space left on device" {
		t.Errorf("found %v", err)
	}
	null := open(t, "/dev/null", "x")
	if err := null.Commit(); err != nil {
		t.Error(err)
	}
}

// TestSizeLimit: where a file may not grow, the old one stays, and nothing else.
// The limit is for the whole process, so that it is another one.
func TestSizeLimit(t *testing.T) {
	if dir := os.Getenv("ASIDE_FOLDER"); dir != "" {
		writeBeyond(t, dir)
		return
	}
	in := folder(t)
	self := exec.Command(os.Args[0], "-test.run=^TestSizeLimit$") // #nosec G204
	self.Env = append(os.Environ(), "ASIDE_FOLDER="+in(""))
	if out, err := self.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := names(t, in("")); got != "link old" || read(t, in("old")) != "old" {
		t.Errorf("left: %s", got)
	}
}

func writeBeyond(t *testing.T, dir string) {
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 12, Max: 1 << 12}); err != nil {
		t.Fatal(err)
	}
	f, err := Open(dir + "/old")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Discard()
	if _, err := f.Write(make([]byte, 1<<13)); err != nil {
		t.Fatal(err) // it is not on the disk yet
	}
	if err := f.Commit(); err == nil || !strings.HasSuffix(err.Error(), "/old: file too large") {
		t.Errorf("found %v", err)
	}
}
