//go:build linux

package access

import (
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
)

// TestFullDevice: a device is written directly, and a full one is named.
func TestFullDevice(t *testing.T) {
	f := must.Get(OpenAside("/dev/full"))(t)
	defer f.Discard()
	must.Get(f.Write([]byte("x")))(t)
	if err := f.Commit(); err == nil || err.Error() != "writing /dev/full: no space left on device" {
		t.Errorf("found %v", err)
	}
	null := openAside(t, "/dev/null", "x")
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
	must.Do(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 12, Max: 1 << 12}))
	f := must.Get(OpenAside(dir + "/old"))(t)
	defer f.Discard()
	if _, err := f.Write(make([]byte, 1<<13)); err != nil {
		t.Fatal(err) // it is not on the disk yet
	}
	if err := f.Commit(); err == nil || !strings.HasSuffix(err.Error(), "/old: file too large") {
		t.Errorf("found %v", err)
	}
}
