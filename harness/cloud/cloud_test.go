package cloud_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/signer"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

func world(t *testing.T) (*harness.World, *[]seal.Object) {
	t.Helper()
	events := &[]seal.Object{}
	w := must.Get(harness.NewWorld(1, harness.ThreeNodes(), func(e seal.Object) { *events = append(*events, e) }))(t)
	return w, events
}

func order(id string) harness.Order {
	return harness.Order{
		TransactionID: id, Profile: "payments-api", Algorithm: "ecdsa-p256", Lifetime: time.Hour,
		Names: []string{"dns:a.example"}, Usages: []string{"serverAuth"},
	}
}

func issued(t *testing.T, w *harness.World, id string) *cloud.Transaction {
	t.Helper()
	return must.Get(w.Issue(order(id), w.Nodes[0], w.Nodes[2]))(t)
}

func TestIssuanceIsLogged(t *testing.T) {
	w, events := world(t)
	start := len(*events)
	tx := issued(t, w, "tx")
	must.Do(t, w.Revoke(tx, "superseded"))
	want := []string{
		"issuance.requested", "approval.recorded", "approval.recorded",
		"decision.recorded", "decision.recorded", "issuance.completed", "certificate.revoked",
	}
	for i, event := range (*events)[start:] {
		body := seal.Member(event, "body")
		check.That(t, seal.Text(body, "type") == want[i] && seal.Text(body, "transaction_id") == "tx",
			"event %d is %s of %q, want %s", i, seal.Text(body, "type"), seal.Text(body, "transaction_id"), want[i])
	}
	check.Equal(t, len(*events)-start, len(want), "events")
}

func TestExportWaitsForWitnesses(t *testing.T) {
	w, _ := world(t)
	tx := issued(t, w, "tx")
	check.That(t, check.Err(w.Cloud.Export(tx)) != nil, "exported without a checkpoint")
	err := w.Export(tx, w.Nodes[0])
	check.That(t, errors.Is(err, cloud.ErrWitnessPending) && strings.Contains(err.Error(), "(1/2)"),
		"one witness of two: %v", err)
	check.OK(t, w.Export(tx, w.Nodes[1]), "two witnesses of two")
	w.ChangeIntegration()
	check.OK(t, check.Err(w.Cloud.Export(tx)), "at a checkpoint that covers the transaction")
	must.Do(t, w.Revoke(tx, "superseded"))
	check.That(t, check.Err(w.Cloud.Export(tx)) != nil, "exported at a checkpoint that does not cover the revocation")
}

func TestNothingToExport(t *testing.T) {
	w, _ := world(t)
	tx := must.Get(w.Request(order("tx")))(t)
	check.That(t, w.Export(tx, w.Nodes[0], w.Nodes[1]) != nil, "a transaction without a certificate was exported")
	check.That(t, check.Err(w.Cloud.Transaction("other")) != nil, "a transaction that nobody requested was found")
	check.That(t, check.Err(w.Request(order("tx"))) != nil, "a transaction was opened twice")
}

func TestCheckpointStaysUntilTheLogGrows(t *testing.T) {
	w, _ := world(t)
	first := seal.Digest(w.Cloud.Checkpoint())
	check.Equal(t, seal.Digest(w.Cloud.Checkpoint()), first, "another checkpoint of the same head")
	w.ChangeIntegration()
	check.That(t, seal.Digest(w.Cloud.Checkpoint()) != first, "the same checkpoint of another head")
}

func TestRefusesForeignStatements(t *testing.T) {
	w, events := world(t)
	a, b := issued(t, w, "a"), issued(t, w, "b")
	c := must.Get(w.Request(order("c")))(t)
	must.Do(t, w.Witness(w.Nodes[0]))
	receipt, registry := must.Two(w.Signer.Revoke("b", "superseded"))(t)
	stale := must.Get(w.Nodes[0].Witness(w.Cloud.Checkpoint(), w.Cloud.Links(w.Nodes[0].Witnessed())))(t)
	w.ChangeIntegration()
	w.Cloud.Checkpoint()
	swapped := *b.Issued
	swapped.Leaf = a.Issued.Leaf
	open := &cloud.Transaction{Case: b.Case} // b as it was before its certificate
	unsigned := seal.CloneObject(a.Case.Approvals[0])
	unsigned["signature"] = a.Case.Approvals[1]["signature"]

	before := len(*events)
	for name, err := range map[string]error{
		"approval of another transaction":   w.Cloud.RecordApproval(c, a.Case.Approvals[0]),
		"approval with another's signature": w.Cloud.RecordApproval(a, unsigned),
		"decision of another transaction":   w.Cloud.RecordCustomerDecision(c, a.Case.Customer),
		"decision of the other domain":      w.Cloud.RecordCustomerDecision(a, a.Case.Service),
		"revocation of another certificate": w.Cloud.RecordRevocation(a, receipt, registry),
		"revocation of no certificate":      w.Cloud.RecordRevocation(c, receipt, registry),
		"receipt for another leaf":          w.Cloud.Complete(open, &swapped),
		"receipt of another transaction":    w.Cloud.Complete(c, b.Issued),
		"a second certificate":              w.Cloud.Complete(a, a.Issued),
		"receipt that is no receipt":        w.Cloud.Complete(c, &signer.Issued{Receipt: seal.Object{}}),
		"witness of an older checkpoint":    w.Cloud.RecordWitness(stale),
		"witness receipt that is none":      w.Cloud.RecordWitness(a.Case.Service),
		"capability evidence that is none":  w.Cloud.AddCapability(a, a.Case.Service),
		"capability evidence for another profile": w.Cloud.AddCapability(a,
			w.Nodes[0].Observe("ledger-batch", "attested-boot")),
	} {
		check.That(t, err != nil, "%s: accepted", name)
	}
	check.That(t, len(*events) == before, "%d of the refused statements were logged", len(*events)-before)
}

func TestRefusesForeignReports(t *testing.T) {
	w, _ := world(t)
	report := func(change func(seal.Object)) seal.Object {
		r := must.Get(w.Nodes[0].Report())(t)
		change(r)
		return r
	}
	for name, r := range map[string]seal.Object{
		"another node":      report(func(o seal.Object) { o["node_id"] = "mesh-oslo-1" }),
		"another key":       report(func(o seal.Object) { o["key_id"] = "mesh-oslo-1" }),
		"another head":      report(func(o seal.Object) { o["audit_head"] = seal.SHA256(nil) }),
		"another body":      report(func(o seal.Object) { o["body_sha256"] = seal.SHA256(nil) }),
		"no hash":           report(func(o seal.Object) { o["skip_hash"] = "" }),
		"another place":     report(func(o seal.Object) { o["audit_sequence"] = int64(2) }),
		"another signature": report(func(o seal.Object) { o["signature"] = "" }),
	} {
		check.That(t, w.Cloud.Report(r) != nil, "%s: accepted", name)
	}
	early := report(func(seal.Object) {})
	w.Nodes[0].Observe("payments-api", "attested-boot")
	must.Do(t, w.Report(w.Nodes...))
	check.That(t, w.Cloud.Report(early) != nil, "an earlier head was accepted after a later one")
}

func TestTooFewApprovals(t *testing.T) {
	w, _ := world(t)
	tx := must.Get(w.Request(order("tx")))(t)
	must.Do(t, errors.Join(w.Approve(tx, w.Nodes[0]), w.Decide(tx, w.Nodes[0])))
	for _, decision := range []seal.Object{tx.Case.Customer, tx.Case.Service} {
		got := seal.Text(seal.Member(decision, "statement"), "decision")
		check.That(t, got == "deny", "one approval of two: %s, want deny", got)
	}
	check.That(t, w.Complete(tx) != nil, "one approval of two: a certificate was issued")
}
