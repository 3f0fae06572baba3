package cliapp_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/cliapp/clitest"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestIsTerminal: an action that asks about its standard output gets the answer for the
// underlying writer.
func TestIsTerminal(t *testing.T) {
	terminal, _ := clitest.Terminal(t)
	file := must.Get(os.Create(filepath.Join(t.TempDir(), "file")))(t)
	defer file.Close()
	for name, c := range map[string]struct {
		out  io.Writer
		want bool
	}{"terminal": {terminal, true}, "file": {file, false}, "memory": {&bytes.Buffer{}, false}} {
		p := &cliapp.Program{Name: "p", Action: func(ctx *cliapp.Context) (int, error) {
			got := cliapp.IsTerminal(ctx.Stdout)
			check.That(t, got == c.want, "%s as standard output: %t", name, got)
			return 0, nil
		}}
		code := p.Run(nil, nil, c.out, io.Discard)
		check.That(t, code == 0, "%s: exit code %d", name, code)
		got := cliapp.IsTerminal(c.out)
		check.That(t, got == c.want, "%s: %t", name, got)
	}
}
