package cloud_test

import (
	"errors"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/signer"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// signed is a transaction that the signer has issued for, and the cloud has not
// recorded yet.
func signed(t *testing.T, w *harness.World, id string) (*cloud.Transaction, *signer.Issued) {
	t.Helper()
	tx := must.Get(w.Request(order(id)))(t)
	request, err := pki.Request(w.Keys.Workload[id], []string{"dns:a.example"})
	must.Do(t, errors.Join(err, w.Approve(tx, w.Nodes[0], w.Nodes[2]), w.Decide(tx, w.Nodes[0])))
	return tx, must.Get(w.Signer.Issue(tx.Case, request))(t)
}

// A cloud that was down for long after the signer issued releases nothing, records that in its
// log, and starts again; one that was back in time continues. Approvals live an hour, and an
// issuance may be recorded an hour after that.
func TestDownAfterSigning(t *testing.T) {
	w, events := world(t)
	tx, issued := signed(t, w, "tx-1")
	w.Clock.Pass(time.Hour + 59*time.Minute)
	must.OK(t, w.Cloud.Complete(tx, issued), "back in time")
	late, issued := signed(t, w, "tx-2")
	w.Clock.Pass(2*time.Hour + time.Minute)
	err := w.Cloud.Complete(late, issued)
	must.That(t, errors.Is(err, consent.ErrLate), "expected %v, found %v", consent.ErrLate, err)
	check.That(t, late.Issued == nil && w.Export(late, w.Nodes...) != nil, "the certificate was released")
	receipt, _ := must.Two(w.Signer.Revoke("tx-2", "cessationOfOperation"))(t)
	another := &signer.Issued{Leaf: []byte("another")}
	check.That(t, w.Cloud.NeverReleased(late, another, receipt, "never_released", "") != nil,
		"the receipt of another certificate was taken")
	must.Do(t, w.Cloud.NeverReleased(late, issued, receipt, "never_released", "late"))
	last := seal.Member((*events)[len(*events)-1], "body")
	data, statement := seal.Member(last, "data"), seal.Member(receipt, "statement")
	if seal.Text(last, "type") != "issuance.denied" || seal.Text(last, "transaction_id") != "tx-2" ||
		data["certificate_sha256"] != seal.SHA256(issued.Leaf) ||
		data["certificate_serial"] != statement["certificate_serial"] ||
		data["revocation_receipt_sha256"] != seal.Digest(statement) {
		t.Errorf("the log has %s", seal.Canonical(last))
	}
	for _, event := range *events {
		body := seal.Member(event, "body")
		check.That(t, seal.Text(body, "type") != "issuance.completed" || seal.Text(body, "transaction_id") != "tx-2",
			"the issuance was recorded")
	}
	check.OK(t, check.Err(w.Issue(order("tx-3"), w.Nodes[0], w.Nodes[2])), "another transaction")
}
