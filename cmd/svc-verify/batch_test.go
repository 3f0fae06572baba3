//go:build unix

package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// process is this program in a process of its own.
type process struct {
	*exec.Cmd
	stdout bytes.Buffer
	stderr *bufio.Scanner
	in     io.WriteCloser // its standard input
}

// startProcess starts the program.
func startProcess(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command("svc-verify", args...)} // #nosec G204 -- this very program
	p.Stdout = &p.stdout
	p.in = must.Get(p.StdinPipe())(t)
	p.stderr = bufio.NewScanner(must.Get(p.StderrPipe())(t))
	must.Do(t, p.Start())
	t.Cleanup(func() { p.Process.Kill() })
	return p
}

// end returns the exit code, and the rest of standard error.
func (p *process) end() (int, string) {
	var rest strings.Builder
	for p.stderr.Scan() {
		rest.WriteString(p.stderr.Text() + "\n")
	}
	p.Wait() // the exit code is returned
	return p.ProcessState.ExitCode(), rest.String()
}

// batchProcess is this program while it verifies its standard input.
type batchProcess struct {
	*process
	line         []byte // a bundle
	temp, report string // its folder for temporary files, and its report
}

// startBatch starts a batch on standard input, gives it three bundles, and waits until it
// reports that it works.
func startBatch(t *testing.T) *batchProcess {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, scenes()["revoked"].Write(filepath.Join(dir, "scene")))
	p := &batchProcess{temp: filepath.Join(dir, "temp"), report: filepath.Join(dir, "report.jsonl")}
	must.Do(t, os.Mkdir(p.temp, 0o700))
	p.process = startProcess(t, "verify", "--status", "any", "--progress", "json",
		"--trust", filepath.Join(dir, "scene", "trust.json"), "--temp-dir", p.temp, "--report", "jsonl="+p.report, "-")
	bundle := must.Get(os.ReadFile(filepath.Join(dir, "scene", "svc-evidence-tx-2026-0001.json")))(t)
	p.line = append(bytes.ReplaceAll(bytes.TrimSpace(bundle), []byte("\n"), []byte(" ")), '\n')
	for range 3 {
		must.Get(p.in.Write(p.line))(t)
	}
	must.That(t, p.stderr.Scan(), "it does not say that it works")
	return p
}

// end gives bundles until the program accepts no more, and returns the exit code and the rest
// of standard error.
func (p *batchProcess) end() (int, string) {
	go func() {
		defer p.in.Close()
		for {
			if _, err := p.in.Write(p.line); err != nil {
				return
			}
		}
	}()
	return p.process.end()
}

// nothingStays wants that there is no report and no temporary file.
func (p *batchProcess) nothingStays(t *testing.T) {
	t.Helper()
	left, err := os.ReadDir(p.temp)
	check.That(t, err == nil && len(left) == 0, "temporary files stay: %v, %v", left, err)
	if _, err := os.Stat(p.report); err == nil {
		t.Error("there is a report")
	}
}

// TestBatchInterrupted: the result states that the run was stopped, and no report looks whole.
func TestBatchInterrupted(t *testing.T) {
	p := startBatch(t)
	must.Do(t, p.Process.Signal(syscall.SIGINT))
	code, stderr := p.end()
	if code != exitInconclusive || !strings.Contains(stderr, "the run was stopped, so no report is written") ||
		!strings.Contains(p.stdout.String(), "Not examined: The run was stopped") ||
		strings.HasPrefix(p.stdout.String(), "VERIFIED") {
		t.Errorf("exit code %d, %s\n%s", code, stderr, &p.stdout)
	}
	p.nothingStays(t)
}

// TestBatchKilled: nothing stays behind.
func TestBatchKilled(t *testing.T) {
	p := startBatch(t)
	must.Do(t, p.Process.Kill())
	p.end()
	p.nothingStays(t)
}
