//go:build unix

package ci

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
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
			if strings.Contains(text, expression) {
				t.Errorf("%s: a script has %s in it", name, expression)
			}
		}
		used := map[string]bool{}
		for _, v := range regexp.MustCompile(`\$\{?(SVC_[A-Z_]+)`).FindAllStringSubmatch(text, -1) {
			used[v[1]] = true
		}
		if got, want := slices.Sorted(maps.Keys(used)), a.variables(); !slices.Equal(got, want) {
			t.Errorf("%s: the scripts use %s, and get %s", name, got, want)
		}
		given := slices.Sorted(maps.Values(a.from))
		forGitLab := []string{"job-name", "stage", "image"}
		for input := range a.inputs {
			if n := len(slices.DeleteFunc(slices.Clone(given), func(g string) bool { return g != input })); n != 1 && !slices.Contains(forGitLab, input) {
				t.Errorf("%s: input %s is in %d variables", name, input, n)
			}
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
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}
