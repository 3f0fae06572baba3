//go:build unix && heavy

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// largeScene is a log that takes long enough to be interrupted.
var largeScene = sync.OnceValues(func() (*harness.Scene, error) {
	return harness.Build("large", 1, harness.Options{Events: 30_000})
})

// largeEvidence returns a folder with the large scene.
func largeEvidence(t *testing.T) string {
	t.Helper()
	scene := must.Get(largeScene())(t)
	dir := t.TempDir()
	must.Do(t, scene.Write(dir))
	return dir
}

// interruptAtFirstProgress runs the program, interrupts it when it has said for
// the first time how far it is with a path or a log, and returns exit code,
// output and error text.
func interruptAtFirstProgress(t *testing.T, arguments ...string) (code int, stdout, stderr []byte) {
	t.Helper()
	arguments = append([]string{arguments[0], "--progress", "json"}, arguments[1:]...)
	command := exec.Command("svc-verify", arguments...) // #nosec G204 -- this very program
	var out, faults bytes.Buffer
	command.Stdout = &out
	pipe := must.Get(command.StderrPipe())(t)
	must.Do(t, command.Start())
	lines := bufio.NewScanner(pipe)
	interrupted := false
	for lines.Scan() {
		if !interrupted && !bytes.Contains(lines.Bytes(), []byte(`"doing":"the case"`)) {
			interrupted = true
			must.Do(t, command.Process.Signal(syscall.SIGINT))
		}
		faults.Write(append(lines.Bytes(), '\n'))
	}
	command.Wait() // the exit code is returned
	return command.ProcessState.ExitCode(), out.Bytes(), faults.Bytes()
}

// TestInterrupt interrupts an ingest and a walk. Both say how far they came,
// and going on comes to the same end as not having been interrupted.
func TestInterrupt(t *testing.T) {
	dir := largeEvidence(t)
	file, journal, trust := filepath.Join(dir, "case.db"), filepath.Join(dir, "tenant.ndjson"),
		filepath.Join(dir, "trust.json")

	code, _, stderr := interruptAtFirstProgress(t, "ingest", file, journal, filepath.Join(dir, "journals"))
	must.That(t, code == 2 && regexp.MustCompile(`interrupted after [1-9][0-9]* events`).Match(stderr),
		"exit code %d: %s", code, stderr)
	if code, _, stderr := call(nil, "ingest", file, journal, filepath.Join(dir, "journals")); code != 0 {
		t.Fatal(stderr)
	}

	code, stdout, stderr := interruptAtFirstProgress(t, "walk", file, "--trust", trust, "--output", "json")
	var r walk.Result
	err := json.Unmarshal(stdout, &r)
	must.That(t, err == nil, "exit code %d, %v: %s", code, err, stderr)
	check.That(t, code == 3 && r.Verdict == "inconclusive" && limitReached(r) &&
		bytes.Contains(stderr, []byte("--since-last continues")), "exit code %d, %s: %s", code, r.Verdict, stderr)
	if code, _, stderr := call(nil, "walk", file, "--trust", trust, "--since-last"); code != 3 {
		t.Errorf("going on: exit code %d: %s", code, stderr)
	}
	code, exported, _ := call(nil, "export", file, "--log", "tenant/acme-corp")
	if want, err := os.ReadFile(journal); err != nil || code != 0 || exported != string(want) {
		t.Error("the exported log is not what was ingested", err)
	}
}

func limitReached(r walk.Result) bool {
	return slices.ContainsFunc(r.Findings, func(f finding.Finding) bool { return f.Code == finding.LimitReached })
}

// TestInterruptedCheck: an interrupted check leaves no case behind, whatever it does at that
// moment, and reports the interruption if it can.
func TestInterruptedCheck(t *testing.T) {
	dir := largeEvidence(t)
	// A program that was started by nohup ignores SIGHUP, and so do its children, unless they
	// handle the signal themselves.
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	for _, c := range []struct {
		name, after string // output after which it gets the signals
		signals     []os.Signal
		code        int
		says        string
	}{
		{"reading", `"doing":"` + dir, []os.Signal{syscall.SIGINT}, 2, "interrupted after "},
		{"hung up", `"doing":"` + dir, []os.Signal{syscall.SIGHUP}, 2, "interrupted after "},
		{"verifying", `"doing":"tenant/`, []os.Signal{syscall.SIGTERM}, 3, "stopped before the end"},
		{"twice", `"doing":"`, []os.Signal{syscall.SIGINT, syscall.SIGINT}, 2, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			below, code, stderr := t.TempDir(), 0, ""
			for range 3 { // a busy machine may send the signal when all is done
				command := exec.Command("svc-verify", "check", "--progress", "json", "--temp-dir",
					below, // #nosec G204 -- this very program
					"--report", "json="+filepath.Join(below, "report.json"), "--trust", filepath.Join(dir, "trust.json"),
					filepath.Join(dir, "tenant.ndjson"))
				if code, stderr = signalAfter(t, command, c.after, c.signals); code != 0 {
					break
				}
				must.Do(t, os.Remove(filepath.Join(below, "report.json")))
			}
			check.That(t, code == c.code && strings.Contains(stderr, c.says), "exit code %d: %s", code, stderr)
			left, err := os.ReadDir(below)
			check.That(t, err == nil && len(left) == 0, "%v is left, %v", left, err)
		})
	}
}

// TestPartInterrupted: a worker that is stopped leaves neither a part nor a temporary
// file behind.
func TestPartInterrupted(t *testing.T) {
	dir := largeEvidence(t)
	for _, signals := range [][]os.Signal{{syscall.SIGINT}, {syscall.SIGTERM}, {syscall.SIGINT, syscall.SIGINT}} {
		below := t.TempDir()
		command := exec.Command("svc-verify", "part", "--progress", "json", "--temp-dir",
			below, // #nosec G204 -- this very program
			"--out", filepath.Join(below, "a.part"), "--trust", filepath.Join(dir, "trust.json"),
			filepath.Join(dir, "tenant.ndjson"))
		code, stderr := signalAfter(t, command, `"doing":"`, signals)
		check.That(t, code == 2 && (len(signals) != 1 || strings.Contains(stderr, "interrupted: no part was written")),
			"exit code %d: %s", code, stderr)
		left, err := os.ReadDir(below)
		check.That(t, err == nil && len(left) == 0, "%v is left, %v", left, err)
	}
}

// signalAfter runs a program, sends it signals after a given line on standard error, and
// returns its exit code and its standard error.
func signalAfter(t *testing.T, command *exec.Cmd, after string, signals []os.Signal) (code int, stderr string) {
	t.Helper()
	pipe := must.Get(command.StderrPipe())(t)
	must.Do(t, command.Start())
	var said strings.Builder
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), after) {
			for _, s := range signals {
				if err := command.Process.Signal(s); err != nil {
					t.Log(err) // it has ended
				}
			}
			signals = nil
		}
	}
	command.Wait() // the exit code is returned
	check.That(t, signals == nil, "it never said %s: %s", after, said.String())
	return command.ProcessState.ExitCode(), said.String()
}
