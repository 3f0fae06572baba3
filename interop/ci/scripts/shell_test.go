//go:build unix

package scripts

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/svc-edge/svc-verify/internal/must"
)

// template is a file with a shell script whose values come from inputs.
type template struct {
	name    string
	scripts []string          // of its steps, in their order
	fixed   map[string]string // environment that does not depend on inputs
	from    map[string]string // the input that a variable of the environment has
	inputs  map[string]string // all of them, with their defaults

	form map[string]*regexp.Regexp // the values of an input that the platform admits, if not all
}

// input is an input of a template.
type input struct{ Default, Regex string }

var (
	variableLine = regexp.MustCompile(`(?m)^ +(SVC_[A-Z_]+): (.*)$`)
	literal      = regexp.MustCompile(
		`(?m)^ {4}(SVC_[A-Z_]+):\n {6}expand: false\n {6}value: \|2-\n {8}\$\[\[ inputs\.([a-z-]+) \]\]$`)
	inputOf = regexp.MustCompile(`[$]\{\{ inputs\.([a-z-]+) (?:\|\| steps\.get\.outputs\.program )?\}\}`)
)

// read reads a template.
func read(t *testing.T, name string) *template {
	t.Helper()
	text := must.Get(os.ReadFile(name))(t)
	a := &template{name: name, fixed: map[string]string{}, from: map[string]string{},
		inputs: map[string]string{}, form: map[string]*regexp.Regexp{}}
	for _, m := range literal.FindAllStringSubmatch(string(text), -1) {
		a.from[m[1]] = m[2]
	}
	for _, m := range variableLine.FindAllStringSubmatch(string(text), -1) {
		if in := inputOf.FindStringSubmatch(m[2]); in != nil {
			a.from[m[1]] = in[1]
		} else {
			a.fixed[m[1]] = strings.Trim(m[2], `"`)
		}
	}
	var doc struct {
		Inputs map[string]input
		Spec   struct{ Inputs map[string]input }
		Runs   struct{ Steps []struct{ Run string } }
	}
	documents := yaml.NewDecoder(bytes.NewReader(text))
	must.Do(t, documents.Decode(&doc))
	for _, step := range doc.Runs.Steps {
		a.scripts = append(a.scripts, step.Run)
	}
	if name == component {
		var jobs map[string]struct{ Script []string }
		must.Do(t, documents.Decode(&jobs))
		for _, j := range jobs {
			a.scripts = append(a.scripts, j.Script...)
		}
	}
	for _, inputs := range []map[string]input{doc.Inputs, doc.Spec.Inputs} {
		for name, in := range inputs {
			a.inputs[name] = in.Default
			if in.Regex != "" {
				a.form[name] = regexp.MustCompile(in.Regex) // GitLab uses RE2, as Go does
			}
		}
	}
	must.That(t, len(a.scripts) != 0 && len(a.from) >= 10 && len(a.inputs) >= 10,
		"%s was not read: %d scripts, %d variables, %d inputs", name, len(a.scripts), len(a.from), len(a.inputs))
	return a
}

// admits reports whether the platform accepts the inputs.
func (a *template) admits(inputs map[string]string) bool {
	for name, value := range inputs {
		if form := a.form[name]; form != nil && !form.MatchString(value) {
			return false
		}
	}
	return true
}

// lists are the inputs with several items.
var lists = []string{"paths", "dns", "only", "collected", "reports"}

// spelled returns inputs in the form that a template accepts, from lists with an item a line.
func (a *template) spelled(inputs map[string]string) map[string]string {
	all := map[string]string{}
	for name, value := range inputs {
		if a.name == component && slices.Contains(lists, name) {
			value = strings.ReplaceAll(value, "\n", ",")
		}
		all[name] = value
	}
	return all
}

// environment returns the environment that the platform gives to the scripts for inputs.
func (a *template) environment(t *testing.T, inputs map[string]string) map[string]string {
	t.Helper()
	env := map[string]string{}
	for name, value := range a.fixed {
		env[name] = value
	}
	for name, input := range a.from {
		env[name] = a.inputs[input]
		if value, ok := inputs[input]; ok {
			env[name] = value
		}
	}
	for name := range inputs {
		if _, ok := a.inputs[name]; !ok {
			t.Fatalf("%s has no input %s", a.name, name)
		}
	}
	return env
}

// ended is the output of a script, and its exit code.
type ended struct {
	stdout, stderr string
	code           int
}

// shell runs a script with bash, in a folder.
func shell(t *testing.T, dir, script string, env map[string]string) ended {
	t.Helper()
	return runIn(t, dir, env, "bash", "-c", script)
}

// runIn runs a program in a folder, with no environment but this and a few standard variables.
func runIn(t *testing.T, dir string, env map[string]string, program string, args ...string) ended {
	t.Helper()
	cmd := exec.Command(program, args...) // #nosec G204 -- a test
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "LC_ALL=C"}
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	must.That(t, err == nil || errors.As(err, &exit), "%v", err)
	return ended{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// fake is a program that keeps its arguments in a file, prints the given text, and ends with a
// code.
const fake = `#!/usr/bin/env bash
for a; do printf '%s\0' "$a"; done >"$FAKE_ARGS"
printf '%s' "${FAKE_STDOUT-}"
printf '%s' "${FAKE_STDERR-}" >&2
exit "${FAKE_CODE-0}"
`

// writeFake writes the program into a folder, and returns its path.
func writeFake(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "svc-verify-fake")
	if err := os.WriteFile(path, []byte(fake), 0o755); err != nil { // #nosec G306 -- a program
		t.Fatal(err)
	}
	return path
}

// arguments returns the arguments of the program's last call, or nil if there was no call.
func arguments(t *testing.T, env map[string]string) []string {
	t.Helper()
	text, err := os.ReadFile(env["FAKE_ARGS"])
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	must.Do(t, err)
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
}
