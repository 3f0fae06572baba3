//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
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
	p := startProcess(t, "archive", "check", "--progress", "json", "--trust", filepath.Join(dir, "scene", "trust.json"),
		"--ledger", filepath.Join(dir, "ledger"), "--report", "jsonl="+report, kept)
	must.That(t, p.stderr.Scan(), "it does not say that it works")
	must.Do(t, p.Process.Signal(syscall.SIGINT))
	code, rest := p.end()
	check.That(t, code == exitInconclusive && strings.Contains(rest, "the run was stopped, so no report is written"),
		"exit code %d, %s", code, rest)
	for _, want := range []string{`Not examined: The run was stopped: \d+ objects were not reached`,
		`\nrun 1 +[0-9a-f]{64}\n +\d+ changes?;`} {
		check.That(t, regexp.MustCompile(want).Match(p.stdout.Bytes()), "%s is not in\n%s", want, &p.stdout)
	}
	_, err := os.Stat(report)
	check.That(t, err != nil, "there is a report")
}
