package ci

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestManifest: pre-commit accepts the hooks, and not with one thing missing.
func TestManifest(t *testing.T) {
	need(t, "pre-commit")
	path := filepath.Join(t.TempDir(), ".pre-commit-hooks.yaml")
	doc := text(t, ".pre-commit-hooks.yaml")
	for want, doc := range map[bool]string{true: doc, false: damaged(t, doc, "  language: golang\n", "")} {
		lay(t, path, doc)
		ok, said := run(t, ".", nil, "pre-commit", "validate-manifest", path)
		check.That(t, ok == want, "%v, want %v: %s", ok, want, said)
	}
}

// TestHooks: pre-commit installs the program from a clone of this repository, and a
// commit with bad evidence, or with none, does not pass.
func TestHooks(t *testing.T) {
	need(t, "pre-commit")
	top := must.Get(filepath.Abs(root))(t)
	_, revision := run(t, top, nil, "git", "rev-parse", "HEAD")
	dir := t.TempDir()
	bundle := newScene(t, dir)
	env := []string{"PRE_COMMIT_HOME=" + filepath.Join(t.TempDir(), "cache"), "GOFLAGS=-buildvcs=false",
		"GOTOOLCHAIN=local"}
	for _, name := range []string{"GOMODCACHE", "GOCACHE"} { // reuses fetched modules and built packages
		out := must.Get(exec.Command("go", "env", name).Output())(t)
		env = append(env, name+"="+strings.TrimSpace(string(out)))
	}
	ok, said := run(t, dir, nil, "git", "init", "-q")
	must.That(t, ok, "%s", said)
	for _, c := range []struct {
		name, hook, paths string
		ok                bool
		says              string
	}{
		{"a proof", "proofs", "good.json", true, "Passed"},
		{"one that was altered", "proofs", "good.json, bad.json", false, "exit code: 1"},
		{"one that says revoked", "proofs", "good.json, svc-evidence-tx-2026-0001.json", false,
			"genuine, but not as requested"},
		{"nothing", "proofs", "", false, "exit code: 3"},
		{"journals", "check", "journals", true, "Passed"},
		{"no trust file", "check", "--trust=none.json, journals", false, "exit code: 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			lay(t, filepath.Join(dir, "good.json"), bundle)
			lay(t, filepath.Join(dir, "bad.json"), damaged(t, bundle, "acme-corp", "acme-corq"))
			trust := "--trust=trust.json, "
			if c.hook == "proofs" {
				trust += "--any-subject, --status=issued, --any-time, --any-age, "
			}
			if strings.HasPrefix(c.paths, "--trust") {
				trust = ""
			}
			lay(t, filepath.Join(dir, ".pre-commit-config.yaml"), fmt.Sprintf(
				"repos:\n- repo: %s\n  rev: %s\n  hooks:\n  - id: svc-verify-%s\n    args: [%s%s]\n",
				top, strings.TrimSpace(revision), c.hook, trust, c.paths))
			ok, said := run(t, dir, nil, "git", "add", "-A")
			must.That(t, ok, "%s", said)
			if ok, said := run(t, dir, env, "pre-commit", "run"); ok != c.ok || !strings.Contains(said, c.says) {
				t.Errorf("%v, want %v: %s", ok, c.ok, said)
			}
		})
	}
}

// newScene writes evidence, and returns the bundle of a certificate that is issued. The bundle
// of transaction 1 reports a revoked one.
func newScene(t *testing.T, dir string) string {
	t.Helper()
	ok, said := run(t, root+"/service", nil, "go", "run", "./cmd/svc-harness", "scene", "revoked", "--out", dir)
	must.That(t, ok, "%s", said)
	_, doc := run(t, dir, nil, "cat", "svc-evidence-tx-2026-0002.json")
	return doc
}
