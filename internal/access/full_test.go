//go:build linux

package access

import (
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestFullDevice: a device is written directly, and a full one is named.
func TestFullDevice(t *testing.T) {
	f := must.Get(OpenAside("/dev/full"))(t)
	defer f.Discard()
	must.Get(f.Write([]byte("x")))(t)
	err := f.Commit()
	check.That(t, err != nil && err.Error() == "writing /dev/full: no space left on device", "found %v", err)
	null := openAside(t, "/dev/null", "x")
	check.Do(t, null.Commit())
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
	out, err := self.CombinedOutput()
	must.That(t, err == nil, "%v\n%s", err, out)
	got := names(t, in(""))
	check.That(t, got == "link old" && read(t, in("old")) == "old", "left: %s", got)
}

func writeBeyond(t *testing.T, dir string) {
	signal.Ignore(syscall.SIGXFSZ)
	must.Do(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 12, Max: 1 << 12}))
	f := must.Get(OpenAside(dir + "/old"))(t)
	defer f.Discard()
	if _, err := f.Write(make([]byte, 1<<13)); err != nil {
		t.Fatal(err) // it is not on the disk yet
	}
	err := f.Commit()
	check.That(t, err != nil && strings.HasSuffix(err.Error(), "/old: file too large"), "found %v", err)
}
