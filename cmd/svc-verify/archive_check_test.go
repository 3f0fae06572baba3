//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestArchiveCheckInterrupted: a check that is interrupted while it reads large objects
// reports that, writes no report, and records the objects that it read.
func TestArchiveCheckInterrupted(t *testing.T) {
	dir := t.TempDir()
	kept, report := filepath.Join(dir, "kept"), filepath.Join(dir, "report.jsonl")
	must.Do(t, scenes()["issued"].Write(filepath.Join(dir, "scene")))
	must.Do(t, os.Mkdir(kept, 0o700))
	must.Do(t, os.WriteFile(filepath.Join(kept, "a"), []byte("read before"), 0o600))
	// They have no bytes on the disk, as many as a file may lack, and take minutes to read.
	for i := range 250 {
		name := filepath.Join(kept, fmt.Sprintf("b%d", i))
		must.Do(t, errors.Join(os.WriteFile(name, nil, 0o600), os.Truncate(name, 1<<30)))
	}
	c := exec.Command("svc-verify", "archive", "check", "--progress", "json", // #nosec G204 -- this very program
		"--trust", filepath.Join(dir, "scene", "trust.json"), "--ledger", filepath.Join(dir, "ledger"),
		"--report", "jsonl="+report, kept)
	var out bytes.Buffer
	c.Stdout = &out
	stderr := must.Get(c.StderrPipe())(t)
	must.Do(t, c.Start())
	lines := bufio.NewScanner(stderr)
	must.That(t, lines.Scan(), "it does not say that it works")
	must.Do(t, c.Process.Signal(syscall.SIGINT))
	var rest strings.Builder
	for lines.Scan() {
		rest.WriteString(lines.Text() + "\n")
	}
	c.Wait() // the exit code is checked below
	if code := c.ProcessState.ExitCode(); code != exitInconclusive ||
		!strings.Contains(rest.String(), "the run was stopped, so no report is written") ||
		!regexp.MustCompile(`Not examined: The run was stopped: \d+ objects were not reached`).MatchString(out.String()) ||
		!regexp.MustCompile(`\nrun 1 +[0-9a-f]{64}\n +\d+ changes?;`).MatchString(out.String()) {
		t.Errorf("exit code %d, %s\n%s", code, &rest, &out)
	}
	_, err := os.Stat(report)
	check.That(t, err != nil, "there is a report")
}
