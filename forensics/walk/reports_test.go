package walk_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
)

// TestReportsOutOfOrder: the order in which a node reported its events is not
// judged, what it reported is (SPEC 4.4). Such reports come of a node that was
// restored from a backup.
func TestReportsOutOfOrder(t *testing.T) {
	report := func(w *world, event walktest.Copy) {
		w.Append(tenantLog, "node.reported", walktest.ReportOf(event.Object, "berlin"))
	}
	for _, tt := range []testCase{
		{"an older event", func(w *world) { report(w, w.Copies[berlin][5]) }, nil},
		{"the first event", func(w *world) { report(w, w.Copies[berlin][0]) }, nil},
		{"an event that was reported", func(w *world) { report(w, w.Copies[berlin][29]) }, nil},
		{"an older event of another history", func(w *world) { report(w, w.Rewrite(berlin, 5, 1, forge.AlterSalt)[0]) },
			[]string{inBerlin + "anchor.mismatch 6-6"}},
		{"a reported event in another history", func(w *world) { report(w, w.Rewrite(berlin, 29, 1, forge.AlterSalt)[0]) },
			[]string{inBerlin + "anchor.split-view 30-30"}},
		{"an older event, and a history of its own from there", func(w *world) {
			restored := w.Rewrite(berlin, 30, 2, forge.AlterSalt)
			report(w, w.Copies[berlin][29])
			report(w, restored[1])
			w.Copies[berlin] = append(w.Copies[berlin], restored...)
		}, []string{inBerlin + "chain.fork 31-32"}},
	} {
		w := plain(t)
		tt.damage(w)
		for _, split := range []int{1, 5, 1000} {
			r, _ := walkWith(t, w.Reader(), w.Root, 2, split)
			d := cmp.Diff(tt.want, walktest.Said(r.Findings))
			check.That(t, d == "", "%s, sections of %d (-want +got):\n%s", tt.name, split, d)
		}
	}
}

// TestStatementsOfOneHead: two statements of one head contradict nothing, however
// else they differ (SPEC 6.3); of two heads they do.
func TestStatementsOfOneHead(t *testing.T) {
	restate := func(w *world, change func(seal.Object)) {
		checkpoint := w.CheckpointOf(24, w.Spines[tenantLog].Hash(24), w.Keys["audit-1"])
		statement := seal.CloneObject(seal.Member(checkpoint, "statement"))
		change(statement)
		w.Docs = append(w.Docs, seal.Seal(statement, w.Keys["audit-1"]))
	}
	for _, tt := range []testCase{
		{"later", func(w *world) { restate(w, func(o seal.Object) { o["created_at"] = "2026-03-02T18:00:00.000Z" }) }, nil},
		{"with more witnesses", func(w *world) { restate(w, func(o seal.Object) { o["required_witnesses"] = int64(2) }) },
			nil},
		{"of the legacy protocol", func(w *world) {
			restate(w, func(o seal.Object) {
				o["protocol"] = "svc.audit-checkpoint.v0"
				delete(o, "required_witnesses")
			})
		}, nil},
		{"of another head", func(w *world) { restate(w, func(o seal.Object) { o["head_hash"] = seal.Hash{1}.String() }) },
			[]string{inTenant + "anchor.split-view 24-24"}},
	} {
		w := plain(t)
		tt.damage(w)
		r, _ := walkWith(t, w.Reader(), w.Root, 2, 5)
		d := cmp.Diff(tt.want, walktest.Said(r.Findings))
		check.That(t, d == "", "%s (-want +got):\n%s", tt.name, d)
	}
}
