//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestInterruptWhileWaiting: an ingest that waits for standard input ends too.
func TestInterruptWhileWaiting(t *testing.T) {
	r, w := must.Two(os.Pipe())(t)
	defer w.Close()
	command := exec.Command("svc-verify", "ingest", filepath.Join(t.TempDir(), "case.db"), "-") // #nosec G204
	command.Stdin = r
	var stderr bytes.Buffer
	command.Stderr = &stderr
	must.Do(t, command.Start())
	r.Close()
	// The pipe holds 64 KiB: when more was written, the program is reading.
	must.Get(w.Write(make([]byte, 1<<18)))(t)
	must.Do(t, command.Process.Signal(syscall.SIGINT))
	command.Wait() // the exit code is checked below
	code := command.ProcessState.ExitCode()
	check.That(t, code == 2 && bytes.Contains(stderr.Bytes(), []byte("interrupted after 0 events")),
		"exit code %d: %s", code, stderr.Bytes())
}

// TestCheckWithoutReader: a check whose standard error no one reads any more continues to its
// end, and leaves no case behind.
func TestCheckWithoutReader(t *testing.T) {
	dir, below := t.TempDir(), t.TempDir()
	must.Do(t, scenes()["revoked"].Write(dir))
	r, w := must.Two(os.Pipe())(t)
	r.Close()
	command := exec.Command("svc-verify", "check", "--progress", "json", "--temp-dir",
		below, // #nosec G204 -- this very program
		"--trust", filepath.Join(dir, "trust.json"), dir)
	command.Stderr = w
	out, err := command.Output()
	w.Close()
	check.That(t, err == nil && bytes.HasPrefix(out, []byte("VERIFIED  ")), "%v: %.200s", err, out)
	if left, err := os.ReadDir(below); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}
