// Package second_test compares the Go verifier with the second one, which was written from the
// specification alone: both judge the same crafted certificates, and must find the same.
package second_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// The effect of a deviation: it breaks nothing, or one check of SPEC 8.
const (
	nothing     = ""
	form        = "bundle.well-formed"
	identified  = "certificate.identified"
	constrained = "certificate.constrained"
	issued      = "certificate.issued"
)

// deviation is one change of the evidence and the check that it breaks.
type deviation struct {
	name   string
	breaks string
	change func(*evidence)
}

// deviations lists every deviation: deviations in the form of a certificate, made to the leaf
// and to the issuer, and deviations of one of them.
func deviations() []deviation {
	return slices.Concat(
		onBoth(outerForms()), onBoth(algorithmForms()), onBoth(versionForms()), onBoth(serialForms()), onBoth(nameForms()),
		onBoth(timeForms()), onBoth(keyForms()), onBoth(extensionForms()), onBoth(basicConstraints()), onBoth(keyUsages()),
		onBoth(extendedKeyUsages()), onBoth(alternativeNames()),
		serials(), validities(), subjects(), agreedNames(), agreedUsages(), agreedUses(), leafKeys(),
		issuerNames(), issuerKeys(), rsaIssuers(), edwardsIssuers(), ecdsaSignatures(), rsaSignatures(),
	)
}

// formDeviation is a change of one certificate, and the check that it breaks in the leaf or in
// the issuer.
type formDeviation struct {
	name         string
	leaf, issuer string
	change       func(*draft)
}

// onBoth makes each deviation to the leaf and to the issuer.
func onBoth(forms []formDeviation) (all []deviation) {
	for _, f := range forms {
		all = append(all,
			deviation{"leaf: " + f.name, f.leaf, func(e *evidence) { f.change(&e.leaf) }},
			deviation{"issuer: " + f.name, f.issuer, func(e *evidence) { f.change(&e.issuer) }})
	}
	return all
}

// judgement is a verifier's answer about a bundle.
type judgement struct {
	Name    string   `json:"name"`
	Verdict string   `json:"verdict"`
	Failed  []string `json:"failed"`
	Empty   []string `json:"empty"`
	Faults  []string `json:"faults"`
}

// TestCertificatesAreJudgedAlike: each deviation breaks the check that it should
// and no other, and both verifiers say so.
func TestCertificatesAreJudgedAlike(t *testing.T) {
	s := newStage(t)
	var cases []fixtures.Case
	var ours []judgement
	for i, d := range deviations() {
		e := s.honest()
		d.change(e)
		c, failed := must.Two(s.judged(fmt.Sprintf("%03d %s", i, d.name), e))(t)
		if got := strings.Join(failed, " "); got != d.breaks {
			t.Errorf("%s: expected to fail: %q, found %q (%s at %s)", c.Name, d.breaks, got, c.Expect.Code, c.Expect.Path)
		}
		cases, ours = append(cases, c), append(ours, judgement{Name: c.Name, Verdict: c.Expect.Verdict, Failed: failed})
	}
	check.That(t, len(cases) >= 200, "%d deviations only", len(cases))
	compare(t, ours, cases)
}

// compare demands that the second verifier judges each case as ours did.
func compare(t *testing.T, ours []judgement, cases []fixtures.Case) {
	t.Helper()
	theirs := second(t, cases)
	must.That(t, len(theirs) == len(ours), "the second verifier judged %d of %d cases", len(theirs), len(ours))
	for i, our := range ours {
		their := theirs[i]
		if their.Name != our.Name || their.Verdict != our.Verdict || !slices.Equal(their.Failed, our.Failed) {
			t.Errorf("%s:\n  first verifier  %s %v (%s)\n  second verifier %s %v (%s)", our.Name,
				our.Verdict, our.Failed, cases[i].Expect.Code, their.Verdict, their.Failed, strings.Join(their.Faults, "; "))
		}
	}
}

// second runs the second verifier on the cases, in one process, and returns its judgement of
// each, in the order of the cases.
func second(t *testing.T, cases []fixtures.Case) (found []judgement) {
	t.Helper()
	node := must.Program(t, "node")
	dir := t.TempDir()
	for i, c := range cases {
		write(t, filepath.Join(dir, fmt.Sprintf("%06d", i)), c)
	}
	command := exec.Command(node, "judge.mjs", dir)
	var complaints bytes.Buffer
	command.Stderr = &complaints
	output, err := command.Output()
	must.That(t, err == nil, "judge.mjs: %v\n%s", err, complaints.Bytes())
	for line := range bytes.Lines(output) {
		var j judgement
		if err := json.Unmarshal(line, &j); err != nil {
			t.Fatalf("judge.mjs: %v in %q", err, line)
		}
		found = append(found, j)
	}
	return found
}

// write writes the files of a case into a new directory.
func write(t *testing.T, dir string, c fixtures.Case) {
	t.Helper()
	files := must.Get(c.All())(t)
	must.Do(t, os.Mkdir(dir, 0o700))
	for name, text := range files {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
}

// TestHonestEvidenceVerifies: unchanged evidence verifies with both, so that every deviation
// breaks something that was whole.
func TestHonestEvidenceVerifies(t *testing.T) {
	s := newStage(t)
	c, failed, err := s.judged("honest", s.honest())
	must.That(t, err == nil && len(failed) == 0, "%v, failed: %v", err, failed)
	got := second(t, []fixtures.Case{c})
	want := []judgement{{Name: "honest", Verdict: "verified", Failed: []string{}, Empty: []string{}, Faults: []string{}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
