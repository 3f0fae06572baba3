package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/pairs"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// proofsOfOne returns two genuine proofs of one transaction: one from before its
// revocation and one of the revocation; and their trust file.
func proofsOfOne(t *testing.T) (issued, revoked, trust []byte) {
	t.Helper()
	cases := must.Get(fixtures.Cases())(t)
	for _, c := range cases {
		switch c.Name {
		case "status.wanted/before-the-revocation-and-revoked-wanted":
			issued = c.Bundle
		case "status.wanted/near-miss-revoked-wanted":
			revoked, trust = c.Bundle, c.Trust
		}
	}
	must.That(t, issued != nil && revoked != nil, "the cases are not there")
	return issued, revoked, trust
}

// TestSupersededAnswers: each form names the proof that counts, and check judges as
// batch does.
func TestSupersededAnswers(t *testing.T) {
	issued, revoked, trust := proofsOfOne(t)
	t.Chdir(must.WriteFiles(t, t.TempDir(), map[string][]byte{"trust.json": trust, "proofs/older.json": issued,
		"proofs/newer.json": revoked}))
	wantAll(t, "verify", answers(t, "verify", "--trust", "trust.json", "--status", "revoked", "proofs"),
		"supersede", "proofs/newer.json", "revoked", "issued", "tx-2026-0001")
	code, stdout, stderr := call(nil, "check", "--full", "--trust", "trust.json", "proofs")
	check.That(t, code == 0 && strings.Contains(stdout, "superseded by proofs/newer.json"),
		"check: exit code %d: %s%s", code, stdout, stderr)
}

// writeTenants writes four genuine proofs of one transaction id, two in the log of each
// of two tenants: before its revocation, and of it; and their trust file.
func writeTenants(t *testing.T, dir string) {
	t.Helper()
	scene := must.Get(harness.Build("revoked", 1, harness.Options{}))(t)
	files := map[string][]byte{"trust.json": seal.Canonical(scene.Trust)}
	for i, name := range []string{"issued.json", "revoked.json"} {
		files["acme-"+name] = seal.Canonical(scene.Exports[i].Bundle)
		files["globex-"+name] = seal.Canonical(pairs.OtherTenant(scene, scene.Exports[i]))
	}
	must.WriteFiles(t, dir, files)
}

// scriptCounts wants these counts of entries in the answer of verify, and no others: counts NAME=N...
func scriptCounts(ts *testscript.TestScript, _ bool, args []string) {
	var got struct{ Entries map[string]int64 }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &got))
	var all []string
	for name, n := range got.Entries {
		if n != 0 {
			all = append(all, fmt.Sprintf("%s=%d", name, n))
		}
	}
	if slices.Sort(all); !slices.Equal(all, slices.Sorted(slices.Values(args))) {
		ts.Fatalf("the counts are %q", all)
	}
}

// scriptSuperseded wants these proofs in an answer, each with the one that supersedes it, if any:
// superseded NAME[=BY]...
func scriptSuperseded(ts *testscript.TestScript, _ bool, args []string) {
	var got struct {
		Proofs []struct {
			Name string
			By   string `json:"superseded_by"`
		}
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &got))
	var all []string
	for _, p := range got.Proofs {
		all = append(all, strings.TrimSuffix(p.Name+"="+p.By, "="))
	}
	if slices.Sort(all); !slices.Equal(all, slices.Sorted(slices.Values(args))) {
		ts.Fatalf("the proofs are %q", all)
	}
}
