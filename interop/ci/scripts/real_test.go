//go:build unix

package scripts

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// folder has the program itself, once it was built.
var folder string

func TestMain(m *testing.M) {
	// The tests name the files as the folder ci has them.
	if err := os.Chdir("../../../ci"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := os.RemoveAll(folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// built is the program itself.
var built = sync.OnceValues(func() (path string, err error) {
	if folder, err = os.MkdirTemp("", "svc-verify-ci"); err != nil {
		return "", err
	}
	path = filepath.Join(folder, "svc-verify")
	if out, err := exec.Command("go", "build", "-o", path,
		"../cmd/svc-verify").CombinedOutput(); err != nil { // #nosec G204 -- a test
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

// newRealJob sets up a run of the program itself over the scene revoked.
func newRealJob(t *testing.T, name string, inputs map[string]string) *job {
	t.Helper()
	program := must.Get(built())(t)
	all := map[string]string{"trust": "trust.json", "path": program, "any-subject": "true", "any-time": "true",
		"any-age": "true"}
	maps.Copy(all, inputs)
	j := newJob(t, name, all)
	scene := must.Get(harness.Build("revoked", 1, harness.Options{}))(t)
	must.Do(t, scene.Write(j.dir))
	proof := must.Get(os.ReadFile(filepath.Join(j.dir, "svc-evidence-tx-2026-0001.json")))(t)
	for name, content := range map[string]string{
		"digests":      fmt.Sprintf("%x  svc-evidence-tx-2026-0001.json\n", sha256.Sum256(proof)),
		"transactions": "tx-2026-0001\n",
	} {
		must.Do(t, os.WriteFile(filepath.Join(j.dir, name), []byte(content), 0o600))
	}
	// Names that look like commands to a runner.
	hostile := filepath.Join(j.dir, "hostile")
	must.Do(t, os.Mkdir(hostile, 0o700))
	for _, file := range []string{"\n::add-mask::x", "##[set-env]y", "::error::z"} {
		must.Do(t, os.WriteFile(filepath.Join(hostile, file), []byte(`{"protocol":"svc.evidence-bundle.v1"}`),
			0o600))
	}
	return j
}

// TestVerdicts: the steps with the program itself come to its verdict, with reports.
func TestVerdicts(t *testing.T) {
	const bundle, other = "svc-evidence-tx-2026-0001.json", "svc-evidence-tx-2026-0002.json"
	const asked = "any" // for bundle, whose status is revoked
	for _, c := range []struct {
		name   string
		inputs map[string]string
		code   int
	}{
		{"a revoked certificate", map[string]string{"paths": bundle}, 1},
		{"a revoked certificate in a folder", map[string]string{"paths": ".", "only": "svc-*.json"}, 1},
		{"a revoked certificate among evidence, whose status is shown", map[string]string{"command": "check",
			"paths": "journals\ntenant.ndjson\n" + bundle}, 0},
		{"an issued certificate", map[string]string{"paths": other}, 0},
		{"an issued certificate among evidence", map[string]string{"command": "check",
			"paths": "journals\ntenant.ndjson\n" + other}, 0},
		{"a revocation that is to be proved", map[string]string{"paths": bundle, "status": "revoked"}, 0},
		{"a revocation that is not proved", map[string]string{"paths": other, "status": "revoked"}, 1},
		{"no such status", map[string]string{"paths": other, "status": "good"}, 2},
		{"a proof", map[string]string{"paths": bundle, "expect": "1", "minimum-approvals": "2", "status": asked}, 0},
		{"what was expected", map[string]string{"paths": bundle, "expect-digests": "digests",
			"expect-transactions": "transactions", "status": asked}, 0},
		{"others than expected", map[string]string{"paths": other, "expect-digests": "digests"}, 1},
		{"some of a folder", map[string]string{"paths": ".", "only": bundle + "\n" + other, "jobs": "2", "base": "..",
			"status": asked}, 0},
		{"a fresh proof", map[string]string{"paths": other, "at": "2026-03-03T00:00:00Z", "any-time": "false",
			"max-age": "7d", "any-age": "false"}, 0},
		{"a stale proof", map[string]string{"paths": other, "at": "2027-03-03T00:00:00Z", "max-age": "36h",
			"any-age": "false"}, 3},
		{"half a question", map[string]string{"paths": other, "at": "", "max-age": "36h", "any-age": "false"}, 2},
		{"no question of whose", map[string]string{"paths": other, "any-subject": "false"}, 2},
		{"no question of when", map[string]string{"paths": other, "any-time": "false", "at": ""}, 2},
		{"no question of how old", map[string]string{"paths": other, "any-age": "false"}, 2},
		{"its name", map[string]string{"paths": other, "any-subject": "false", "dns": "payments.acme.example"}, 0},
		{"another name", map[string]string{"paths": other, "any-subject": "false", "dns": "api.acme.example"}, 1},
		{"no longer in force", map[string]string{"paths": other, "any-time": "false"}, 1},
		{"evidence", map[string]string{"command": "check",
			"paths": "journals\ntenant.ndjson\n" + bundle}, 0},
		{"nothing given", map[string]string{}, 3},
		{"nothing to check", map[string]string{"command": "check"}, 3},
		{"one is missing", map[string]string{"paths": bundle, "expect": "2"}, 1},
		{"no proof", map[string]string{"paths": bundle + "\ntenant.ndjson"}, 1},
		{"names", map[string]string{"paths": "hostile"}, 1},
		{"names in a check", map[string]string{"command": "check", "paths": "hostile", "collected": "node/a\nnode/b"}, 1},
		{"a part", map[string]string{"command": "check", "paths": "tenant.ndjson"}, 3},
		{"no trust file", map[string]string{"paths": bundle, "trust": "none.json"}, 2},
		{"empty trust file", map[string]string{"paths": bundle, "trust": ""}, 2},
		{"not for this command", map[string]string{"command": "check", "paths": bundle, "expect": "1"}, 2},
		{"another report", map[string]string{"paths": bundle, "status": asked,
			"reports": "json=a.json\njsonl=b c.jsonl"}, 0},
		{"no such report", map[string]string{"paths": bundle, "reports": "pdf=a"}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			onGitHub(t, newRealJob(t, action, c.inputs), c.code)
			onGitLab(t, newRealJob(t, component, c.inputs), c.code)
		})
	}
}

// onGitHub wants an exit code of the action, and the summary and annotations that go
// with it.
func onGitHub(t *testing.T, j *job, code int) {
	t.Helper()
	end := j.verify(t)
	check.That(t, end.code == code, "on GitHub the exit code is %d, want %d: %s%s", end.code, code, end.stdout, end.stderr)
	for line := range strings.Lines(obeyed(t, end.stdout) + obeyed(t, end.stderr)) {
		if !regexp.MustCompile(`^::(error|warning|notice) (file=[^:,]*,)?(line=\d+,)?title=[^:,]*::`).MatchString(line) {
			t.Errorf("the runner obeys %q", line)
		}
	}
	summary, err := os.ReadFile(j.env["GITHUB_STEP_SUMMARY"])
	check.That(t, (err == nil) == (code != 2) && (code == 2 || len(summary) != 0), "the summary is %q, %v", summary, err)
	if told := strings.Contains(end.stdout, "\n::"+map[int]string{0: "notice", 1: "error", 3: "warning"}[code]+
		" "); code != 2 && !told {
		t.Errorf("there is no annotation: %s", end.stdout)
	}
	if asked, _, _ := strings.Cut(j.env["SVC_REPORTS"], "\n"); code == 0 && asked != "" {
		check.Do(t, check.Err(os.Stat(filepath.Join(j.dir, strings.TrimPrefix(asked, "json=")))))
	}
}

// onGitLab wants an exit code of the component, and the JUnit report that goes with it.
func onGitLab(t *testing.T, j *job, code int) {
	t.Helper()
	end := j.verify(t)
	check.That(t, end.code == code, "on GitLab the exit code is %d, want %d: %s%s", end.code, code, end.stdout, end.stderr)
	junit, err := os.ReadFile(filepath.Join(j.dir, "svc-verify-junit.xml"))
	check.Equal(t, err == nil, code != 2, "the report is %q, %v", junit, err)
	check.Equal(t, strings.Contains(string(junit), `failures="0" errors="0"`), code == 0,
		"the report of exit code %d is %s", code, junit)
}

// TestCronOfProgram: the script for cron with the program itself.
func TestCronOfProgram(t *testing.T) {
	must.Program(t, "flock")
	j := newRealJob(t, component, nil)
	script := must.Get(filepath.Abs("cron/svc-verify-cron"))(t)
	for i, step := range []struct {
		args []string
		code int
		mail bool
	}{
		{[]string{"journals"}, 0, true},
		{[]string{"journals"}, 0, false},
		{[]string{"--collected=node/x", "journals"}, 1, true},
		{[]string{"--collected=node/x", "journals"}, 1, true},
		{nil, 3, true},
		{[]string{"journals"}, 0, true},
	} {
		end := runIn(t, j.dir, nil, script, append([]string{"state", j.env["SVC_PROGRAM"], "check", "--trust", "trust.json"},
			step.args...)...)
		check.That(t, end.code == step.code && (end.stdout != "") == step.mail,
			"step %d: exit code %d: %s", i, end.code, end.stdout)
	}
}
