package main

import (
	"bytes"
	"cmp"
	"path/filepath"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/contradiction"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/harness/node"
	"github.com/svc-edge/svc-verify/harness/pairs"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
)

// writeStolen writes the evidence of a thief who approved with the key of Lisbon: journals,
// tenant log, trust file and the bundle. In the same folder, paused.ndjson is the tenant log
// of another day, on which a certificate was issued while issuance was paused.
func writeStolen(t *testing.T, dir string) {
	t.Helper()
	files := map[string][]byte{}
	var tenant bytes.Buffer
	w := must.Get(harness.NewWorld(1, harness.ThreeNodes(), lineTo(&tenant)))(t)
	files["bundle.json"] = seal.Canonical(playStolen(t, w))
	for _, n := range w.Nodes {
		files[filepath.Join("journals", n.ID()+".ndjson")] = journalOf(n)
	}
	files["tenant.ndjson"] = tenant.Bytes()
	files["trust.json"] = seal.Canonical(w.Trust())

	var paused bytes.Buffer
	other := must.Get(harness.NewWorld(1, harness.ThreeNodes(), lineTo(&paused)))(t)
	other.Cloud.Note("issuance.paused", seal.Object{"reason": "\u001b[31m\u202e"})
	must.Get(other.Issue(stolenOrder, other.Nodes[0], other.Nodes[2]))(t)
	files["paused.ndjson"] = paused.Bytes()
	must.WriteFiles(t, dir, files)
}

var stolenOrder = harness.Order{TransactionID: "tx-2026-0666", Profile: "payments-api", Algorithm: "ecdsa-p256",
	Lifetime: 24 * time.Hour,
	Names:    []string{"dns:payments.acme.example"}, Usages: []string{"serverAuth"}}

// playStolen issues a certificate that Berlin and the thief approve, and lets
// the nodes report half an hour later. It returns the bundle of a new export, at a checkpoint of the log as it is then.
func playStolen(t *testing.T, w *harness.World) (bundle seal.Object) {
	t.Helper()
	x := must.Get(w.Request(stolenOrder))(t)
	berlin, lisbon, oslo := w.Nodes[0], w.Nodes[1], w.Nodes[2]
	must.Do(t, w.Approve(x, berlin))
	must.Do(t, w.Cloud.RecordApproval(x, approvalBy(w, lisbon, x)))
	must.Do(t, w.Decide(x, berlin))
	must.Do(t, w.Complete(x))
	must.Do(t, w.Export(x, berlin, oslo))
	w.Clock.Pass(30 * time.Minute)
	must.Do(t, w.PublishPolicy(8, w.Nodes...))
	must.Do(t, w.Report(w.Nodes...))
	must.Do(t, w.Witness(berlin, oslo))
	return must.Get(w.Cloud.Export(x))(t)
}

// approvalBy is an approval of a transaction under a node's key that the node has not logged.
func approvalBy(w *harness.World, n *node.Node, x *cloud.Transaction) seal.Object {
	now := w.Clock.Next()
	return seal.Seal(seal.Object{
		"protocol": "svc.approval.v1", "tenant_id": harness.Tenant, "transaction_id": x.Case.TransactionID,
		"node_id": n.ID(), "decision": "allow", "terms": x.Case.Terms, "capability_evidence": []any{},
		"decided_at": seal.Time(now), "expires_at": seal.Time(now.Add(10 * time.Minute)),
	}, n.Key())
}

// journalOf is the journal of a node.
func journalOf(n *node.Node) []byte {
	var journal bytes.Buffer
	for _, e := range n.Journal() {
		lineTo(&journal)(e)
	}
	return journal.Bytes()
}

// lineTo writes events as the lines of a journal.
func lineTo(b *bytes.Buffer) func(seal.Object) {
	return func(e seal.Object) { b.Write(append(seal.Canonical(e), '\n')) }
}

// writePairs writes the contradiction file of each pair of package pairs, with its bundles and
// its trust file in the same folder. The file of a near miss claims a split view.
func writePairs(t *testing.T, dir string) {
	all := pairs.All()
	for _, p := range all {
		doc := must.Get(contradiction.Marshal(finding.Code(cmp.Or(p.Code, "anchor.split-view")), p.A, p.B))(t)
		must.WriteFiles(t, dir, map[string][]byte{p.Name + ".json": doc, p.Name + ".trust.json": seal.Canonical(p.Trust),
			p.Name + ".a.json": p.A, p.Name + ".b.json": p.B})
	}
}
