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

// batchProcess is this program while it verifies its standard input.
type batchProcess struct {
	*exec.Cmd
	in     io.WriteCloser
	line   []byte // a bundle
	out    bytes.Buffer
	errors *bufio.Scanner
	temp   string // its folder for temporary files
	report string
}

// startBatch starts a batch on standard input, gives it three bundles, and waits until it
// reports that it works.
func startBatch(t *testing.T) *batchProcess {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, scenes()["revoked"].Write(filepath.Join(dir, "scene")))
	p := &batchProcess{temp: filepath.Join(dir, "temp"), report: filepath.Join(dir, "report.jsonl")}
	must.Do(t, os.Mkdir(p.temp, 0o700))
	p.Cmd = exec.Command("svc-verify", "verify", "--status", "any", // #nosec G204 -- this very program
		"--progress", "json",
		"--trust", filepath.Join(dir, "scene", "trust.json"), "--temp-dir", p.temp, "--report", "jsonl="+p.report, "-")
	p.Stdout = &p.out
	stderr, err := p.StderrPipe()
	must.Do(t, err)
	p.errors = bufio.NewScanner(stderr)
	if p.in, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	must.Do(t, p.Start())
	bundle := must.Get(os.ReadFile(filepath.Join(dir, "scene", "svc-evidence-tx-2026-0001.json")))(t)
	p.line = append(bytes.ReplaceAll(bytes.TrimSpace(bundle), []byte("\n"), []byte(" ")), '\n')
	for range 3 {
		must.Get(p.in.Write(p.line))(t)
	}
	must.That(t, p.errors.Scan(), "it does not say that it works")
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
	var rest strings.Builder
	for p.errors.Scan() {
		rest.WriteString(p.errors.Text() + "\n")
	}
	p.Wait() // the exit code is returned
	return p.ProcessState.ExitCode(), rest.String()
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
		!strings.Contains(p.out.String(), "Not examined: The run was stopped") ||
		strings.HasPrefix(p.out.String(), "VERIFIED") {
		t.Errorf("exit code %d, %s\n%s", code, stderr, &p.out)
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
