package producers

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/must"
)

// bench contains the program and the journal that every form is tried with.
type bench struct {
	verify  string // the built svc-verify
	journal *journal
	root    string // of the journals and the trust file
}

// newBench builds svc-verify, and writes the journals that the programs read.
func newBench(t *testing.T) *bench {
	b := &bench{verify: build(t), journal: play(t), root: t.TempDir()}
	write(t, filepath.Join(b.root, "trust.json"), b.journal.trust)
	write(t, b.path("genuine"), b.journal.genuine)
	write(t, b.path("altered"), b.journal.altered)
	return b
}

// path is where a journal is.
func (b *bench) path(variant string) string { return filepath.Join(b.root, variant, "journal.ndjson") }

// programs returns the folder with the programs that the forms run.
func programs(t *testing.T) string {
	t.Helper()
	return must.Get(filepath.Abs("programs"))(t)
}

// try runs a form on the genuine and on the altered journal, and judges both outputs, and the
// rest of the first after a cut.
func (b *bench) try(t *testing.T, name string, f form, environment []string) {
	clean := b.produce(t, f, "genuine", environment)
	wrong := b.checkClean(t, f, clean)
	altered := b.produce(t, f, "altered", environment)
	wrong = append(wrong, b.checkAltered(t, f, altered)...)
	if f.cut != never {
		wrong = append(wrong, b.checkCut(t, f, clean)...)
	}
	fault, known := faults[name]
	switch {
	case known && len(wrong) == 0:
		t.Errorf("is read as it should be: take it out of faults (%s)", fault)
	case known:
		t.Logf("known: %s\n%s", fault, strings.Join(wrong, "\n"))
	case len(wrong) > 0:
		t.Error(strings.Join(wrong, "\n"))
	}
}

// produce runs the script of a form on a journal, and returns the folder with its output.
func (b *bench) produce(t *testing.T, f form, variant string, environment []string) string {
	t.Helper()
	work := t.TempDir()
	out := filepath.Join(work, "out")
	if err := os.Mkdir(out, 0o777); err != nil { // #nosec G301 -- a database writes as its own user
		t.Fatal(err)
	}
	script := filepath.Join(work, "script")
	write(t, script, []byte(f.run))
	environment = append(environment, "IN="+b.path(variant), "OUT="+out, "VARIANT="+variant,
		"PGDATABASE="+variant, "PROGRAMS="+programs(t))
	shell(t, work, environment, script)
	must.That(t, len(files(t, out)) != 0, "%s wrote nothing", f.name)
	return out
}

// shell runs a script in a folder, and ends the processes that it leaves running.
func shell(t *testing.T, work string, environment []string, script string, arguments ...string) {
	t.Helper()
	said, err := os.Create(filepath.Join(work, "said.txt"))
	must.Do(t, err)
	defer said.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	arguments = append([]string{"-euo", "pipefail", script}, arguments...)
	command := exec.CommandContext(ctx, "bash", arguments...) // #nosec G204
	command.Dir, command.Stdout, command.Stderr = work, said, said
	command.Env = append(append(os.Environ(), "LC_ALL=C.UTF-8", "TZ=UTC"), environment...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err = command.Run()
	if command.Process != nil {
		syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, read(t, said.Name()))
	}
}

// files returns the paths of the regular files below a folder.
func files(t *testing.T, dir string) (paths []string) {
	t.Helper()
	must.Do(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			paths = append(paths, path)
		}
		return err
	}))
	return paths
}

// build builds svc-verify.
func build(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "svc-verify")
	command := exec.Command("go", "build", "-o", path, "./cmd/svc-verify") // #nosec G204
	command.Dir = filepath.Join("..", "..")
	out, err := command.CombinedOutput()
	must.That(t, err == nil, "%v\n%s", err, out)
	return path
}

// run runs svc-verify, and returns its output and its exit code.
func (b *bench) run(t *testing.T, arguments ...string) ([]byte, int) {
	t.Helper()
	var out, faults bytes.Buffer
	command := exec.Command(b.verify, arguments...) // #nosec G204
	command.Stdout, command.Stderr = &out, &faults
	command.Env = append(os.Environ(), "XDG_STATE_HOME="+b.root)
	err := command.Run()
	must.That(t, command.ProcessState != nil, "%v", err)
	must.That(t, command.ProcessState.ExitCode() != 2,
		"%v could not work:\n%s%s", command.Args, out.Bytes(), faults.Bytes())
	return out.Bytes(), command.ProcessState.ExitCode()
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
	if err := os.WriteFile(path, content, 0o644); err != nil { // #nosec G306 -- databases read it as their own user
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path) // #nosec G304
	must.Do(t, err)
	return b
}
