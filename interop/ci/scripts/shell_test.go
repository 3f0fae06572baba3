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

var (
	variableLine = regexp.MustCompile(`(?m)^ +(SVC_[A-Z_]+): (.*)$`)
	literal      = regexp.MustCompile(
		`(?m)^ {4}(SVC_[A-Z_]+):\n {6}expand: false\n {6}value: \|2-\n {8}\$\[\[ inputs\.([a-z-]+) \]\]$`)
	formLine    = regexp.MustCompile(`^ +regex: '(.*)'$`)
	inputOf     = regexp.MustCompile(`[$]\{\{ inputs\.([a-z-]+) (?:\|\| steps\.get\.outputs\.program )?\}\}`)
	nameLine    = regexp.MustCompile(`^ +([a-z-]+):$`)
	defaultLine = regexp.MustCompile(`^ +default: ?(.*)$`)
)

// read reads a template.
func read(t *testing.T, name string) *template {
	t.Helper()
	text := must.Get(os.ReadFile(name))(t)
	a := &template{name: name, scripts: blocks(string(text)), fixed: map[string]string{}, from: map[string]string{},
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
	_, inputs, _ := strings.Cut(string(text), "inputs:\n")
	inputs, _, _ = strings.Cut(inputs, "\n---\n")
	inputs, _, _ = strings.Cut(inputs, "\noutputs:\n")
	last := ""
	for line := range strings.Lines(inputs) {
		line = strings.TrimRight(line, "\n")
		if m := nameLine.FindStringSubmatch(line); m != nil {
			last = m[1]
			a.inputs[last] = ""
		} else if m := defaultLine.FindStringSubmatch(line); m != nil {
			a.inputs[last] = strings.Trim(m[1], `"`)
		} else if m := formLine.FindStringSubmatch(line); m != nil {
			a.form[last] = regexp.MustCompile(m[1]) // GitLab uses RE2, as Go does
		}
	}
	must.That(t, len(a.scripts) != 0 && len(a.from) >= 10 && len(a.inputs) >= 10,
		"%s was not read: %d scripts, %d variables, %d inputs", name, len(a.scripts), len(a.from), len(a.inputs))
	return a
}

// blocks returns the literal blocks of a YAML file, without their indentation.
func blocks(text string) []string {
	var all []string
	var block strings.Builder
	indent := -1 // of the block, -1 outside of one, 0 before its first line
	for line := range strings.Lines(text) {
		own := len(line) - len(strings.TrimLeft(line, " "))
		blank := strings.TrimSpace(line) == ""
		if indent == 0 && !blank {
			indent = own
		}
		if indent > 0 && !blank && own < indent {
			all = append(all, block.String())
			block.Reset()
			indent = -1
		}
		switch {
		case indent > 0 && blank:
			block.WriteString("\n")
		case indent > 0:
			block.WriteString(line[indent:])
		case strings.HasSuffix(line, "run: |\n") || strings.HasSuffix(line, "- |\n"):
			indent = 0
		}
	}
	if indent > 0 {
		all = append(all, block.String())
	}
	return all
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
