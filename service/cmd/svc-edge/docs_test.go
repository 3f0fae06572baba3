package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/cliapp/clitest"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestManualPage holds service/docs/man/svc-edge.1 against the program.
func TestManualPage(t *testing.T) {
	var page bytes.Buffer
	if code := program().Run([]string{"man"}, nil, &page, &page); code != 0 {
		t.Fatalf("exit code %d: %s", code, page.Bytes())
	}
	path := filepath.Join("..", "..", "docs", "man", "svc-edge.1")
	if *update {
		must.Do(t, os.WriteFile(path, page.Bytes(), 0o644))
	}
	if found, err := os.ReadFile(path); err != nil || !bytes.Equal(found, page.Bytes()) {
		t.Errorf("docs/man/svc-edge.1 is not up to date (%v): go test ./cmd/svc-edge -update", err)
	}
}

// TestCommandsDocument: service/docs/svc-edge-commands.md has every command, flag
// and exit code, as --help shows them.
func TestCommandsDocument(t *testing.T) {
	title, rest, _ := strings.Cut(program().Markdown(), "\n\n")
	want := title + "\n\nThis page is generated: `make docs`.\n\n" + rest
	path := filepath.Join("..", "..", "docs", "svc-edge-commands.md")
	if *update {
		must.Do(t, os.WriteFile(path, []byte(want), 0o644))
	}
	if found, err := os.ReadFile(path); err != nil || string(found) != want {
		t.Errorf("docs/svc-edge-commands.md is not up to date (%v): make docs", err)
	}
}

// TestMessages: whatever is wrong with a command line, what the program says is
// a sentence.
func TestMessages(t *testing.T) {
	file := filepath.Join(t.TempDir(), "none.pem")
	must.Do(t, os.WriteFile(file, []byte("none\n"), 0o600))
	good := map[string]string{"ca": file, "cert": file, "key": file, "url": "https://127.0.0.1:1", "node-spki": file}
	for _, line := range clitest.BadLines(program(), good) {
		var stdout, stderr bytes.Buffer
		program().Run(line, strings.NewReader(""), &stdout, &stderr)
		slip := clitest.Slip(stderr.String())
		check.That(t, slip == "", "svc-edge %q: %s in %s", line, slip, stderr.String())
	}
}

// TestTimes: every flag that takes a time or a duration accepts the same values, and
// refuses the same others in the same words.
func TestTimes(t *testing.T) {
	wrong, flags := clitest.WrongTimes(program())
	for _, w := range wrong {
		t.Error(w)
	}
	check.That(t, flags >= 1, "only %d flags were tried", flags)
}
