// Package second_test compares the Go verifier with the second one, which was written from the
// specification alone. The conformance kit runs both.
package second_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/fixtures/kit"
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
		onBoth(listedForms()), onBoth(outerForms()), onBoth(memberForms()), onBoth(keyForms()), onBoth(extensionForms()),
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

// TestCertificatesAreJudgedAlike: each deviation breaks the check that it should and no other, and
// both verifiers say so. Unchanged evidence verifies, so that every deviation breaks something that
// was whole. With -short it is every eighth deviation.
func TestCertificatesAreJudgedAlike(t *testing.T) {
	s := newStage(t)
	all := append([]deviation{{"honest", nothing, func(*evidence) {}}}, deviations()...)
	check.That(t, len(all) >= 900, "%d deviations only", len(all))
	corpus := &kit.Corpus{}
	for i, d := range all {
		if testing.Short() && i%8 != 0 {
			continue
		}
		e := s.honest()
		d.change(e)
		c := fixtures.Case{Name: fmt.Sprintf("certificates/%03d %s", i, d.name), Spec: "7.12"}
		c.Bundle, c.Trust = must.Two(s.seal(e))(t)
		c.Expect.Verdict = "verified"
		if d.breaks != nothing {
			c.Expect = fixtures.Expectation{Verdict: "rejected", Check: d.breaks, Failed: []string{d.breaks}}
		}
		corpus.Cases = append(corpus.Cases, c)
	}
	for _, entrypoint := range [][]string{nil, {must.Program(t, "node"), "verify.mjs"}} {
		for _, wrong := range run(t, corpus, kit.LevelCheck, entrypoint).Disagreements {
			t.Errorf("%v: %s: %s", entrypoint, wrong.Name, wrong.Reason)
		}
	}
}

// run is a run of the conformance kit.
func run(t *testing.T, corpus *kit.Corpus, level kit.Level, entrypoint []string) *kit.Tally {
	t.Helper()
	return must.Get(kit.RunCorpus(t.Context(), corpus, kit.Options{Entrypoint: entrypoint, Level: level,
		Jobs: runtime.GOMAXPROCS(0), Timeout: 5 * time.Minute, TempDir: t.TempDir(), Progress: func(int64) {}}))(t)
}
