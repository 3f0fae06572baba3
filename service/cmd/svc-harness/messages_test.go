package main

import (
	"slices"
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
