package progress

import (
	"io"
	"os"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/cliapp/clitest"
)

// TestMeterOnTerminal: other output of a command is on lines of its own, and nothing is left
// of the meter once the result begins.
func TestMeterOnTerminal(t *testing.T) {
	got := clitest.OnTerminal(t, func(terminal *os.File) {
		waits := &cliapp.Program{Name: "p", Summary: "Wait", ExitCodes: []cliapp.ExitCode{{Code: 0, Meaning: "done"}},
			Flags: []cliapp.Flag{
				{Name: "progress", Choices: []string{"auto", "json"}, Default: "auto", Usage: "What to show"},
				{Name: "quiet", Kind: cliapp.Switch, Usage: "Show nothing"},
			},
			Action: func(c *cliapp.Context) (int, error) {
				m := New(c, Number, nil)
				defer m.Clear()
				m.Show(Done{"a", 1, 2, 1})
				io.WriteString(c.Stderr, "a warning\n")
				m.Show(Done{"a", 2, 2, 2})
				io.WriteString(c.Stdout, "the result, ")
				m.mu.Lock()
				m.told = time.Time{} // long ago
				m.mu.Unlock()
				time.Sleep(3 * m.every)
				io.WriteString(c.Stdout, "whole\n")
				return 0, nil
			}}
		code := waits.Run(nil, nil, terminal, terminal)
		check.That(t, code == 0, "exit code %d", code)
	})
	want := "\ra  1 of 2\x1b[K\r\x1b[Ka warning\n\ra  2 of 2\x1b[K\r\x1b[Kthe result, whole\n"
	check.That(t, got == want, "got  %q\nwant %q", got, want)
}
