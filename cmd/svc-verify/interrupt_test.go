//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/harness"
)

// largeScene is a log that takes long enough to be interrupted.
var largeScene = sync.OnceValues(func() (*harness.Scene, error) {
	return harness.Build("large", 1, harness.Options{Events: 30_000})
})

// interruptAtFirstProgress runs the program, interrupts it when it has said for
// the first time how far it is with a path or a log, and returns exit code,
// output and error text.
func interruptAtFirstProgress(t *testing.T, arguments ...string) (code int, stdout, stderr []byte) {
	t.Helper()
	arguments = append([]string{arguments[0], "--progress", "json"}, arguments[1:]...)
	command := exec.Command("svc-verify", arguments...) // #nosec G204 -- this very program
	var out, faults bytes.Buffer
	command.Stdout = &out
	pipe, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(pipe)
	interrupted := false
	for lines.Scan() {
		if !interrupted && !bytes.Contains(lines.Bytes(), []byte(`"doing":"the case"`)) {
			interrupted = true
			if err := command.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
		}
		faults.Write(append(lines.Bytes(), '\n'))
	}
	command.Wait() // the exit code is what the caller asks for
	return command.ProcessState.ExitCode(), out.Bytes(), faults.Bytes()
}

// TestInterrupt interrupts an ingest and a walk. Both say how far they came,
// and going on comes to the same end as not having been interrupted.
func TestInterrupt(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; runs without -short")
	}
	scene, err := largeScene()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := scene.Write(dir); err != nil {
		t.Fatal(err)
	}
	file, journal, trust := filepath.Join(dir, "case.db"), filepath.Join(dir, "tenant.ndjson"),
		filepath.Join(dir, "trust.json")

	code, _, stderr := interruptAtFirstProgress(t, "ingest", "--case", file, journal, filepath.Join(dir, "journals"))
	if code != 2 || !regexp.MustCompile(`interrupted after [1-9][0-9]* events`).Match(stderr) {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if code, _, stderr := call(nil, "ingest", "--case", file, journal, filepath.Join(dir, "journals")); code != 0 {
		t.Fatal(stderr)
	}

	code, stdout, stderr := interruptAtFirstProgress(t, "walk", "--case", file, "--trust", trust, "--output", "json")
	var r walk.Result
	if err := json.Unmarshal(stdout, &r); err != nil {
		t.Fatalf("exit code %d, %v: %s", code, err, stderr)
	}
	if code != 3 || r.Verdict != "inconclusive" || !limitReached(r) ||
		!bytes.Contains(stderr, []byte("--since-last continues")) {
		t.Errorf("exit code %d, %s: %s", code, r.Verdict, stderr)
	}
	if code, _, stderr := call(nil, "walk", "--case", file, "--trust", trust, "--since-last"); code != 3 {
		t.Errorf("going on: exit code %d: %s", code, stderr)
	}
	code, exported, _ := call(nil, "export", "--case", file, "--log", "tenant/acme-corp")
	if want, err := os.ReadFile(journal); err != nil || code != 0 || exported != string(want) {
		t.Error("the exported log is not what was ingested", err)
	}
}

func limitReached(r walk.Result) bool {
	for _, f := range r.Findings {
		if f.Code == finding.LimitReached {
			return true
		}
	}
	return false
}

// TestInterruptWhileWaiting: an ingest that waits for standard input ends too.
func TestInterruptWhileWaiting(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	command := exec.Command("svc-verify", "ingest", "--case", filepath.Join(t.TempDir(), "case.db"), "-") // #nosec G204
	command.Stdin = r
	var stderr bytes.Buffer
	command.Stderr = &stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	r.Close()
	// The pipe holds 64 KiB: when more was written, the program is reading.
	if _, err := w.Write(make([]byte, 1<<18)); err != nil {
		t.Fatal(err)
	}
	if err := command.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	command.Wait() // the exit code is what is asked for
	if code := command.ProcessState.ExitCode(); code != 2 ||
		!bytes.Contains(stderr.Bytes(), []byte("interrupted after 0 events")) {
		t.Errorf("exit code %d: %s", code, stderr.Bytes())
	}
}
