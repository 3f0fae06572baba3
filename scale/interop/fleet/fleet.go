// Package fleet has the things that the tests of the engines need: the programs, evidence, and
// svc-verify's verdict on it on one machine.
package fleet

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// root is the folder of the main module, seen from the folder of a test.
var root = filepath.Join("..", "..", "..")

// made is the folder of the programs, once they are built.
var made string

// build returns the folder of svc-verify and svc-harness, which it builds once.
var build = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "scale-tools-"); err != nil {
		return "", err
	}
	made = dir
	for _, build := range []struct{ in, pkg string }{{root, "./cmd/svc-verify"},
		{filepath.Join(root, "service"), "./cmd/svc-harness"}} {
		command := exec.Command("go", "build", "-o", dir+"/", build.pkg) // #nosec G204
		command.Dir = build.in
		if out, err := command.CombinedOutput(); err != nil {
			return dir, fmt.Errorf("building %s: %w\n%s", build.pkg, err, out)
		}
	}
	return dir, nil
})

// Main runs the tests and removes the files that were built for them.
func Main(m *testing.M) {
	code := m.Run()
	if made != "" {
		_ = os.RemoveAll(made)
	}
	os.Exit(code)
}

// Tool returns the path of a program.
func Tool(t *testing.T, name string) string {
	t.Helper()
	dir, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, name)
}

// Evidence plays the scene of a fleet. It returns the folder of the tenant log, the nodes'
// journals and their anchors, and the trust file, which has a folder to itself.
func Evidence(t *testing.T) (evidence, trust string) {
	t.Helper()
	dir := t.TempDir()
	Run(t, 0, Tool(t, "svc-harness"), "scene", "--out", dir, "fleet")
	evidence, trust = filepath.Join(dir, "evidence"), filepath.Join(dir, "trust", "trust.json")
	for _, folder := range []string{evidence, filepath.Dir(trust)} {
		if err := os.Mkdir(folder, 0o750); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(filepath.Join(dir, "trust.json"), trust); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tenant.ndjson", "checkpoints.ndjson", "journals", "cursors", "bundles"} {
		if err := os.Rename(filepath.Join(dir, name), filepath.Join(evidence, name)); err != nil {
			t.Fatal(err)
		}
	}
	return evidence, trust
}

// Walk returns the JSON of a walk on one machine, and its exit code.
func Walk(t *testing.T, trust string, evidence ...string) (verdict []byte, code int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "case.db")
	if _, _, err := Output(Tool(t, "svc-verify"), append([]string{"ingest", file}, evidence...)...); err != nil {
		t.Fatal(err)
	}
	verdict, code, err := Output(Tool(t, "svc-verify"), "walk", file, "--trust", trust, "--output", "json")
	if err != nil {
		t.Fatal(err)
	}
	return verdict, code
}

// Output runs a program and returns its standard output and exit code. If it could not do its
// work, the error contains its standard error.
func Output(name string, args ...string) (stdout []byte, code int, err error) {
	stdout, err = exec.Command(name, args...).Output() // #nosec G204
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if code = exit.ExitCode(); code != 2 {
			return stdout, code, nil
		}
		err = fmt.Errorf("%s %q: %w\n%s", name, args, err, exit.Stderr)
	}
	return stdout, code, err
}

// Run runs a program, which has to end with an exit code.
func Run(t *testing.T, want int, name string, args ...string) []byte {
	t.Helper()
	stdout, code, err := Output(name, args...)
	if err != nil || code != want {
		t.Fatalf("%s %q: expected exit code %d, found %d: %v", name, args, want, code, err)
	}
	return stdout
}
