package ci

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// root is the folder of the main module.
const root = "../.."

// need ends a test without a program: as a failure where tests may not skip.
func need(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		must.That(t, os.Getenv("CI") == "", "%v", err)
		t.Skip(err)
	}
}

// run runs a program in a folder, and reports whether it was a success, and its output.
func run(t *testing.T, dir string, env []string, program string, args ...string) (ok bool, said string) {
	t.Helper()
	cmd := exec.Command(program, args...) // #nosec G204 -- a test
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	must.That(t, err == nil || errors.As(err, &exit), "%v", err)
	return err == nil, string(out)
}

// text returns a file of the main module.
func text(t *testing.T, name string) string {
	t.Helper()
	return string(must.Get(os.ReadFile(filepath.Join(root, name)))(t))
}

// lay writes a file, with its folders.
func lay(t *testing.T, path, content string) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o750))
	must.Do(t, os.WriteFile(path, []byte(content), 0o600))
}

// damaged is a text with one part replaced, which must be there.
func damaged(t *testing.T, doc, old, with string) string {
	t.Helper()
	must.That(t, strings.Contains(doc, old), "there is no %q", old)
	return strings.Replace(doc, old, with, 1)
}

// TestSchemas: every file is of the form that its platform has published, and with one
// thing wrong it is not.
func TestSchemas(t *testing.T) {
	need(t, "check-jsonschema")
	action, component := text(t, "ci/github/action.yml"), text(t, "ci/gitlab/templates/svc-verify.yml")
	header, jobs, found := strings.Cut(component, "\n---\n")
	must.That(t, found, "the component has no header")
	example := text(t, "ci/gitlab/example.gitlab-ci.yml")
	workflow := text(t, "ci/github/example.yml")
	for _, c := range []struct{ name, schema, doc, old, with string }{
		{"action", "github-actions", action, "using: composite", "using: docker-compose"},
		{"a step of the action", "github-actions", action, "      shell: bash\n", ""},
		{"workflow", "github-workflows", workflow, "runs-on:", "run-on:"},
		{"header of the component", "gitlab-ci", header, "options: [verify, check]", "options: verify"},
		{"job of the component", "gitlab-ci", jobs, "when: always", "when: ever"},
		{"a variable of the job", "gitlab-ci", jobs, "expand: false\n", "expands: false\n"},
		{"pipeline", "gitlab-ci", example, "component:", "components:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file.yml")
			for want, doc := range map[bool]string{true: c.doc, false: damaged(t, c.doc, c.old, c.with)} {
				lay(t, path, doc)
				ok, said := run(t, ".", nil, "check-jsonschema", "--builtin-schema", "vendor."+c.schema, path)
				check.That(t, ok == want, "%v, want %v: %s", ok, want, said)
			}
		})
	}
}

// TestActionlint: the workflow is sound, and gives the action the inputs that it has.
func TestActionlint(t *testing.T) {
	dir := t.TempDir()
	lay(t, filepath.Join(dir, "ci/github/action.yml"), text(t, "ci/github/action.yml"))
	ok, said := run(t, dir, nil, "git", "init", "-q")
	must.That(t, ok, "%s", said)
	tool := must.Get(exec.Command("go", "tool", "-n", "actionlint").Output())(t)
	workflow := strings.ReplaceAll(text(t, "ci/github/example.yml"), "svc-edge/svc-verify/ci/github@v1", "./ci/github")
	path := filepath.Join(dir, ".github/workflows/evidence.yml")
	for want, doc := range map[bool]string{true: workflow,
		false: damaged(t, workflow, "trust: trust.json", "trusts: trust.json")} {
		lay(t, path, doc)
		ok, said := run(t, dir, nil, strings.TrimSpace(string(tool)), path)
		check.That(t, ok == want, "%v, want %v: %s", ok, want, said)
	}
}

// scripts returns every shell script of the files, by a name.
func scripts(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{"cron.sh": text(t, "ci/cron/svc-verify-cron"), "install.sh": text(t, "interop/install.sh")}
	_, rest, _ := strings.Cut(text(t, "ci/jenkins/Jenkinsfile"), "sh '''")
	all["jenkins.sh"], _, _ = strings.Cut(rest, "'''")
	var action struct {
		Runs struct {
			Steps []struct{ ID, Run string }
		}
	}
	must.Do(t, yaml.Unmarshal([]byte(text(t, "ci/github/action.yml")), &action))
	for _, s := range action.Runs.Steps {
		all["github-"+s.ID+".sh"] = s.Run
	}
	documents := yaml.NewDecoder(bytes.NewReader([]byte(text(t, "ci/gitlab/templates/svc-verify.yml"))))
	for {
		var jobs map[string]struct{ Script []string }
		if err := documents.Decode(&jobs); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		for _, job := range jobs {
			for _, script := range job.Script {
				all["gitlab.sh"] = script
			}
		}
	}
	return all
}

// TestShellCheck: ShellCheck has nothing to say about any script.
func TestShellCheck(t *testing.T) {
	need(t, "shellcheck")
	all := scripts(t)
	check.Equal(t, len(all), 6, "there are scripts")
	all["bad.sh"] = "rm -rf $1\n"
	for name, script := range all {
		path := filepath.Join(t.TempDir(), name)
		lay(t, path, script)
		// SC2154: the platform sets the variables.
		ok, said := run(t, ".", nil, "shellcheck", "--shell=bash", "--exclude=SC2154", "--enable=all",
			"--exclude=SC2250,SC2292,SC2312", path)
		check.Equal(t, ok, name != "bad.sh", "%s: %s", name, said)
	}
}
