package main

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/cliapp/clitest"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/deployment"
)

// TestMessages: whatever is wrong with a command line, what the program says is
// a sentence, without a deployment and with one that does not run.
func TestMessages(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Get(deployment.Prepare("made",
		deployment.Plan{TenantID: "acme-corp", Nodes: deployment.NodeIDs(2)}))(t)
	for _, dir := range []string{"none", "made"} {
		for _, line := range clitest.BadLines(program(), map[string]string{"dir": dir, "out": t.TempDir()}) {
			if runs(line) {
				continue
			}
			if _, _, stderr := run(line...); clitest.Slip(stderr) != "" {
				t.Errorf("svc-harness %q: %s in %s", line, clitest.Slip(stderr), stderr)
			}
		}
	}
}

// runs reports whether a line may start what runs until it is interrupted, or
// plays a long scene.
func runs(line []string) bool {
	return slices.Contains(line, "up") || slices.Contains(line, "run") || slices.Contains(line, "part")
}

// TestTimes: every flag that takes a time or a duration accepts the same values, and
// refuses the same others in the same words.
func TestTimes(t *testing.T) {
	wrong, flags := clitest.WrongTimes(program())
	for _, w := range wrong {
		t.Error(w)
	}
	check.That(t, flags >= 7, "only %d flags were tried", flags)
}

var update = flag.Bool("update", false, "rewrite the generated page")

// TestCommandsDocument: service/docs/svc-harness.md has every command and every
// flag, as --help shows them.
func TestCommandsDocument(t *testing.T) {
	title, rest, _ := strings.Cut(program().Markdown(), "\n\n")
	want := title + "\n\nThis page is generated: `make docs`.\n\n" + rest
	path := filepath.Join("..", "..", "docs", "svc-harness.md")
	if *update {
		must.Do(t, os.WriteFile(path, []byte(want), 0o644))
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("service/docs/svc-harness.md is not up to date (%v): make docs", err)
	}
}
