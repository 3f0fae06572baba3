package main

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// records are the records of two logs about Lisbon's approval: its transaction in each. With
// nothing, the tenant log records an approval of Lisbon that is no document as well.
type records struct {
	journal, log string
	nothing      bool
}

const otherTransaction = "tx-2026-0009"

// play issues a certificate that Berlin and Lisbon approve, and lets the nodes report half
// an hour before and after. It returns the bundle.
func (r records) play(t *testing.T, w *harness.World) seal.Object {
	t.Helper()
	berlin, lisbon, oslo := w.Nodes[0], w.Nodes[1], w.Nodes[2]
	later := func(version int64) {
		w.Clock.Pass(30 * time.Minute)
		must.Do(t, w.PublishPolicy(version, w.Nodes...))
		must.Do(t, w.Report(w.Nodes...))
	}
	later(8)
	x := must.Get(w.Request(stolenOrder))(t)
	must.Do(t, w.Approve(x, berlin))
	approval := approvalBy(w, lisbon, x)
	digest := seal.StatementDigest(approval)
	lisbon.Note("approval.signed", r.journal, seal.Object{"approval_sha256": digest, "decision": "allow"})
	w.Cloud.NoteOf(r.log, "approval.recorded", seal.Object{"node_id": lisbon.ID(), "approval_sha256": digest})
	x.Case.Approvals = append(x.Case.Approvals, approval)
	if r.nothing {
		w.Cloud.NoteOf(otherTransaction, "approval.recorded", seal.Object{"node_id": lisbon.ID(),
			"approval_sha256": seal.SHA256([]byte("nothing"))})
	}
	must.Do(t, w.Decide(x, berlin))
	must.Do(t, w.Complete(x))
	must.Do(t, w.Witness(berlin, oslo))
	bundle := must.Get(w.Cloud.Export(x))(t)
	later(9)
	return bundle
}

// write plays and writes the evidence, and returns the paths of the logs.
func (r records) write(t *testing.T, dir string) []string {
	t.Helper()
	var tenant bytes.Buffer
	w := must.Get(harness.NewWorld(1, harness.ThreeNodes(), lineTo(&tenant)))(t)
	bundle := r.play(t, w)
	paths := []string{must.WriteFile(t, filepath.Join(dir, "tenant.ndjson"), tenant.Bytes())}
	for _, n := range w.Nodes {
		paths = append(paths, must.WriteFile(t, filepath.Join(dir, n.ID()+".ndjson"), journalOf(n)))
	}
	must.WriteFiles(t, dir, map[string][]byte{"trust.json": seal.Canonical(w.Trust()),
		"bundle.json": seal.Canonical(bundle)})
	return paths
}

// text is the verdict, and each code that counts, with its log.
func (b blamed) text() string {
	all := []string{b.Verdict}
	for _, f := range b.Findings {
		if strings.HasPrefix(f.Code, "record.") || strings.HasPrefix(f.Code, "approval.") {
			all = append(all, f.Code+" "+f.LogID)
		}
	}
	return strings.Join(all, ", ")
}

// TestWhoIsBlamed: a document counts before a record of it, and only the log is rejected
// that contradicts it. Without it the records are open, under the keys of both.
func TestWhoIsBlamed(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	const (
		lisbon, tenant = "node/mesh-lisbon-1", "tenant/acme-corp"
		both           = "inconclusive, record.disputed " + lisbon + ", record.disputed " + tenant
	)
	genuine := stolenOrder.TransactionID
	for name, tt := range sampled(map[string]struct {
		records
		with, without string
		rejected      []string // the logs that are rejected in addition to the document
	}{
		"the node lies": {records{otherTransaction, genuine, false}, "rejected, record.contradicts " + lisbon, both,
			[]string{lisbon}},
		"the audit key lies": {records{genuine, otherTransaction, false}, "rejected, record.contradicts " + tenant, both,
			[]string{tenant}},
		"both lie, and agree": {records{otherTransaction, otherTransaction, false},
			"rejected, record.contradicts " + lisbon + ", record.contradicts " + tenant, "verified", []string{lisbon, tenant}},
		"the audit key records no document": {records{genuine, genuine, true}, both, both, nil},
		"the node names no transaction":     {records{"", genuine, false}, "verified", "verified", nil},
		"nobody lies":                       {records{genuine, genuine, false}, "verified", "verified", nil},
	}, 2) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			logs := tt.write(t, dir)
			with := askAll[blamed](ends{t, dir}, nil, append(logs, filepath.Join(dir, "bundle.json")))
			check.Equal(t, with.text(), tt.with, "with the bundle")
			for _, l := range with.Logs {
				check.That(t, slices.Contains(tt.rejected, l.LogID) == (l.Verdict == "rejected"),
					"%s is %s", l.LogID, l.Verdict)
			}
			without := askAll[blamed](ends{t, dir}, nil, logs)
			check.Equal(t, without.text(), tt.without, "without it")
			for _, f := range append(with.Findings, without.Findings...) {
				said := f.Expected + f.Found
				check.That(t, f.Code != "record.disputed" || strings.Contains(said, "key mesh-lisbon-1") &&
					strings.Contains(said, "key audit-2026-1"), "a key is not named: %s", said)
			}
			for _, c := range append(with.Causes, without.Causes...) {
				check.That(t, c.Code != "cause.stolen-node-key" &&
					(c.Code != "cause.audit-key-misused" || slices.Contains(tt.rejected, tenant)), "%s", c.Code)
			}
		})
	}
}
