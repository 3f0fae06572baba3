package cliapp_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/cliapp/clitest"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestIsTerminal: an action that asks of its standard output gets the answer of
// what stands behind it.
func TestIsTerminal(t *testing.T) {
	terminal, _ := clitest.Terminal(t)
	file := must.Get(os.Create(filepath.Join(t.TempDir(), "file")))(t)
	defer file.Close()
	for name, c := range map[string]struct {
		out  io.Writer
		want bool
	}{"terminal": {terminal, true}, "file": {file, false}, "memory": {&bytes.Buffer{}, false}} {
		p := &cliapp.Program{Name: "p", Action: func(ctx *cliapp.Context) (int, error) {
			if got := cliapp.IsTerminal(ctx.Stdout); got != c.want {
				t.Errorf("%s as standard output: %t", name, got)
			}
			return 0, nil
		}}
		if code := p.Run(nil, nil, c.out, io.Discard); code != 0 {
			t.Errorf("%s: exit code %d", name, code)
		}
		if got := cliapp.IsTerminal(c.out); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
