package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
)

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
