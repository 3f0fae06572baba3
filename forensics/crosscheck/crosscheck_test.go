package crosscheck

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// scenario is what happened, and what a crosscheck says of it: the verdict, the
// findings as "code log first last", and how many statements have which answer,
// beside those that are recorded.
type scenario struct {
	play     func(s *stage)
	files    func(s *stage, files map[string][]byte) // what somebody did to the evidence
	verdict  verify.Verdict
	findings []string
	answers  map[Answer]int
}

var scenarios = map[string]scenario{
	"honest": {play: honest, verdict: verify.Verified},

	"approval by a stolen key": {verdict: verify.Rejected,
		findings: []string{"statement.not-in-journal " + lisbonLog + " 0 0 approval.signed"},
		answers:  map[Answer]int{Missing: 1},
		play:     stolenApproval},
	"approval by a stolen key, not covered": {verdict: verify.Inconclusive,
		findings: []string{"statement.not-covered " + lisbonLog + " 0 0"}, answers: map[Answer]int{NotCovered: 1},
		play: func(s *stage) {
			t := s.request(transaction, "payments-api")
			s.must(s.Approve(t, s.berlin))
			s.must(s.Cloud.RecordApproval(t, s.forge(t)))
			s.complete(t)
			s.export(t)
		}},
	"approval by a stolen key, without its journal": {verdict: verify.Inconclusive,
		findings: []string{"statement.not-covered " + lisbonLog + " 0 0"}, answers: map[Answer]int{NoLog: 1},
		play: stolenApproval, files: func(_ *stage, files map[string][]byte) {
			delete(files,
				"journals/mesh-lisbon-1.ndjson")
		}},
	"approval by a stolen key, with a hole in its journal": {verdict: verify.Inconclusive,
		findings: []string{"statement.not-covered " + lisbonLog + " 0 0"}, answers: map[Answer]int{NotCovered: 1},
		play: stolenApproval, files: func(s *stage, files map[string][]byte) {
			files["journals/mesh-lisbon-1.ndjson"] = journal(slices.Concat(s.lisbon.Journal()[:1], s.lisbon.Journal()[2:]))
		}},
	"approval by a stolen key, with an altered event in its journal": {verdict: verify.Inconclusive,
		findings: []string{"statement.not-covered " + lisbonLog + " 0 0"}, answers: map[Answer]int{NotCovered: 1},
		play: stolenApproval, files: func(_ *stage, files map[string][]byte) {
			files["journals/mesh-lisbon-1.ndjson"] = bytes.Replace(files["journals/mesh-lisbon-1.ndjson"],
				[]byte("2026-03-02T09:00"), []byte("2026-03-02T09:01"), 1)
		}},
	"approval by a stolen key, with a foreign event in its journal": {verdict: verify.Inconclusive,
		findings: []string{"statement.not-covered " + lisbonLog + " 0 0"}, answers: map[Answer]int{NotCovered: 1},
		play: func(s *stage) {
			s.policy++
			s.must(s.PublishPolicy(s.policy, s.Nodes...))
			t := s.request(transaction, "payments-api")
			s.must(s.Approve(t, s.berlin))
			s.must(s.Cloud.RecordApproval(t, s.forge(t)))
			s.complete(t)
			s.export(t)
			s.later()
		}, files: func(s *stage, files map[string][]byte) {
			foreign := resigned(lisbonLog, s.lisbon.Journal(), s.lisbon.Key(), func(body seal.Object) {
				if seal.Integer(body, "sequence") == 2 {
					body["data"] = seal.Object{"rewritten": true}
				}
			})
			files["journals/mesh-lisbon-1.ndjson"] = journal(slices.Concat(s.lisbon.Journal()[:1], foreign[1:2],
				s.lisbon.Journal()[2:]))
		}},
	"an approval whose signature was altered in its journal": {verdict: verify.Inconclusive,
		findings: []string{"statement.not-covered " + lisbonLog + " 0 0"}, answers: map[Answer]int{NotCovered: 1},
		play: func(s *stage) {
			t := s.request(transaction, "payments-api")
			s.must(s.Approve(t, s.lisbon, s.berlin))
			s.complete(t)
			s.export(t)
			s.later()
		}, files: func(s *stage, files map[string][]byte) {
			events := s.lisbon.Journal()
			for i, e := range events {
				if seal.Text(seal.Member(e, "body"), "type") == event.ApprovalSigned {
					events[i] = seal.CloneObject(e)
					events[i]["signature"] = seal.Text(events[0], "signature")
				}
			}
			files["journals/mesh-lisbon-1.ndjson"] = journal(events)
		}},
	"recorded but never signed": {verdict: verify.Inconclusive,
		findings: []string{"record.disputed " + lisbonLog + " 0 0", "record.disputed " + theLog + " 12 12"},
		play: func(s *stage) {
			s.later()
			t := s.request(transaction, "payments-api")
			s.must(s.Cloud.RecordApproval(t, s.forge(t)))
			s.later()
		}},
	"recorded twice": {verdict: verify.Verified, play: func(s *stage) {
		s.later()
		t := s.request(transaction, "payments-api")
		approval := s.lisbon.Approve(t.Case)
		s.must(s.Cloud.RecordApproval(t, approval))
		s.must(s.Cloud.RecordApproval(t, approval))
		s.later()
	}},
	"signed but never recorded": {verdict: verify.Verified,
		findings: []string{"approval.unrecorded " + lisbonLog + " 3 3"}, play: func(s *stage) {
			s.later()
			s.lisbon.Approve(s.request(transaction, "payments-api").Case)
			s.later()
		}},
	"signed and not yet recorded": {verdict: verify.Verified, play: func(s *stage) {
		s.later()
		s.lisbon.Approve(s.request(transaction, "payments-api").Case)
		s.must(s.Report(s.lisbon))
	}},
	"denied": {verdict: verify.Rejected, findings: []string{"approval.denied-in-journal " + lisbonLog + " 2 2"},
		answers: map[Answer]int{Denied: 1}, play: func(s *stage) {
			t := s.request(transaction, "edge-gateway")
			s.must(s.Cloud.RecordApproval(t, s.lisbon.Approve(t.Case))) // without capability evidence
			s.must(s.Observe(t, s.berlin, "attested-boot"))
			s.must(s.Approve(t, s.berlin, s.oslo))
			s.must(s.Cloud.RecordApproval(t, s.forge(t)))
			s.complete(t)
			s.export(t)
			s.later()
		}},
	"denied at first": {verdict: verify.Verified, play: func(s *stage) {
		t := s.request(transaction, "edge-gateway")
		s.must(s.Cloud.RecordApproval(t, s.lisbon.Approve(t.Case)))
		s.must(s.Observe(t, s.berlin, "attested-boot"))
		s.must(s.Approve(t, s.berlin, s.lisbon))
		s.complete(t)
		s.export(t)
		s.later()
	}},
	"witness by a stolen key": {verdict: verify.Rejected,
		findings: []string{"statement.not-in-journal " + lisbonLog + " 0 0 checkpoint.witnessed"},
		answers:  map[Answer]int{Missing: 1},
		play: func(s *stage) {
			t := s.issue(transaction)
			s.must(s.Witness(s.berlin, s.oslo))
			s.must(s.Cloud.RecordWitness(s.forgeReceipt()))
			s.bundle(t)
			s.later()
		}},
	"capability by a stolen key": {verdict: verify.Rejected,
		findings: []string{"statement.not-in-journal " + lisbonLog + " 0 0 capability.observed"},
		answers:  map[Answer]int{Missing: 1},
		play: func(s *stage) {
			t := s.request(transaction, "edge-gateway")
			s.must(s.Cloud.AddCapability(t, s.forgeCapability()))
			s.must(s.Approve(t, s.berlin, s.oslo))
			s.complete(t)
			s.export(t)
			s.later()
		}},
	"approval that the service never recorded": {verdict: verify.Rejected,
		findings: []string{"statement.not-in-log " + theLog + " 0 0 approval.recorded"}, answers: map[Answer]int{Missing: 1},
		play: unrecordedApproval},
	"approval that is not recorded in a log with a hole": {verdict: verify.Inconclusive,
		findings: []string{"statement.not-covered " + theLog + " 0 0"}, answers: map[Answer]int{NotCovered: 1},
		play: unrecordedApproval, files: func(s *stage, files map[string][]byte) {
			files["tenant.ndjson"] = journal(without(s.tenant, "issuance.requested"))
		}},
	"decision that the service never recorded": {verdict: verify.Rejected,
		findings: []string{"statement.not-in-log " + theLog + " 0 0 decision.recorded"}, answers: map[Answer]int{Missing: 1},
		play: func(s *stage) {
			t := s.request(transaction, "payments-api")
			s.must(s.Approve(t, s.berlin, s.oslo))
			t.Case.Customer = s.berlin.Decide(t.Case)
			s.Cloud.Decide(t)
			s.must(s.Complete(t))
			s.export(t)
			s.later()
		}},
	"another issuance in its place": {verdict: verify.Rejected,
		findings: []string{"event.not-in-log " + theLog + " 11 11 issuance.completed",
			"witness.other-history " + theLog + " 11 11"}, answers: map[Answer]int{Missing: 1, NotCovered: 0}, play: honest,
		files: rewritten("issuance.completed")},
	"no issuance in its place": {verdict: verify.Rejected, findings: []string{"statement.not-covered " + theLog + " 0 0",
		"journal.lacks-events " + theLog + " 11 11"}, answers: map[Answer]int{NotCovered: 1}, play: honest,
		files: func(s *stage, files map[string][]byte) {
			files["tenant.ndjson"] = journal(without(s.tenant, "issuance.completed"))
		}},
	"a log that begins behind the issuance": {verdict: verify.Rejected,
		findings: []string{"statement.not-covered " + theLog + " 0 0", "journal.lacks-events " + theLog + " 11 11"},
		answers:  map[Answer]int{NotCovered: 5, Missing: 0}, play: honest, files: func(s *stage, files map[string][]byte) {
			files["tenant.ndjson"] = journal(s.tenant[11:])
		}},
	"a log that ends before the issuance": {verdict: verify.Inconclusive,
		findings: []string{"statement.not-covered " + theLog + " 0 0", "journal.ends-early " + theLog + " 11 11"},
		answers:  map[Answer]int{NotCovered: 1, Missing: 0}, play: honest, files: func(s *stage, files map[string][]byte) {
			files["tenant.ndjson"] = journal(s.tenant[:10])
		}},
	"no issuance in its place, and a bundle that does not verify": {verdict: verify.Rejected,
		findings: []string{"bundle.rejected  0 0"}, play: honest, files: func(s *stage, files map[string][]byte) {
			files["tenant.ndjson"] = journal(without(s.tenant, "issuance.completed"))
			files["bundle.json"] = bytes.Replace(files["bundle.json"], []byte(`"decision":"allow"`), []byte(`"decision":"deny"`),
				1)
		}},
	"another revocation in its place": {verdict: verify.Rejected,
		findings: []string{"event.not-in-log " + theLog + " 12 12 certificate.revoked",
			"witness.other-history " + theLog + " 12 12"}, answers: map[Answer]int{Missing: 1}, play: func(s *stage) {
			t := s.issue(transaction)
			s.must(s.Revoke(t, "superseded"))
			s.export(t)
			s.later()
		}, files: rewritten("certificate.revoked")},
	"revocation withheld": {verdict: verify.Rejected, findings: []string{"revocation.withheld " + theLog + " 12 12"},
		play: func(s *stage) {
			t := s.issue(transaction)
			s.revokeUnseen(t)
			s.export(t)
			s.later()
		}},
	"revoked after the bundle": {verdict: verify.Verified, play: func(s *stage) {
		t := s.issue(transaction)
		s.export(t)
		s.revokeUnseen(t)
		s.later()
	}},
	"a bundle that does not verify": {verdict: verify.Rejected, findings: []string{"bundle.rejected  0 0"}, play: honest,
		files: func(_ *stage, files map[string][]byte) {
			files["bundle.json"] = bytes.Replace(files["bundle.json"], []byte(`"status":"issued"`), []byte(`"status":"revoked"`),
				1)
		}},
	"issued while paused": {verdict: verify.Rejected, findings: []string{"transaction.issued-while-paused " + theLog +
		" 12 12"}, play: func(s *stage) {
		s.Cloud.Note(event.IssuancePaused, seal.Object{})
		s.issue(transaction)
	}},
	"issued while paused, with a hole": {verdict: verify.Verified, play: func(s *stage) {
		s.Cloud.Note(event.IssuancePaused, seal.Object{})
		s.issue(transaction)
	}, files: func(s *stage, files map[string][]byte) {
		files["tenant.ndjson"] = journal(without(s.tenant, "issuance.requested"))
	}},
	"issued after it was resumed": {verdict: verify.Verified, play: func(s *stage) {
		for _, e := range []string{event.IssuancePaused, event.IssuancePaused, event.ResumeRequested, event.IssuanceResumed} {
			s.Cloud.Note(e, seal.Object{})
		}
		s.issue(transaction)
	}},
	"resumed without a request": {verdict: verify.Rejected,
		findings: []string{"break-glass.resume-without-request " + theLog + " 7 7"},
		play:     notes(event.IssuancePaused, event.IssuanceResumed)},
	"resumed after the request expired": {verdict: verify.Rejected,
		findings: []string{"break-glass.resume-without-request " + theLog + " 9 9"},
		play:     notes(event.IssuancePaused, event.ResumeRequested, event.ResumeExpired, event.IssuanceResumed)},
	"resumed twice on one request": {verdict: verify.Rejected,
		findings: []string{"break-glass.resume-without-request " + theLog + " 10 10"},
		play: notes(event.IssuancePaused, event.ResumeRequested, event.IssuanceResumed, event.IssuancePaused,
			event.IssuanceResumed)},
	"one of two requests expired": {verdict: verify.Verified,
		play: notes(event.IssuancePaused, event.ResumeRequested, event.ResumeRequested, event.ResumeExpired,
			event.IssuanceResumed)},
	"nothing to compare": {verdict: verify.Verified, play: func(*stage) {},
		files: func(_ *stage, files map[string][]byte) { delete(files, "tenant.ndjson") }},
}

func honest(s *stage) {
	s.export(s.issue(transaction))
	s.later()
}

func stolenApproval(s *stage) {
	s.later() // so that Lisbon's journal has events on both sides
	t := s.request(transaction, "payments-api")
	s.must(s.Approve(t, s.berlin))
	s.must(s.Cloud.RecordApproval(t, s.forge(t)))
	s.complete(t)
	s.export(t)
	s.later()
}

func unrecordedApproval(s *stage) {
	t := s.request(transaction, "payments-api")
	s.must(s.Approve(t, s.berlin, s.oslo))
	s.unlogged(t, s.lisbon.Approve(t.Case))
	s.complete(t)
	s.export(t)
}

// notes plays events about no transaction.
func notes(types ...string) func(*stage) {
	return func(s *stage) {
		for _, e := range types {
			s.Cloud.Note(e, seal.Object{})
		}
	}
}

// revokeUnseen revokes a certificate in the log only: what is exported later
// knows nothing of it.
func (s *stage) revokeUnseen(t *cloud.Transaction) {
	s.Helper()
	receipt, registry, err := s.Signer.Revoke(t.Case.TransactionID, "keyCompromise")
	s.must(err)
	unseen := *t
	s.must(s.Cloud.RecordRevocation(&unseen, receipt, registry))
}

// rewritten changes what events of a type say, from there on another history
// that the audit key signs.
func rewritten(eventType string) func(*stage, map[string][]byte) {
	return func(s *stage, files map[string][]byte) {
		files["tenant.ndjson"] = journal(resigned(theLog, s.tenant, s.Keys.Audit["audit-2026-1"], func(body seal.Object) {
			if body["type"] == eventType {
				seal.Member(body, "data")["manifest_sha256"] = strings.Repeat("0", 64)
			}
		}))
	}
}

func TestScenarios(t *testing.T) { play(t, scenarios) }

// play plays scenarios, and holds what a crosscheck says against what it should.
func play(t *testing.T, all map[string]scenario) {
	for i, name := range slices.Sorted(maps.Keys(all)) {
		if testing.Short() && i%4 > 0 {
			continue
		}
		c := all[name]
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			c.play(s)
			files := s.collect()
			if c.files != nil {
				c.files(s, files)
			}
			in := fill(t, files)
			r := must.Get(Run(t.Context(), in, s.root(), Options{}))(t)
			standsForDocuments(t, in, s.root(), r)
			if got := spoken(r); walktest.VerdictOf(r.Findings) != c.verdict || !slices.Equal(got, c.findings) {
				t.Errorf("%s: %q, want %s: %q", walktest.VerdictOf(r.Findings), got, c.verdict, c.findings)
			}
			answers := map[Answer]int{}
			for _, st := range r.Statements {
				answers[st.Answer]++
			}
			for _, a := range []Answer{Denied, Missing, NotCovered, NoLog} {
				if want, fixed := c.answers[a]; answers[a] != want && (fixed || len(c.answers) < 2) {
					t.Errorf("%d statements are %s, want %d: %v", answers[a], a, want, r.Statements)
				}
			}
		})
	}
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
	stolenApproval(s)
	files := s.collect()
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
