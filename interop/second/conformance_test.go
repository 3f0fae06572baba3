package second_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestConformance: the program's own command finds no wrong answer of the second verifier over
// the conformance cases and over mutants of a fixed seed.
func TestConformance(t *testing.T) {
	node, dir := must.Program(t, "node"), t.TempDir()
	program, mutants := filepath.Join(dir, "svc-verify"), filepath.Join(dir, "mutants.tar")
	build := exec.Command("go", "build", "-o", program, "./cmd/svc-verify")
	build.Dir = filepath.Join("..", "..")
	output, err := build.CombinedOutput()
	must.That(t, err == nil, "go build: %v\n%s", err, output)
	run := []string{"conformance", "run", "--level", "check", "--time-limit", "5m", "--full", "--entrypoint",
		"'" + node + "' verify.mjs"}
	count := "250"
	if testing.Short() {
		count = "50"
	}
	for _, args := range [][]string{run,
		{"conformance", "mutate", "--seed", "7", "--count", count, "--out", mutants},
		append(run, "--corpus", mutants)} {
		if output, err := exec.Command(program, args...).CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", args, err, output)
		}
	}
}

// TestOtherCases: the second verifier gives every conformance case of contradictions, whole logs and
// packs the answer that it expects, as the first one does in its own tests.
func TestOtherCases(t *testing.T) {
	output, err := exec.Command(must.Program(t, "node"), "compare.mjs").CombinedOutput() // #nosec G204 -- a test
	check.OK(t, err, "%s", output)
}

// TestTrustLimits: the second verifier accepts as many node keys and bytes as the
// specification allows, and no more. The keys have no form, so that reading stops at the first
// of them, which is quick.
func TestTrustLimits(t *testing.T) {
	dir := t.TempDir()
	bundle, trust := filepath.Join(dir, "bundle.json"), filepath.Join(dir, "trust.json")
	must.Do(t, os.WriteFile(bundle, []byte("{}"), 0o600))
	for _, c := range []struct {
		want  string
		trust []byte
	}{
		{"/nodes/n0: ", trustWith("nodes", 65536)},
		{"/nodes: not an object of 1 to 65536 members", trustWith("nodes", 65537)},
		{"/audit_keys/n0: ", trustWith("audit_keys", 1024)},
		{"/audit_keys: not an object of 1 to 1024 members", trustWith("audit_keys", 1025)},
		{"expected a value", bytes.Repeat([]byte(" "), 16<<20)},
		{"too long", bytes.Repeat([]byte(" "), 16<<20+1)},
	} {
		must.Do(t, os.WriteFile(trust, c.trust, 0o600))
		command := exec.Command(must.Program(t, "node"), "verify.mjs", "--evidence", bundle, "--trust", trust) // #nosec G204
		var faults bytes.Buffer
		command.Stderr = &faults
		err := command.Run()
		check.That(t, command.ProcessState.ExitCode() == 2 && strings.Contains(faults.String(), c.want),
			"%v: refused with %q, want %q", err, &faults, c.want)
	}
}

// trustWith is a trust file in which one section has n keys without form.
func trustWith(section string, n int) []byte {
	var keys strings.Builder
	for i := range n {
		fmt.Fprintf(&keys, `,"n%d":"x"`, i)
	}
	key := json.RawMessage(`{"1":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}`)
	members := map[string]json.RawMessage{"audit_keys": key, "protected_signer_keys": key, "registries": key, "nodes": key}
	members[section] = json.RawMessage("{" + keys.String()[1:] + "}")
	doc, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	return doc
}
