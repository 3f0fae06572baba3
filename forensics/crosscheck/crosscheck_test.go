package crosscheck

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/harness/node"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// revokeUnseen revokes a certificate in the log only: later exports do not contain the
// revocation.
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
		check.That(t, len(r.Bundles) == 1 && r.Bundles[0].Name == "given.json" && len(r.Findings) == 1 &&
			r.Findings[0].Code == finding.NotInJournal && r.Findings[0].Evidence[0].Source == "given.json",
			"%+v, %+v", r.Bundles, r.Findings)
	}
}

// TestSplitView: that a node witnessed another head proves a split view only if a
// checkpoint of it by the audit key is here. Otherwise nothing is blamed, and both keys
// are named whose holder may have made it.
func TestSplitView(t *testing.T) {
	s := newStage(t)
	s.play([]string{"agreed", "complete", "export", "later"})
	data := seal.Object{"sequence": int64(11), "head_hash": seal.SHA256([]byte("another head"))}
	other := seal.Seal(seal.Object{"protocol": "svc.audit-checkpoint.v1", "tenant_id": harness.Tenant, "log_id": theLog,
		"sequence": data["sequence"], "head_hash": data["head_hash"], "required_witnesses": int64(1),
		"created_at": seal.Time(s.Clock.Next())}, s.Keys.Audit["audit-2026-1"])
	data["checkpoint_sha256"] = seal.StatementDigest(other)
	s.lisbon.Note("checkpoint.witnessed", "", data)
	forged := seal.Seal(seal.Member(other, "statement"), seal.Key{ID: "audit-2026-1", Private: s.lisbon.Key().Private})
	for name, tt := range map[string]struct {
		doc    []byte
		proven bool
	}{
		"no statement":                      {nil, false},
		"the audit key's own statement":     {seal.Canonical(other), true},
		"a statement of which it is forged": {seal.Canonical(forged), false},
		"another statement": {seal.Canonical(seal.Seal(seal.Object{"protocol": "svc.audit-checkpoint.v1"},
			s.Keys.Audit["audit-2026-1"])), false},
	} {
		files := s.collect()
		if delete(files, "checkpoint.json"); tt.doc != nil {
			files["checkpoint.json"] = tt.doc
		}
		r := must.Get(Run(t.Context(), fill(t, files), s.root(), Options{}))(t)
		code := finding.RecordDisputed
		if tt.proven {
			code = finding.WitnessOtherHistory
		}
		at := slices.IndexFunc(r.Findings, func(f finding.Finding) bool { return f.Code == code })
		if at < 0 {
			t.Errorf("%s: %v", name, spoken(r))
			continue
		}
		f := r.Findings[at]
		said := strings.Join(append(f.Explanations, f.Expected, f.Found), "\n")
		proven := strings.Contains(said, "split view is proven")
		check.That(t, proven == tt.proven, "%s: %s", name, said)
		for _, key := range []string{"mesh-lisbon-1", "audit-2026-1"} {
			check.That(t, strings.Contains(said, "key "+key), "%s: %s is not named: %s", name, key, said)
		}
		if f.LogID == theLog {
			slices.Reverse(f.Evidence)
		}
		check.That(t, len(f.Evidence) == 2 && bytes.HasSuffix([]byte(f.Evidence[0].Source), []byte("mesh-lisbon-1.ndjson")),
			"%s: %v", name, f.Evidence)
	}
}

// TestManyApprovalsAgain: of each approval that is recorded twice the other side is found,
// however many there are.
func TestManyApprovalsAgain(t *testing.T) {
	const each = 30
	s := newStage(t)
	s.play([]string{"agreed", "complete", "export"})
	for i := range each {
		for _, n := range []*node.Node{s.berlin, s.oslo, s.lisbon} {
			digest := seal.SHA256([]byte(fmt.Sprint(n.ID(), i)))
			n.Note("approval.signed", "tx-1", seal.Object{"approval_sha256": digest, "decision": "allow"})
			recorded := seal.Object{"node_id": n.ID(), "approval_sha256": digest}
			s.Cloud.NoteOf("tx-1", "approval.recorded", recorded)
			s.Cloud.NoteOf("tx-2", "approval.recorded", recorded)
		}
	}
	s.later()
	s.later()
	r := must.Get(Run(t.Context(), fill(t, s.collect()), s.root(), Options{}))(t)
	found := map[string]int{}
	for _, f := range r.Findings {
		if found[f.LogID]++; f.Code != finding.RecordDisputed || strings.Contains(f.Expected+f.Found, "no approval.signed") {
			t.Errorf("%s of %s: expected %s, found %s", f.Code, f.LogID, f.Expected, f.Found)
		}
	}
	for _, log := range []string{berlinLog, osloLog, lisbonLog} {
		check.That(t, found[log] == each, "%s: %d of %d", log, found[log], each)
	}
}
