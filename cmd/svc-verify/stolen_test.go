package main

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/contradiction"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/harness"
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
	must.Do(t, playStolen(w, files))
	for _, n := range w.Nodes {
		var journal bytes.Buffer
		for _, e := range n.Journal() {
			lineTo(&journal)(e)
		}
		files[filepath.Join("journals", n.ID()+".ndjson")] = journal.Bytes()
	}
	files["tenant.ndjson"] = tenant.Bytes()
	files["trust.json"] = seal.Canonical(w.Trust())

	var paused bytes.Buffer
	other := must.Get(harness.NewWorld(1, harness.ThreeNodes(), lineTo(&paused)))(t)
	other.Cloud.Note("issuance.paused", seal.Object{"reason": "\u001b[31m\u202e"})
	must.Get(other.Issue(stolenOrder, other.Nodes[0], other.Nodes[2]))(t)
	files["paused.ndjson"] = paused.Bytes()
	for name, content := range files {
		must.Do(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		must.Do(t, os.WriteFile(filepath.Join(dir, name), content, 0o644))
	}
}

var stolenOrder = harness.Order{TransactionID: "tx-2026-0666", Profile: "payments-api", Algorithm: "ecdsa-p256",
	Lifetime: 24 * time.Hour,
	Names:    []string{"dns:payments.acme.example"}, Usages: []string{"serverAuth"}}

// playStolen issues a certificate that Berlin and the thief approve, and lets
// the nodes report half an hour later.
func playStolen(w *harness.World, files map[string][]byte) error {
	t, err := w.Request(stolenOrder)
	if err != nil {
		return err
	}
	berlin, lisbon, oslo := w.Nodes[0], w.Nodes[1], w.Nodes[2]
	if err := w.Approve(t, berlin); err != nil {
		return err
	}
	now := w.Clock.Next()
	forged := seal.Seal(seal.Object{
		"protocol": "svc.approval.v1", "tenant_id": harness.Tenant, "transaction_id": t.Case.TransactionID,
		"node_id":  lisbon.ID(),
		"decision": "allow", "terms": t.Case.Terms, "capability_evidence": []any{},
		"decided_at": seal.Time(now), "expires_at": seal.Time(now.Add(10 * time.Minute)),
	}, lisbon.Key())
	for _, step := range []func() error{
		func() error { return w.Cloud.RecordApproval(t, forged) },
		func() error { return w.Decide(t, berlin) },
		func() error { return w.Complete(t) },
		func() error { return w.Export(t, berlin, oslo) },
		func() error { w.Clock.Pass(30 * time.Minute); return w.PublishPolicy(8, w.Nodes...) },
		func() error { return w.Report(w.Nodes...) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	// A new export, at a checkpoint of the log as it is now.
	if err := w.Witness(berlin, oslo); err != nil {
		return err
	}
	bundle, err := w.Cloud.Export(t)
	files["bundle.json"] = seal.Canonical(bundle)
	return err
}

// lineTo writes events as the lines of a journal.
func lineTo(b *bytes.Buffer) func(seal.Object) {
	return func(e seal.Object) { b.Write(append(seal.Canonical(e), '\n')) }
}

// writePairs writes the contradiction file of each pair of package pairs, with its bundles and
// its trust file in the same folder. The file of a near miss claims a split view.
func writePairs(t *testing.T, dir string) {
	all := must.Get(pairs.All())(t)
	must.Do(t, os.MkdirAll(dir, 0o755))
	for _, p := range all {
		doc := must.Get(contradiction.Marshal(finding.Code(cmp.Or(p.Code, "anchor.split-view")), p.A, p.B))(t)
		for name, doc := range map[string][]byte{p.Name + ".json": doc, p.Name + ".trust.json": seal.Canonical(p.Trust),
			p.Name + ".a.json": p.A, p.Name + ".b.json": p.B} {
			must.Do(t, os.WriteFile(filepath.Join(dir, name), doc, 0o644))
		}
	}
}
