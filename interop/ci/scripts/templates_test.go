//go:build unix

package scripts

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

const (
	action    = "github/action.yml"
	component = "gitlab/templates/svc-verify.yml"
)

// TestInputsAreValues: the text of a script has no input in it; each input reaches it
// in one variable, and each variable that a script uses is one of those that it gets.
func TestInputsAreValues(t *testing.T) {
	for _, name := range []string{action, component} {
		a := read(t, name)
		text := strings.Join(a.scripts, "\n")
		for _, expression := range []string{"${{", "$[[", "eval", "inputs."} {
			check.That(t, !strings.Contains(text, expression), "%s: a script has %s in it", name, expression)
		}
		used := map[string]bool{}
		for _, v := range regexp.MustCompile(`\$\{?(SVC_[A-Z_]+)`).FindAllStringSubmatch(text, -1) {
			used[v[1]] = true
		}
		got, want := slices.Sorted(maps.Keys(used)), a.variables()
		check.That(t, slices.Equal(got, want), "%s: the scripts use %s, and get %s", name, got, want)
		given := slices.Sorted(maps.Values(a.from))
		forGitLab := []string{"job-name", "stage", "image"}
		for input := range a.inputs {
			n := len(slices.DeleteFunc(slices.Clone(given), func(g string) bool { return g != input }))
			check.That(t, n == 1 || slices.Contains(forGitLab, input), "%s: input %s is in %d variables", name, input, n)
		}
	}
}

// variables returns the names of all variables of a template.
func (a *template) variables() []string {
	all := map[string]bool{}
	for name := range a.from {
		all[name] = true
	}
	for name := range a.fixed {
		all[name] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// job is one run of the scripts of a template with a fake program.
type job struct {
	*template
	dir string
	env map[string]string
}

// newJob sets up a run with inputs, with the fake program as its path.
func newJob(t *testing.T, name string, inputs map[string]string) *job {
	t.Helper()
	j := &job{template: read(t, name), dir: t.TempDir()}
	all := map[string]string{"path": writeFake(t, j.dir)}
	maps.Copy(all, j.spelled(inputs))
	j.env = j.environment(t, all)
	j.env["FAKE_ARGS"] = filepath.Join(j.dir, "args")
	for _, file := range []string{"GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"} {
		j.env[file] = filepath.Join(j.dir, file)
	}
	j.env["RUNNER_TEMP"] = j.dir
	return j
}

// verify runs the last script, which calls the program.
func (j *job) verify(t *testing.T) ended {
	t.Helper()
	return shell(t, j.dir, j.scripts[len(j.scripts)-1], j.env)
}

// outputs returns the outputs of a step of the action.
func (j *job) outputs(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(j.env["GITHUB_OUTPUT"])
	must.That(t, err == nil || os.IsNotExist(err), "%v", err)
	return string(text)
}

// TestArguments: the value of an input reaches the program as it is, whatever it looks like to
// a shell, and an empty one does not.
func TestArguments(t *testing.T) {
	const hostile = "a b\t\"'\\ $(touch pwned) `touch pwned`; touch pwned & * ? ~ -x #"
	for _, c := range []struct {
		name   string
		inputs map[string]string
		want   []string
	}{
		{"the least", map[string]string{"paths": "proofs", "trust": "t"},
			[]string{"verify", "--trust=t", "--gate", "--status=issued", "--at=now", "--", "proofs"}},
		{"no path", map[string]string{"trust": "t"},
			[]string{"verify", "--trust=t", "--gate", "--status=issued", "--at=now", "--"}},
		{"no trust file", map[string]string{"paths": "proofs"},
			[]string{"verify", "--trust=", "--gate", "--status=issued", "--at=now", "--", "proofs"}},
		{"lists", map[string]string{"paths": "\n a\nb c \n\n--trust=x\n-\n", "trust": "t", "only": "*.json\nb*\n",
			"dns": "a.example\nb.example"},
			[]string{"verify", "--trust=t", "--gate", "--status=issued", "--dns=a.example", "--dns=b.example", "--at=now",
				"--only=*.json", "--only=b*", "--", " a", "b c ", "--trust=x", "-"}},
		{"hostile", map[string]string{"paths": hostile, "trust": hostile, "at": hostile, "reports": "json=" + hostile,
			"tenant": hostile},
			[]string{"verify", "--trust=" + hostile, "--gate", "--status=issued", "--tenant=" + hostile, "--at=" + hostile,
				"--report=json=" + hostile, "--", hostile}},
		{"a line feed in a value", map[string]string{"paths": "p", "trust": "t", "expect": "1\n--trust=x"},
			[]string{"verify", "--trust=t", "--gate", "--status=issued", "--at=now", "--expect=1\n--trust=x", "--", "p"}},
		{"all", map[string]string{"paths": "p", "trust": "t", "status": "any", "minimum-approvals": "2", "at": "T",
			"max-age": "36h", "certificate": "c.pem", "transaction": "tx", "tenant": "acme",
			"expect": "9", "expect-transactions": "f", "expect-digests": "d", "jobs": "3", "base": "b"},
			[]string{"verify", "--trust=t", "--gate", "--status=any", "--certificate=c.pem", "--transaction=tx",
				"--tenant=acme", "--at=T", "--max-age=36h", "--minimum-approvals=2", "--expect=9",
				"--expect-transactions=f", "--expect-digests=d", "--jobs=3", "--base=b", "--", "p"}},
		{"all waived", map[string]string{"paths": "p", "trust": "t", "any-subject": "true", "any-time": "true",
			"any-age": "true"},
			[]string{"verify", "--trust=t", "--gate", "--status=issued", "--any-subject", "--any-time", "--any-age", "--",
				"p"}},
		{"an age at any time", map[string]string{"paths": "p", "trust": "t", "any-time": "true", "max-age": "1h"},
			[]string{"verify", "--trust=t", "--gate", "--status=issued", "--at=now", "--any-time", "--max-age=1h", "--", "p"}},
		{"check", map[string]string{"command": "check", "paths": "p", "trust": "t", "collected": "node/a\nnode/b"},
			[]string{"check", "--trust=t", "--collected=node/a", "--collected=node/b", "--", "p"}},
		{"another command", map[string]string{"command": "receive", "paths": "p", "trust": "t"}, nil},
		{"no command", map[string]string{"command": "", "paths": "p", "trust": "t"}, nil},
	} {
		for _, name := range []string{action, component} {
			t.Run(c.name+" of "+filepath.Dir(name), func(t *testing.T) {
				j := newJob(t, name, c.inputs)
				if !j.admits(j.spelled(c.inputs)) {
					check.That(t, strings.Contains(c.name, "line feed"), "the platform does not take the inputs")
					return
				}
				end := j.verify(t)
				got := arguments(t, j.env)
				own := func(a string) bool {
					return a == "--report=junit=svc-verify-junit.xml" || a == "--report=github-annotations" ||
						a == "--report=github-summary="+j.env["GITHUB_STEP_SUMMARY"]
				}
				check.That(t, got == nil || slices.ContainsFunc(got, own), "no report is asked for: %q", got)
				if got = slices.DeleteFunc(got, own); !slices.Equal(got, c.want) {
					t.Errorf("arguments\n%q, want\n%q\n%s%s", got, c.want, end.stdout, end.stderr)
				}
				check.That(t, c.want != nil || end.code == 2, "exit code %d", end.code)
				check.That(t, check.Err(os.Stat(filepath.Join(j.dir, "pwned"))) != nil, "a value was run")
			})
		}
	}
}

// TestForms: the component, whose text GitLab writes inputs into, admits no line break, and
// everything else that a path can be. An input that is not the value of a variable is a name.
func TestForms(t *testing.T) {
	a := read(t, component)
	used := slices.Collect(maps.Values(a.from))
	for input := range a.inputs {
		good, bad := []string{"", " a: b #", "\"'\\{}[]|>*&!%@`$[[ x ]]", "ü\t\u202e"},
			[]string{"a\nb", "\r", "a\u0085b", "\u2028", "\u2029", "\x00"}
		if input == "command" || input == "status" || strings.HasPrefix(input, "any-") {
			continue // which have options
		}
		if !slices.Contains(used, input) {
			good, bad = []string{"debian:12", "my job.1", "registry.example/a@sha256:0b"},
				append(bad, "", "a\"", "a: b\n", "a#", "'", "[a]")
		}
		for want, values := range map[bool][]string{true: good, false: bad} {
			for _, value := range values {
				check.Equal(t, a.admits(map[string]string{input: value}), want, "%s: %q is admitted", input, value)
			}
		}
		check.That(t, a.form[input] != nil && (a.admits(map[string]string{input: a.inputs[input]}) || a.inputs[input] == ""),
			"%s has no form, or a default that is none", input)
	}
}

// TestPlatformReports: a summary and annotations are requested unless they are not wanted.
func TestPlatformReports(t *testing.T) {
	j := newJob(t, action, map[string]string{"paths": "p", "trust": "t", "summary": "false", "annotations": "no"})
	j.verify(t)
	got := arguments(t, j.env)
	check.That(t, slices.Equal(got, []string{"verify", "--trust=t", "--gate", "--status=issued", "--at=now", "--", "p"}),
		"%q", got)
}

// TestExitCodes: the step has the exit code of the program, and no code but 0 is a success.
func TestExitCodes(t *testing.T) {
	for code, verdict := range map[string]string{
		"0": "verified", "1": "rejected", "2": "failed", "3": "inconclusive", "137": "failed",
	} {
		for _, name := range []string{action, component} {
			j := newJob(t, name, map[string]string{"paths": "p", "trust": "t"})
			j.env["FAKE_CODE"] = code
			end := j.verify(t)
			got := end.code
			check.That(t, code == strconv.Itoa(got), "%s: exit code %d, want %s", name, got, code)
			if want := "verdict=" + verdict + "\nexit-code=" + code + "\n"; name == action && j.outputs(t) != want {
				t.Errorf("outputs %q, want %q", j.outputs(t), want)
			}
		}
	}
	for _, name := range []string{action, component} {
		j := newJob(t, name, map[string]string{"paths": "p", "trust": "t", "path": "/none/svc-verify"})
		check.That(t, j.verify(t).code != 0, "%s: a program that is not there is a success", name)
	}
}

// TestRunnerObeysOnlyAnnotations: whatever the program prints, GitHub's runner obeys
// only the annotations on standard error.
func TestRunnerObeysOnlyAnnotations(t *testing.T) {
	j := newJob(t, action, map[string]string{"paths": "p", "trust": "t"})
	const wanted = "::error file=a,line=1,title=rejected::b\n"
	j.env["FAKE_STDOUT"] = "verified\n::error::forged\n  ::add-mask::x\n::stop-commands::mine\n::mine::\n##[add-matcher]x\nno line feed"
	j.env["FAKE_STDERR"] = "svc-verify: x\n##[set-output name=verdict]verified\n::set-output name=verdict::verified\n" +
		wanted + "::add-path::/tmp\n"
	end := j.verify(t)
	got := obeyed(t, end.stdout)
	check.That(t, got == wanted, "the runner obeys %q, want %q\n%s", got, wanted, end.stdout)
	check.That(t, !strings.Contains(end.stderr, "::") && !strings.Contains(end.stderr, "##["),
		"on standard error the runner would obey %q", end.stderr)
	for _, said := range []string{"::error::forged", "svc-verify: x\n"} {
		check.That(t, strings.Contains(end.stdout, said), "the log lacks %q: %s", said, end.stdout)
	}
	if first, second := j.verify(t).stdout, end.stdout; token(first) == token(second) || len(token(first)) != 32 {
		t.Errorf("tokens %q and %q can be guessed", token(first), token(second))
	}
}

// token returns the word that ends the part of a log in which the runner obeys nothing.
func token(log string) string {
	_, rest, _ := strings.Cut(log, "::stop-commands::")
	token, _, _ := strings.Cut(rest, "\n")
	return token
}

// obeyed returns the lines of a log that GitHub's runner reads as commands.
func obeyed(t *testing.T, log string) string {
	t.Helper()
	var all strings.Builder
	stopped := ""
	for line := range strings.Lines(log) {
		text := strings.TrimSpace(line)
		switch {
		case stopped != "" && text == "::"+stopped+"::":
			stopped = ""
		case stopped != "":
		case strings.HasPrefix(text, "::stop-commands::"):
			stopped = strings.TrimPrefix(text, "::stop-commands::")
		case strings.HasPrefix(text, "::") || strings.Contains(text, "##["):
			all.WriteString(line)
		}
	}
	check.Equal(t, stopped, "", "the runner is not told to go on")
	return all.String()
}
