package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestVersionNamesTheCorpus: it is the digest of the archive that conformance export writes.
func TestVersionNamesTheCorpus(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cases.tar")
	code, _, stderr := call(nil, "conformance", "export", file)
	must.That(t, code == 0, "exit code %d: %s", code, stderr)
	archive := must.Get(os.ReadFile(file))(t)
	_, stdout, _ := call(nil, "version", "--output", "json")
	var got versionAnswer
	must.Do(t, json.Unmarshal([]byte(stdout), &got))
	check.Equal(t, got.Corpus, fmt.Sprintf("%x", sha256.Sum256(archive)), "corpus_sha256")
}

// TestVersionOf: every module of a build is named, a replaced one by the one in its place, and every
// setting.
func TestVersionOf(t *testing.T) {
	got := versionOf(&debug.BuildInfo{GoVersion: "go1.99", Main: debug.Module{Path: "m", Version: "(devel)"},
		Deps: []*debug.Module{{Path: "a", Version: "v1", Sum: "h1:a"},
			{Path: "b", Version: "v1", Sum: "h1:b", Replace: &debug.Module{Path: "c", Version: "v2", Sum: "h1:c"}}},
		Settings: []debug.BuildSetting{{Key: "GOOS", Value: "plan9"}, {Key: "-trimpath", Value: "true"}}}, "ab")
	check.Equal(t, got.Go, "go1.99", "go")
	modules := []moduleAnswer{{"m", "(devel)", ""}, {"a", "v1", "h1:a"}, {"c", "v2", "h1:c"}}
	check.That(t, slices.Equal(got.Modules, modules), "modules: %v", got.Modules)
	settings := []buildSetting{{"GOOS", "plan9"}, {"-trimpath", "true"}}
	check.That(t, slices.Equal(got.Build, settings), "build: %v", got.Build)
}
