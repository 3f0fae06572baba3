package server_test

import (
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/server"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// shown is the element of a list of the overview whose member has a value.
func (b *bench) shown(list, member, value string) seal.Object {
	b.t.Helper()
	for _, o := range seal.ObjectList(b.overview(), list) {
		if o[member] == value {
			return o
		}
	}
	b.t.Fatalf("the console shows no %s of %s", value, list)
	return nil
}

// integration is an integration as the console shows it.
func (b *bench) integration(id string) seal.Object {
	return b.shown("integrations", "integration_id", id)
}

// wants checks members of an object, which come as names and values by turns. Of a nil value
// there must be none.
func wants(t testing.TB, o seal.Object, label string, members ...any) {
	t.Helper()
	for i := 0; i < len(members); i += 2 {
		check.That(t, o[members[i].(string)] == members[i+1], "%s: expected %s %v: %s", label, members[i], members[i+1],
			seal.Canonical(o))
	}
}

// newest is the data of the newest event of a type.
func (b *bench) newest(eventType string) (data seal.Object) {
	b.t.Helper()
	for _, event := range b.events() {
		if body := seal.Member(event, "body"); seal.Text(body, "type") == eventType {
			data = seal.Member(body, "data")
		}
	}
	return data
}

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

// Evidence is at a checkpoint of the log as it is at the time of the request, though an older
// one would do.
func TestEvidenceIsFresh(t *testing.T) {
	b, _ := fleet(t)
	b.issued("tx-1", "payments-api")
	for range 3 {
		b.as(operator, http.MethodPost, "/api/v1/signer/rotation", seal.Object{})
		head := seal.Integer(seal.Member(b.overview(), "audit"), "sequence")
		evidence := b.as(operator, http.MethodPost, "/api/v1/transactions/tx-1/evidence",
			seal.Object{"wait_seconds": int64(60)})
		checkpoint := seal.Member(seal.Member(evidence, "checkpoint"), "statement")
		got := seal.Integer(checkpoint, "sequence")
		check.That(t, got >= head, "a checkpoint of %d, asked for at %d", got, head)
	}
}

// stall is the clock of a machine that stops for three hours, once next is set: between the
// signer's signature and the record of it.
type stall struct {
	*shifted
	next atomic.Bool
}

func (c *stall) Next() time.Time {
	if inComplete() && c.next.CompareAndSwap(true, false) {
		c.pass(3 * time.Hour)
	}
	return c.shifted.Next()
}

// inComplete reports whether the cloud is about to record an issuance.
func inComplete() bool {
	callers := make([]uintptr, 8)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for {
		frame, more := frames.Next()
		if strings.HasSuffix(frame.Function, "(*Cloud).Complete") {
			return true
		}
		if !more {
			return false
		}
	}
}

// A certificate that is signed and recorded too late is not released but revoked, SPEC 8.21,
// and another transaction is issued.
func TestNeverReleased(t *testing.T) {
	var clock *stall
	b, nodes := fleet(t, func(c *server.Config) {
		clock = &stall{shifted: c.Clock.(*shifted)}
		c.Clock = chance.Clock(clock)
	})
	clock.next.Store(true)
	b.request("tx-1", "payments-api")
	b.denied("tx-1", "never_released")
	wants(t, b.status("tx-1", "0"), "never released", "certificates", nil, "certificate_serial", nil)
	data := b.newest("issuance.denied")
	check.That(t, b.count("issuance.completed") == 0 && seal.Text(data, "revocation_receipt_sha256") != "",
		"the log has %v, %s", b.types(), seal.Canonical(data))
	b.issued("tx-2", "payments-api")
	_, issuer := b.certificates("tx-2")
	list := b.crl(issuer)
	entries, serial := list.RevokedCertificateEntries, seal.Text(data, "certificate_serial")
	check.That(t, len(entries) == 1 && entries[0].SerialNumber.Text(16) == serial,
		"the list has %v, not the certificate %s", entries, serial)
	b.verified("tx-2", "issued", nodes)
}
