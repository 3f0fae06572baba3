//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// openToAll returns a state folder in which everyone may write.
func openToAll(t *testing.T) string {
	t.Helper()
	shared := t.TempDir()
	must.Do(t, os.Chmod(shared, 0o755))
	must.Do(t, os.Mkdir(filepath.Join(shared, "svc-verify"), 0o777))
	if err := os.Chmod(filepath.Join(shared, "svc-verify"), 0o777); err != nil { // whatever the umask is
		t.Fatal(err)
	}
	return shared
}

// caseLines are commands about a case.
var caseLines = []string{
	"ingest case.db journals tenant.ndjson",
	"walk case.db --trust trust.json",
	"walk case.db --trust trust.json --output json",
	"ingest case.db journals tenant.ndjson --output json",
	"walk case.db --trust trust.json --log tenant/acme-corp",
	"show crosscheck case.db --trust trust.json --output json",
	"show events case.db --output jsonl",
	"show batches case.db",
	"export case.db --log node/mesh-oslo-1",
}

// walkLines are the commands that show results which only a walk gives.
var walkLines = []string{"show findings case.db", "report case.db --output json", "show gaps case.db",
	"show event case.db --log node/mesh-oslo-1 --sequence 3"}

// TestEnvironmentOfCases: with the user's key, without one and under another, the commands
// about cases print the same and end alike. Results that only a walk gives are shown to the
// user who walked, and to no one else.
func TestEnvironmentOfCases(t *testing.T) {
	dir := sceneIn(t, "rotated-keys")
	state, other, shared := t.TempDir(), t.TempDir(), openToAll(t)
	environments := map[string][]string{
		"own":             {"XDG_STATE_HOME=" + state},
		"another's":       {"XDG_STATE_HOME=" + other},
		"none":            {"HOME=", "XDG_STATE_HOME="},
		"no folder":       {"HOME=/dev/null", "XDG_STATE_HOME="},
		"shared by all":   {"XDG_STATE_HOME=" + shared},
		"home of its own": {"HOME=" + t.TempDir(), "XDG_STATE_HOME="},
	}
	t.Chdir(dir)
	run := func(environment []string, line string) (string, int) {
		for _, variable := range environment {
			name, value, _ := strings.Cut(variable, "=")
			t.Setenv(name, value)
		}
		code, out, _ := call(nil, strings.Fields(line)...)
		return out, code
	}
	type answer struct {
		out  string
		code int
	}
	answers := map[string][]answer{}
	for name, environment := range environments {
		must.Do(t, os.RemoveAll(filepath.Join(dir, "case.db")))
		for _, line := range caseLines {
			out, code := run(environment, line)
			answers[name] = append(answers[name], answer{out, code})
		}
		for _, line := range walkLines {
			own, code := run(environment, line)
			remembers := name == "own" || name == "another's" || name == "home of its own"
			check.That(t, line != walkLines[0] || (code == 0) == remembers, "%s, %s: exit code %d\n%s", name, line, code, own)
			if !remembers {
				theirs, _ := run([]string{"XDG_STATE_HOME=" + t.TempDir()}, line)
				check.That(t, own == theirs, "%s, %s: two users without a walk differ:\n%s\n%s", name, line, own, theirs)
			}
		}
	}
	for name, all := range answers {
		for i, got := range all {
			if want := answers["none"][i]; got != want || got.code == 2 {
				t.Errorf("%s, %s: exit code %d, and %d without a key\n%s\n%s", name, caseLines[i], got.code, want.code,
					got.out, want.out)
			}
		}
	}
}
