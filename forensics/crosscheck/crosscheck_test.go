package crosscheck

import (
	"fmt"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/internal/must"
)

// revokeUnseen revokes a certificate in the log only: what is exported later
// knows nothing of it.
func (s *stage) revokeUnseen(t *cloud.Transaction) {
	s.Helper()
	receipt, registry, err := s.Signer.Revoke(t.Case.TransactionID, "keyCompromise")
	s.must(err)
	unseen := *t
	s.must(s.Cloud.RecordRevocation(&unseen, receipt, registry))
}

func spoken(r *Result) []string {
	var all []string
	for _, f := range r.Findings {
		one := fmt.Sprintf("%s %s %d %d", f.Code, f.LogID, f.Sequence, f.LastSequence)
		if kind, _, ok := strings.Cut(f.Expected, " of "); ok && strings.Contains(string(f.Code), ".not-in-") {
			one += " " + kind
		}
		all = append(all, one)
	}
	return all
}

// TestEvidenceBesideTheCase: a bundle that is given is compared as one of the
// case is, and the same bundle twice is one.
func TestEvidenceBesideTheCase(t *testing.T) {
	s := newStage(t)
	files := s.play(readScenarios(t, "scenarios.txtar")["approval by a stolen key"].steps)
	doc := files["bundle.json"]
	both := fill(t, files)
	delete(files, "bundle.json")
	alone := fill(t, files)
	for _, c := range []*store.Case{both, alone} {
		r := must.Get(Run(t.Context(), c, s.root(), Options{Evidence: []Evidence{{"given.json", doc}}}))(t)
		if len(r.Bundles) != 1 || r.Bundles[0].Name != "given.json" || len(r.Findings) != 1 ||
			r.Findings[0].Code != finding.NotInJournal || r.Findings[0].Evidence[0].Source != "given.json" {
			t.Errorf("%+v, %+v", r.Bundles, r.Findings)
		}
	}
}
