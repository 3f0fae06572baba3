package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestCheckTypes: a mistake in a file for one system, one in a test, and an integer that 32 bits cannot
// hold are found where they are mistakes, and nowhere else.
func TestCheckTypes(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       "module example.org/m\n\ngo 1.24\n",
		"a.go":         "package m\n\nfunc size() int { return 1 << 40 }\n",
		"a_windows.go": "package m\n\nvar _ = missing\n",
		"a_test.go":    "package m\n\nvar _ = onLinux\n",
		"a_linux.go":   "package m\n\nvar onLinux = size\n",
	} {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	for target, want := range map[string][]string{
		"linux/amd64":   nil,
		"linux/386":     {"1 << 40"},
		"windows/amd64": {"undefined: missing", "undefined: onLinux"},
		"darwin/arm64":  {"undefined: onLinux"},
		"plan10/amd64":  {"unsupported"},
	} {
		err := checkTypes(folder, target)
		check.That(t, (err == nil) == (want == nil), "%s: %v", target, err)
		for _, text := range want {
			check.That(t, err != nil && strings.Count(err.Error(), text) == 1, "%s: %q is not named once: %v", target, text, err)
		}
	}
}
