package server_test

import (
	"net/http"
	"testing"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// proof exports the evidence of a transaction and has the verifier judge it.
func (b *bench) proof(id string, nodes []*mesh) *verify.Report {
	b.t.Helper()
	evidence := b.as(operator, http.MethodPost, "/api/v1/transactions/"+id+"/evidence",
		seal.Object{"wait_seconds": int64(60)})
	root := must.Get(trust.Parse(seal.Canonical(b.trust(nodes))))(b.t)
	return verify.Verify(bundle.Open(seal.Canonical(evidence)), root, verify.Policy{MinimumApprovals: 2})
}

// verified fails the test unless the transaction's proof is verified with this
// status.
func (b *bench) verified(id, status string, nodes []*mesh) {
	b.t.Helper()
	report := b.proof(id, nodes)
	check.That(b.t, report.Verdict == verify.Verified && report.Result.Status == status,
		"%s: %v, not verified as %s: %v", id, report.Verdict, status, report.Findings())
}

func TestIssuesAndProves(t *testing.T) {
	b, nodes := fleet(t)
	for _, profile := range []string{"payments-api", "edge-gateway"} {
		o := b.issued("tx-"+profile, profile)
		check.That(t, len(seal.List(o, "certificates")) == 2 && seal.Text(o, "certificate_serial") != "" &&
			seal.Text(o, "not_after") != "",
			"incomplete: %s", seal.Canonical(o))
		b.verified("tx-"+profile, "issued", nodes)
	}
	b.as(operator, http.MethodPost, "/api/v1/transactions/tx-payments-api/revocation",
		seal.Object{"reason": "keyCompromise"})
	b.becomes("tx-payments-api", "revoked")
	b.verified("tx-payments-api", "revoked", nodes)
	b.verified("tx-edge-gateway", "issued", nodes)
	if !has(b.types(), "node.enrolled", "policy.published", "issuance.requested", "approval.recorded", "approval.recorded",
		"decision.recorded", "decision.recorded", "issuance.completed", "certificate.revoked", "node.reported") {
		t.Errorf("the tenant log has %v", b.types())
	}
}

// Evidence is at a checkpoint of the log as it is when it is asked for, though
// an older one would do.
func TestEvidenceIsFresh(t *testing.T) {
	b, _ := fleet(t)
	b.issued("tx-1", "payments-api")
	for range 3 {
		b.as(operator, http.MethodPost, "/api/v1/signer/rotation", seal.Object{})
		head := seal.Integer(seal.Member(b.overview(), "audit"), "sequence")
		evidence := b.as(operator, http.MethodPost, "/api/v1/transactions/tx-1/evidence",
			seal.Object{"wait_seconds": int64(60)})
		checkpoint := seal.Member(seal.Member(evidence, "checkpoint"), "statement")
		if got := seal.Integer(checkpoint, "sequence"); got < head {
			t.Errorf("a checkpoint of %d, asked for at %d", got, head)
		}
	}
}
