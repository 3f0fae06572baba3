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

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/fixtures"
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

// TestWholeLogsAreJudgedAlike: for every conformance case of whole logs, the second verifier
// gives the expected answer, as the first one does in cmd/svc-verify.
func TestWholeLogsAreJudgedAlike(t *testing.T) {
	folder := filepath.Join("..", "..", "fixtures", "logs")
	cases, err := fixtures.ReadSamples[fixtures.LogAnswer](os.DirFS(folder))
	must.That(t, err == nil && len(cases) >= 30, "%d cases: %v", len(cases), err)
	lines := answers(t, "logs.mjs", folder, len(cases))
	for i, c := range cases {
		var their fixtures.LogAnswer
		must.Do(t, json.Unmarshal(lines[i], &their))
		for id := range their.Logs {
			if c.Expect.Logs[id] == "" {
				delete(their.Logs, id)
			}
		}
		if len(their.Logs) == 0 {
			their.Logs = nil
		}
		check.Equal(t, cmp.Diff(c.Expect, their), "", "%s: - expected, + the second verifier", c.Name)
	}
}

// TestTrustLimits: the second verifier accepts as many node keys and octets as the
// specification allows, and no more. The keys have no form, so that reading stops at the first
// of them, which is quick.
func TestTrustLimits(t *testing.T) {
	all := must.Get(fixtures.Cases())(t)
	var cases []fixtures.Case
	with := func(trust []byte) {
		c := all[0]
		c.Name, c.Trust = fmt.Sprint("case-", len(cases)), trust
		cases = append(cases, c)
	}
	with(trustWith("nodes", 65536))
	with(trustWith("nodes", 65537))
	with(trustWith("audit_keys", 1024))
	with(trustWith("audit_keys", 1025))
	with(bytes.Repeat([]byte(" "), 16<<20))
	with(bytes.Repeat([]byte(" "), 16<<20+1))

	found := second(t, cases)
	for i, want := range []string{
		"/nodes/n0: ", "/nodes: not an object of 1 to 65536 members",
		"/audit_keys/n0: ", "/audit_keys: not an object of 1 to 1024 members",
		"expected a value", "too long",
	} {
		if got := strings.Join(found[i].Faults, "; "); !strings.Contains(got, want) {
			t.Errorf("case %d: refused with %q, want %q", i, got, want)
		}
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
