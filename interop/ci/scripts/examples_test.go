//go:build unix

package scripts

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// cronjob is a folder in which the script for cron runs, with the fake program.
type cronjob struct {
	dir string
	env map[string]string
}

func newCronjob(t *testing.T) *cronjob {
	t.Helper()
	dir := t.TempDir()
	return &cronjob{dir, map[string]string{"FAKE_ARGS": filepath.Join(dir, "args")}}
}

// run runs the script. The program prints a text and ends with a code.
func (c *cronjob) run(t *testing.T, said, code string) ended {
	t.Helper()
	script := must.Get(filepath.Abs("cron/svc-verify-cron"))(t)
	env := maps.Clone(c.env)
	env["FAKE_STDOUT"], env["FAKE_CODE"] = said, code
	return runIn(t, c.dir, env, script, filepath.Join(c.dir, "the state"), writeFake(t, c.dir), "batch", "a b", "$(x)")
}

// TestCron: mail goes out when the result changes, and for every run that is not
// verified; the exit code is always the program's.
func TestCron(t *testing.T) {
	must.Program(t, "flock")
	c := newCronjob(t)
	for i, step := range []struct {
		said, code string
		mail       []string // its content; nil if there is none
	}{
		{"verified\n", "0", []string{"verified\n"}},
		{"verified\n", "0", nil},
		{"verified, 2\n", "0", []string{"verified, 2\n"}},
		{"rejected\n", "1", []string{"rejected\n", "REJECTED"}},
		{"rejected\n", "1", []string{"REJECTED: something is bad, missing, too much or revoked, as in the run before\n"}},
		{"rejected\n", "3", []string{"rejected\n", "nothing to verify"}},
		{"", "3", []string{"nothing to verify"}},
		{"", "3", []string{"nothing to verify", "as in the run before"}},
		{"", "2", []string{"could not work"}},
		{"", "139", []string{"ended with 139"}},
		{"", "139", []string{"ended with 139, as in"}},
		{"", "0", []string{"verified"}},
		{"", "0", nil},
	} {
		end := c.run(t, step.said, step.code)
		check.That(t, end.stderr == "" && step.code == code(end), "step %d: exit code %d: %s", i, end.code, end.stderr)
		check.Equal(t, end.stdout == "", step.mail == nil, "step %d: the mail is %q", i, end.stdout)
		for _, part := range step.mail {
			check.That(t, strings.Contains(end.stdout, part), "step %d: the mail is %q, without %q", i, end.stdout, part)
		}
	}
	if got := arguments(t, c.env); !slices.Equal(got, []string{"batch", "a b", "$(x)"}) {
		t.Errorf("arguments %q", got)
	}
	left, err := os.ReadDir(filepath.Join(c.dir, "the state"))
	check.That(t, err == nil && len(left) == 2, "%v is left, %v", left, err)
}

// TestCronFailures: a run that could not begin, or not keep its result, is not silent.
func TestCronFailures(t *testing.T) {
	must.Program(t, "flock")
	c := newCronjob(t)
	state := filepath.Join(c.dir, "the state")
	c.run(t, "verified\n", "0")
	// Another run has the lock.
	env := maps.Clone(c.env)
	script := must.Get(filepath.Abs("cron/svc-verify-cron"))(t)
	env["SCRIPT"], env["STATE"], env["PROGRAM"] = script, state, writeFake(t, c.dir)
	end := shell(t, c.dir, `exec 8>"$STATE/lock"; flock 8; "$SCRIPT" "$STATE" "$PROGRAM" 8>&-`, env)
	check.That(t, end.code == 2 && strings.Contains(end.stdout, "still going on: nothing was verified"),
		"locked: exit code %d: %q", end.code, end.stdout)
	if end := shell(t, c.dir, `"$SCRIPT" "$STATE"`, env); end.code != 2 || !strings.Contains(end.stdout, "usage") {
		t.Errorf("no command: exit code %d: %q", end.code, end.stdout)
	}
	if end := shell(t, c.dir, `"$SCRIPT" "$STATE" /none/svc-verify`, env); end.code != 127 || end.stdout == "" {
		t.Errorf("no program: exit code %d: %q", end.code, end.stdout)
	}
	env["STATE"] = script + "/state"
	if end := shell(t, c.dir, `"$SCRIPT" "$STATE" "$PROGRAM"`, env); end.code != 2 ||
		!strings.Contains(end.stdout, "cannot be made") {
		t.Errorf("no state: exit code %d: %q", end.code, end.stdout)
	}
}

func code(end ended) string { return strconv.Itoa(end.code) }

// TestJenkins: the script of the Jenkinsfile is text without values, and its exit code
// is the program's.
func TestJenkins(t *testing.T) {
	text := must.Get(os.ReadFile("jenkins/Jenkinsfile"))(t)
	_, rest, _ := strings.Cut(string(text), "sh '''")
	script, _, found := strings.Cut(rest, "'''")
	must.That(t, found && !strings.Contains(string(text), `"""`) && strings.HasPrefix(script, "#!/usr/bin/env bash\n"),
		"there is no script between three single quotes")
	for _, want := range []string{"0", "1", "2", "3"} {
		dir := t.TempDir()
		stale := filepath.Join(dir, "svc-verify-junit.xml")
		must.Do(t, os.WriteFile(stale, nil, 0o600))
		env := map[string]string{"SVC_PROGRAM": writeFake(t, dir), "SVC_TRUST": "a b", "SVC_PATHS": "$(x)",
			"SVC_DNS": "a.example", "SVC_MAX_AGE": "36h",
			"FAKE_ARGS": filepath.Join(dir, "args"), "FAKE_CODE": want}
		end := shell(t, dir, script, env)
		check.Equal(t, code(end), want, "exit code %d: %s", end.code, end.stderr)
		got := arguments(t, env)
		if len(got) < 9 || !slices.Equal(got[:7], []string{"verify", "--gate", "--dns=a.example", "--status=issued",
			"--at=now", "--max-age=36h", "--trust=a b"}) ||
			!slices.Equal(got[len(got)-2:], []string{"--", "$(x)"}) {
			t.Errorf("arguments %q", got)
		}
		check.That(t, check.Err(os.Stat(stale)) != nil, "the report of an earlier build is left")
	}
}

// TestFilesAskEachQuestion: whatever a pipeline copies from here does not let a revoked
// certificate pass, and asks or waives each of the four questions.
func TestFilesAskEachQuestion(t *testing.T) {
	for _, c := range []struct {
		file, want string
		times      int
	}{
		{"../.pre-commit-hooks.yaml", "entry: svc-verify verify --gate\n", 1},
		{"../.pre-commit-hooks.yaml", "entry: svc-verify check\n", 1},
		{"cron/crontab", "svc-verify verify --gate --any-subject --status issued --any-time --any-age --trust", 1},
		{"cron/svc-verify-cron", "svc-verify verify --gate --any-subject --status issued --any-time --any-age", 1},
		{"jenkins/Jenkinsfile", `verify --gate --dns="$SVC_DNS" --status=issued --at=now`, 1},
		{"README.md", "`verify --gate`", 1},
	} {
		text := must.Get(os.ReadFile(c.file))(t)
		check.Equal(t, strings.Count(string(text), c.want), c.times, "%s has %q times", c.file, c.want)
	}
}
