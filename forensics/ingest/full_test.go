//go:build unix

package ingest

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// fillDisk has a file grow no more, as on a full disk.
func fillDisk(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: uint64(info.Size()), Max: uint64(info.Size())})
}

// TestDiskFullAtTheEnd: an ingest whose case cannot be made one file again has
// failed. Nothing is lost, and with room the next writer makes it one.
func TestDiskFullAtTheEnd(t *testing.T) {
	evidence := write(t, t.TempDir(), "journal", file(journal(berlin, 300, 1)))
	path := filepath.Join(t.TempDir(), "case.db")
	fill(t, path, Options{}, write(t, t.TempDir(), "other", file(journal("node/other", 3, 1)))) // later writes use a -wal
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+strings.Join([]string{"full", path, evidence}, "\n"))
	out, err := cmd.CombinedOutput()
	must.That(t, err != nil && bytes.Contains(out, []byte("close the case")) && bytes.Contains(out, []byte("-wal")),
		"%v: %s", err, out)
	got := len(lines(t, path, berlin))
	check.That(t, got == 300, "with its -wal the case has %d events", got)
	w, err := store.OpenWrite(path)
	must.Do(t, errors.Join(err, w.Close()))
	content := must.Get(os.ReadFile(path))(t)
	alone := write(t, t.TempDir(), "case.db", content)
	got = len(lines(t, alone, berlin))
	check.That(t, got == 300, "alone the case has %d events", got)
}
