package crosscheck

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/harness/node"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// agreed opens a transaction that Berlin and Oslo approve, with capability
// evidence of Berlin.
func (s *stage) agreed() *cloud.Transaction {
	s.Helper()
	t := s.request(transaction, "edge-gateway")
	s.must(s.Observe(t, s.berlin, "attested-boot"))
	s.must(s.Approve(t, s.berlin, s.oslo))
	return t
}

// rest completes a transaction and exports its bundle.
func (s *stage) rest(t *cloud.Transaction) {
	s.Helper()
	s.complete(t)
	s.export(t)
	s.later()
}

// recorded plays an issuance during which somebody notes something, once the
// approvals are recorded.
func recorded(note func(s *stage, t *cloud.Transaction)) func(*stage) {
	return func(s *stage) {
		t := s.agreed()
		note(s, t)
		s.rest(t)
	}
}

// decided is the same once the decisions are recorded.
func decided(note func(s *stage, t *cloud.Transaction)) func(*stage) {
	return func(s *stage) {
		t := s.agreed()
		s.must(s.Decide(t, s.berlin))
		note(s, t)
		s.must(s.Complete(t))
		s.export(t)
		s.later()
	}
}

// exported is the same once the bundle was exported.
func exported(note func(s *stage, t *cloud.Transaction)) func(*stage) {
	return func(s *stage) {
		t := s.agreed()
		s.complete(t)
		s.export(t)
		note(s, t)
		s.later()
	}
}

// approvalOf is the record of the first approval, Berlin's, under a node's name.
func approvalOf(t *cloud.Transaction, n *node.Node) seal.Object {
	return seal.Object{"node_id": n.ID(), "approval_sha256": seal.StatementDigest(t.Case.Approvals[0])}
}

// approvalBy is the record of an approval of a node that has a digest.
func approvalBy(n *node.Node, digest string) seal.Object {
	return seal.Object{"node_id": n.ID(), "approval_sha256": digest}
}

// serviceDecision is the record of the service's decision.
func serviceDecision(t *cloud.Transaction, domain, decision string) seal.Object {
	return seal.Object{"trust_domain": domain, "decision": decision,
		"decision_sha256": seal.StatementDigest(t.Case.Service)}
}

// signedApproval is the record of the first approval, Berlin's, in a journal.
func signedApproval(t *cloud.Transaction) seal.Object {
	return seal.Object{"approval_sha256": seal.StatementDigest(t.Case.Approvals[0]), "decision": "allow"}
}

// newest is the record of the checkpoint of the newest event of the tenant log,
// changed.
func (s *stage) newest(change func(data seal.Object)) seal.Object {
	data := s.at(uint64(len(s.tenant)))
	change(data)
	return data
}

// at is the record of a checkpoint that the audit key signed or did not, at an
// event of the tenant log.
func (s *stage) at(sequence uint64) seal.Object {
	return seal.Object{"sequence": int64(sequence), "head_hash": seal.Text(s.tenant[sequence-1], "hash"),
		"checkpoint_sha256": seal.SHA256([]byte("unknown"))}
}

// exportedCheckpoint is the statement of the checkpoint of the bundle.
func (s *stage) exportedCheckpoint() seal.Object {
	b, err := seal.Parse(s.files["bundle.json"])
	s.must(err)
	return seal.Member(seal.Member(b, "checkpoint"), "statement")
}

func otherHead(data seal.Object) { data["head_hash"] = seal.SHA256([]byte("another head")) }

// contradicts is the scenario of one record that contradicts what it records.
func contradicts(log string, sequence int, play func(*stage)) scenario {
	return scenario{verdict: verify.Rejected, play: play,
		findings: []string{fmt.Sprintf("record.contradicts %s %d %d", log, sequence, sequence)}}
}

var recordScenarios = map[string]scenario{
	"approval recorded after the issuance": {verdict: verify.Rejected,
		findings: []string{"record.after-issuance " + theLog + " 12 12"},
		play: exported(func(s *stage, t *cloud.Transaction) {
			s.Cloud.NoteOf(transaction, "approval.recorded", approvalOf(t, s.berlin))
		})},
	"decision recorded after the issuance": {verdict: verify.Rejected,
		findings: []string{"record.after-issuance " + theLog + " 12 12"},
		play: exported(func(s *stage, t *cloud.Transaction) {
			s.Cloud.NoteOf(transaction, "decision.recorded", serviceDecision(t, "service", "allow"))
		})},
	"approval recorded after the issuance, of no transaction": {verdict: verify.Rejected,
		findings: []string{"record.after-issuance " + theLog + " 12 12"},
		play: exported(func(s *stage, t *cloud.Transaction) {
			s.Cloud.Note("approval.recorded",
				approvalOf(t, s.berlin))
		})},
	"decision recorded again before the issuance": {verdict: verify.Verified,
		play: decided(func(s *stage, t *cloud.Transaction) {
			s.Cloud.NoteOf(transaction, "decision.recorded", serviceDecision(t, "service", "allow"))
		})},
	"approval of another transaction after the issuance": {verdict: verify.Verified,
		play: exported(func(s *stage, _ *cloud.Transaction) {
			s.must(s.Approve(s.request("tx-2026-0002", "payments-api"), s.lisbon))
		})},
	"approval recorded after an issuance that nobody signed": {verdict: verify.Verified,
		play: func(s *stage) {
			s.Cloud.NoteOf(transaction, "issuance.completed", seal.Object{"manifest_sha256": seal.SHA256(nil)})
			s.must(s.Approve(s.request(transaction, "payments-api"), s.lisbon))
			s.later()
		}, files: func(s *stage, files map[string][]byte) {
			at := slices.IndexFunc(s.tenant, func(e seal.Object) bool {
				return seal.Text(seal.Member(e, "body"),
					"type") == "issuance.completed"
			})
			body := seal.CloneObject(seal.Member(s.tenant[at], "body"))
			seal.Member(body, "data")["manifest_sha256"] = seal.SHA256([]byte("forged"))
			forged := seal.CloneObject(s.tenant[at])
			forged["body"] = body
			files["tenant.ndjson"] = journal(slices.Concat(s.tenant[:at], []seal.Object{forged}, s.tenant[at+1:]))
		}},
	"issued without a transaction": {verdict: verify.Rejected,
		findings: []string{"record.without-transaction " + theLog + " 12 12"},
		play: exported(func(s *stage, _ *cloud.Transaction) {
			s.Cloud.Note("issuance.completed", seal.Object{"manifest_sha256": seal.SHA256(nil)})
		})},
	"revoked without a transaction": {verdict: verify.Rejected,
		findings: []string{"record.without-transaction " + theLog + " 12 12"},
		play: exported(func(s *stage, _ *cloud.Transaction) {
			s.Cloud.Note("certificate.revoked", seal.Object{"manifest_sha256": seal.SHA256(nil),
				"revocation_receipt_sha256": seal.SHA256(nil)})
		})},
	"recorded without a transaction that needs none": {verdict: verify.Verified,
		play: recorded(func(s *stage, t *cloud.Transaction) { s.Cloud.Note("approval.recorded", approvalOf(t, s.berlin)) })},

	"approval recorded under another node": {verdict: verify.Rejected,
		findings: []string{"record.contradicts " + theLog + " 9 9"},
		play: recorded(func(s *stage, t *cloud.Transaction) {
			s.Cloud.NoteOf(transaction, "approval.recorded", approvalOf(t, s.lisbon))
		})},
	"approval recorded under another transaction": contradicts(theLog, 9,
		recorded(func(s *stage, t *cloud.Transaction) {
			s.Cloud.NoteOf("tx-2026-0009", "approval.recorded", approvalOf(t, s.berlin))
		})),
	"approval in another node's journal": contradicts(lisbonLog, 2,
		recorded(func(s *stage, t *cloud.Transaction) { s.lisbon.Note("approval.signed", transaction, signedApproval(t)) })),
	"approval in the journal under another transaction": contradicts(berlinLog, 4,
		recorded(func(s *stage, t *cloud.Transaction) {
			s.berlin.Note("approval.signed", "tx-2026-0009", signedApproval(t))
		})),
	"approval of two transactions, without its bundle": {verdict: verify.Inconclusive,
		findings: []string{"record.disputed " + lisbonLog + " 2 2", "record.disputed " + theLog + " 7 7"},
		play: func(s *stage) {
			t := s.request(transaction, "payments-api")
			approval := s.lisbon.Approve(t.Case)
			s.Cloud.NoteOf("tx-2026-0009", "approval.recorded", approvalBy(s.lisbon, seal.StatementDigest(approval)))
		}},
	"approval of two transactions in a journal, without its bundle": {verdict: verify.Inconclusive,
		findings: []string{"record.disputed " + lisbonLog + " 2 2", "record.disputed " + theLog + " 7 7"},
		play: func(s *stage) {
			digest := seal.SHA256([]byte("approval"))
			s.lisbon.Note("approval.signed", "tx-2026-0009", seal.Object{"approval_sha256": digest, "decision": "allow"})
			s.request(transaction, "payments-api")
			s.Cloud.NoteOf(transaction, "approval.recorded", approvalBy(s.lisbon, digest))
		}},
	"approval of one transaction, without its bundle": {verdict: verify.Verified, play: func(s *stage) {
		t := s.request(transaction, "payments-api")
		s.Cloud.NoteOf(transaction, "approval.recorded",
			approvalBy(s.lisbon, seal.StatementDigest(s.lisbon.Approve(t.Case))))
	}},
	"approval of one transaction and of none, without its bundle": {verdict: verify.Verified, play: func(s *stage) {
		t := s.request(transaction, "payments-api")
		s.Cloud.Note("approval.recorded", approvalBy(s.lisbon, seal.StatementDigest(s.lisbon.Approve(t.Case))))
	}},
	"approval recorded again under another transaction, without its bundle": {verdict: verify.Inconclusive,
		findings: []string{"record.disputed " + lisbonLog + " 2 2", "record.disputed " + theLog + " 8 8"},
		play: func(s *stage) {
			t := s.request(transaction, "payments-api")
			digest := seal.StatementDigest(s.lisbon.Approve(t.Case))
			s.Cloud.NoteOf(transaction, "approval.recorded", approvalBy(s.lisbon, digest))
			s.Cloud.NoteOf("tx-2026-0009", "approval.recorded", approvalBy(s.lisbon, digest))
		}},
	"approval recorded under two transactions before it is signed": {verdict: verify.Inconclusive,
		findings: []string{"record.disputed " + theLog + " 8 8"}, play: func(s *stage) {
			digest := seal.SHA256([]byte("approval"))
			s.request(transaction, "payments-api")
			s.Cloud.NoteOf(transaction, "approval.recorded", approvalBy(s.lisbon, digest))
			s.Cloud.NoteOf("tx-2026-0009", "approval.recorded", approvalBy(s.lisbon, digest))
			s.lisbon.Note("approval.signed", transaction, seal.Object{"approval_sha256": digest, "decision": "allow"})
		}},
	"approval in another node's journal, without its bundle": {verdict: verify.Rejected,
		findings: []string{"record.contradicts " + berlinLog + " 2 2"}, play: func(s *stage) {
			t := s.request(transaction, "payments-api")
			digest := seal.StatementDigest(s.lisbon.Approve(t.Case))
			s.Cloud.NoteOf(transaction, "approval.recorded", approvalBy(s.lisbon, digest))
			s.berlin.Note("approval.signed", transaction, seal.Object{"approval_sha256": digest, "decision": "allow"})
		}},
	"approval recorded that is nowhere": {verdict: verify.Inconclusive,
		findings: []string{"record.disputed " + lisbonLog + " 0 0", "record.disputed " + theLog + " 17 17"},
		play: exported(func(s *stage, _ *cloud.Transaction) {
			s.later()
			s.Cloud.NoteOf("tx-2026-0009", "approval.recorded", approvalBy(s.lisbon, seal.SHA256([]byte("approval"))))
		})},
	"decision recorded as another": contradicts(theLog, 11,
		decided(func(s *stage, t *cloud.Transaction) {
			s.Cloud.NoteOf(transaction, "decision.recorded", serviceDecision(t, "service", "deny"))
		})),
	"decision recorded of another domain": contradicts(theLog, 11,
		decided(func(s *stage, t *cloud.Transaction) {
			s.Cloud.NoteOf(transaction, "decision.recorded", serviceDecision(t, "customer", "allow"))
		})),
	"approval recorded as a decision": contradicts(theLog, 9,
		recorded(func(s *stage, t *cloud.Transaction) {
			s.Cloud.NoteOf(transaction, "decision.recorded", seal.Object{"trust_domain": "customer", "decision": "allow",
				"decision_sha256": seal.StatementDigest(t.Case.Approvals[0])})
		})),
	"revocation of another transaction": contradicts(theLog, 12,
		exported(func(s *stage, _ *cloud.Transaction) {
			b, err := seal.Parse(s.files["bundle.json"])
			s.must(err)
			s.Cloud.NoteOf("tx-2026-0009", "certificate.revoked",
				seal.Object{"manifest_sha256": seal.Digest(seal.Member(b, "manifest")),
					"revocation_receipt_sha256": seal.SHA256(nil)})
		})),
	"capability in another node's journal": contradicts(lisbonLog, 2,
		recorded(func(s *stage, t *cloud.Transaction) {
			s.lisbon.Note("capability.observed", "",
				seal.Object{"capability_evidence_sha256": seal.StatementDigest(t.Case.Capability[0])})
		})),
	"checkpoint witnessed under another sequence": contradicts(lisbonLog, 2,
		exported(func(s *stage, _ *cloud.Transaction) {
			data := s.at(3)
			data["checkpoint_sha256"] = seal.Digest(s.exportedCheckpoint())
			s.lisbon.Note("checkpoint.witnessed", "", data)
		})),
	"checkpoint witnessed with another head": contradicts(lisbonLog, 2,
		exported(func(s *stage, _ *cloud.Transaction) {
			c := s.exportedCheckpoint()
			s.lisbon.Note("checkpoint.witnessed", "", seal.Object{"checkpoint_sha256": seal.Digest(c), "sequence": c["sequence"],
				"head_hash": seal.SHA256(nil)})
		})),
	"checkpoint witnessed as it is": {verdict: verify.Verified,
		play: exported(func(s *stage, _ *cloud.Transaction) {
			c := s.exportedCheckpoint()
			s.lisbon.Note("checkpoint.witnessed", "", seal.Object{"checkpoint_sha256": seal.Digest(c), "sequence": c["sequence"],
				"head_hash": c["head_hash"]})
		})},

	"an event of the tenant log in a journal": {verdict: verify.Rejected,
		findings: []string{"record.in-wrong-log " + lisbonLog + " 2 2"},
		play:     exported(func(s *stage, _ *cloud.Transaction) { s.lisbon.Note("issuance.paused", "", seal.Object{}) })},
	"an issuance in a journal": {verdict: verify.Rejected, findings: []string{"record.in-wrong-log " + lisbonLog + " 2 2"},
		play: exported(func(s *stage, _ *cloud.Transaction) {
			s.lisbon.Note("issuance.completed", "", seal.Object{"manifest_sha256": seal.SHA256(nil)})
		})},
	"an event of a node in the tenant log": {verdict: verify.Rejected,
		findings: []string{"record.in-wrong-log " + theLog + " 12 12"},
		play:     exported(func(s *stage, _ *cloud.Transaction) { s.Cloud.Note("policy.synced", seal.Object{}) })},
	"an approval signed in the tenant log": {verdict: verify.Rejected,
		findings: []string{"record.in-wrong-log " + theLog + " 12 12"}, play: exported(func(s *stage, t *cloud.Transaction) {
			s.Cloud.NoteOf(transaction, "approval.signed", signedApproval(t))
		})},
	"events of types of their own in both": {verdict: verify.Verified,
		play: exported(func(s *stage, _ *cloud.Transaction) {
			for _, name := range []string{"rotation.requested", "something.else"} {
				s.lisbon.Note(name, "", seal.Object{})
				s.Cloud.Note(name, seal.Object{})
			}
		})},

	"another head witnessed": {verdict: verify.Inconclusive, findings: []string{"record.disputed " + lisbonLog + " 2 2",
		"record.disputed " + theLog + " 11 11"},
		play: exported(func(s *stage, _ *cloud.Transaction) {
			s.lisbon.Note("checkpoint.witnessed", "", s.newest(otherHead))
		})},
	"another head witnessed by two": {verdict: verify.Rejected,
		findings: []string{"witness.other-history " + theLog + " 12 12"},
		play: exported(func(s *stage, _ *cloud.Transaction) {
			s.Cloud.Note("something.else", seal.Object{})
			s.lisbon.Note("checkpoint.witnessed", "", s.newest(otherHead))
			s.berlin.Note("checkpoint.witnessed", "", s.newest(otherHead))
		})},
	"two heads witnessed, each by one": {verdict: verify.Inconclusive, findings: []string{
		"record.disputed " + berlinLog + " 6 6", "record.disputed " + lisbonLog + " 2 2",
		"record.disputed " + theLog + " 12 12", "record.disputed " + theLog + " 12 12"},
		play: exported(func(s *stage, _ *cloud.Transaction) {
			s.Cloud.Note("something.else", seal.Object{})
			s.lisbon.Note("checkpoint.witnessed", "", s.newest(otherHead))
			s.berlin.Note("checkpoint.witnessed", "", s.newest(func(data seal.Object) {
				data["head_hash"] = seal.SHA256([]byte("a third head"))
			}))
		})},
	"another head witnessed, of which no tenant log is here": {verdict: verify.Inconclusive,
		findings: []string{"statement.not-covered " + theLog + " 0 0"}, answers: map[Answer]int{NoLog: 5},
		play: exported(func(s *stage, _ *cloud.Transaction) {
			s.lisbon.Note("checkpoint.witnessed", "", s.newest(otherHead))
		}), files: func(_ *stage, files map[string][]byte) { delete(files, "tenant.ndjson") }},
	"another head witnessed, of an event that is missing": {verdict: verify.Rejected,
		findings: []string{"statement.not-covered " + theLog + " 0 0", "journal.lacks-events " + theLog + " 11 11"},
		answers:  map[Answer]int{NotCovered: 1}, play: exported(func(s *stage, _ *cloud.Transaction) {
			s.lisbon.Note("checkpoint.witnessed", "", s.newest(otherHead))
		}), files: func(s *stage, files map[string][]byte) {
			files["tenant.ndjson"] = journal(slices.Concat(s.tenant[:10], s.tenant[11:]))
		}},
	"a head beyond the tenant log witnessed": {verdict: verify.Verified,
		play: exported(func(s *stage, _ *cloud.Transaction) {
			s.lisbon.Note("checkpoint.witnessed", "",
				s.newest(func(data seal.Object) { data["sequence"] = int64(99); otherHead(data) }))
		})},
	"an older head witnessed": {verdict: verify.Rejected, findings: []string{"witness.regressed " + lisbonLog + " 3 3"},
		play: exported(func(s *stage, _ *cloud.Transaction) {
			s.lisbon.Note("checkpoint.witnessed", "", s.at(6))
			s.lisbon.Note("checkpoint.witnessed", "", s.at(5))
		})},
	"two heads witnessed, without the tenant log": {verdict: verify.Rejected, answers: map[Answer]int{NoLog: 5},
		findings: []string{"witness.regressed " + lisbonLog + " 3 3", "statement.not-covered " + theLog + " 0 0"},
		play: exported(func(s *stage, _ *cloud.Transaction) {
			s.lisbon.Note("checkpoint.witnessed", "", s.newest(func(seal.Object) {}))
			s.lisbon.Note("checkpoint.witnessed", "", s.newest(otherHead))
		}), files: func(_ *stage, files map[string][]byte) { delete(files, "tenant.ndjson") }},
	"heads witnessed in order": {verdict: verify.Verified,
		play: exported(func(s *stage, _ *cloud.Transaction) {
			for _, n := range []uint64{5, 5, 6, 11} {
				s.lisbon.Note("checkpoint.witnessed", "", s.at(n))
			}
		})},
}

func TestRecords(t *testing.T) { play(t, recordScenarios) }

// TestSplitView: that a node witnessed another head proves a split view only if a
// checkpoint of it by the audit key is here. Otherwise nothing is blamed, and both keys
// are named whose holder may have made it.
func TestSplitView(t *testing.T) {
	s := newStage(t)
	exported(func(*stage, *cloud.Transaction) {})(s)
	data := s.at(11)
	otherHead(data)
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
		if proven := strings.Contains(said, "split view is proven"); proven != tt.proven {
			t.Errorf("%s: %s", name, said)
		}
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
	exported(func(s *stage, _ *cloud.Transaction) {
		for i := range each {
			for _, n := range []*node.Node{s.berlin, s.oslo, s.lisbon} {
				digest := seal.SHA256([]byte(fmt.Sprint(n.ID(), i)))
				n.Note("approval.signed", "tx-1", seal.Object{"approval_sha256": digest, "decision": "allow"})
				s.Cloud.NoteOf("tx-1", "approval.recorded", approvalBy(n, digest))
				s.Cloud.NoteOf("tx-2", "approval.recorded", approvalBy(n, digest))
			}
		}
	})(s)
	s.later()
	r := must.Get(Run(t.Context(), fill(t, s.collect()), s.root(), Options{}))(t)
	found := map[string]int{}
	for _, f := range r.Findings {
		if found[f.LogID]++; f.Code != finding.RecordDisputed || strings.Contains(f.Expected+f.Found, "no approval.signed") {
			t.Errorf("%s of %s: expected %s, found %s", f.Code, f.LogID, f.Expected, f.Found)
		}
	}
	for _, log := range []string{berlinLog, osloLog, lisbonLog} {
		if found[log] != each {
			t.Errorf("%s: %d of %d", log, found[log], each)
		}
	}
}
