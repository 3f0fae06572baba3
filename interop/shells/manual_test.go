package shells

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestManual: groff finds nothing to complain about, and shows every command.
func TestManual(t *testing.T) {
	groff := must.Program(t, "groff")
	for program, commands := range map[string][]string{
		"demo": {"many", "explain", "trust lint", "trust diff", "completion", "man"},
		"edge": {"status", "events", "completion", "man"},
	} {
		cmd := exec.Command(groff, "-man", "-Tascii", "-ww", "-P-cbou", golden(t, program+".1")) // #nosec G204 -- a test
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		check.That(t, err == nil && stderr.Len() == 0, "%s: %v\n%s", program, err, stderr.String())
		for _, command := range commands {
			check.That(t, strings.Contains(string(out), command), "%s: %s is not in the rendered page", program, command)
		}
	}
}
