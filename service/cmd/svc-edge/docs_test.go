package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/cliapp"
)

// TestManualPage holds service/docs/man/svc-edge.1 against the program.
func TestManualPage(t *testing.T) {
	var page bytes.Buffer
	if code := program().Run([]string{"man"}, nil, &page, &page); code != 0 {
		t.Fatalf("exit code %d: %s", code, page.Bytes())
	}
	path := filepath.Join("..", "..", "docs", "man", "svc-edge.1")
	if *update {
		if err := os.WriteFile(path, page.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if found, err := os.ReadFile(path); err != nil || !bytes.Equal(found, page.Bytes()) {
		t.Errorf("docs/man/svc-edge.1 is not up to date (%v): go test ./cmd/svc-edge -update", err)
	}
}

// TestReferenceIsWhole: service/docs/svc-edge.md names every command, flag and exit code.
func TestReferenceIsWhole(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "svc-edge.md"))
	if err != nil {
		t.Fatal(err)
	}
	want := func(phrase string) {
		if !strings.Contains(string(text), phrase) {
			t.Errorf("docs/svc-edge.md does not mention %s", phrase)
		}
	}
	p := program()
	flags := func(list []cliapp.Flag) {
		for _, f := range list {
			want("`-" + f.Name)
		}
	}
	flags(p.Shared)
	for _, c := range p.Commands {
		want("`" + c.Name + "`")
		flags(c.Flags)
	}
}
