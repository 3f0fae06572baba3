package walk_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// TestReportsOutOfOrder: the order in which a node reported its events is not
// judged, what it reported is (SPEC 4.4). Such reports come of a node that was
// restored from a backup.
func TestReportsOutOfOrder(t *testing.T) {
	report := func(w *walktest.World, event walktest.Copy) {
		w.Append(walktest.TenantLog, "node.reported", walktest.ReportOf(event.Object, "berlin"))
	}
	for _, tt := range []testCase{
		{"an older event", func(w *walktest.World) { report(w, w.Copies[walktest.Berlin][5]) }, nil},
		{"the first event", func(w *walktest.World) { report(w, w.Copies[walktest.Berlin][0]) }, nil},
		{"an event that was reported", func(w *walktest.World) { report(w, w.Copies[walktest.Berlin][29]) }, nil},
		{"an older event of another history", func(w *walktest.World) {
			report(w, w.Rewrite(walktest.Berlin, 5, 1, forge.AlterSalt)[0])
		}, []string{inBerlin + "anchor.mismatch 6-6"}},
		{"a reported event in another history", func(w *walktest.World) {
			report(w, w.Rewrite(walktest.Berlin, 29, 1, forge.AlterSalt)[0])
		}, []string{inBerlin + "anchor.split-view 30-30"}},
		{"an older event, and a history of its own from there", func(w *walktest.World) {
			restored := w.Rewrite(walktest.Berlin, 30, 2, forge.AlterSalt)
			report(w, w.Copies[walktest.Berlin][29])
			report(w, restored[1])
			w.Copies[walktest.Berlin] = append(w.Copies[walktest.Berlin], restored...)
		}, []string{inBerlin + "chain.fork 31-32"}},
	} {
		w := plain(t)
		tt.damage(w)
		for _, split := range []int{1, 5, 1000} {
			r, _ := walkWith(t, w.Reader(), w.Root, 2, split)
			if d := cmp.Diff(tt.want, walktest.Said(r.Findings)); d != "" {
				t.Errorf("%s, sections of %d (-want +got):\n%s", tt.name, split, d)
			}
		}
	}
}

// TestStatementsOfOneHead: two statements of one head contradict nothing, however
// else they differ (SPEC 6.3); of two heads they do.
func TestStatementsOfOneHead(t *testing.T) {
	restate := func(w *walktest.World, change func(seal.Object)) {
		checkpoint := w.CheckpointOf(24, w.Spines[walktest.TenantLog].Hash(24), w.Keys["audit-1"])
		statement := seal.CloneObject(seal.Member(checkpoint, "statement"))
		change(statement)
		w.Docs = append(w.Docs, seal.Seal(statement, w.Keys["audit-1"]))
	}
	for _, tt := range []testCase{
		{"later", func(w *walktest.World) {
			restate(w, func(o seal.Object) { o["created_at"] = "2026-03-02T18:00:00.000Z" })
		}, nil},
		{"with more witnesses", func(w *walktest.World) {
			restate(w, func(o seal.Object) { o["required_witnesses"] = int64(2) })
		}, nil},
		{"of the legacy protocol", func(w *walktest.World) {
			restate(w, func(o seal.Object) {
				o["protocol"] = "svc.audit-checkpoint.v0"
				delete(o, "required_witnesses")
			})
		}, nil},
		{"of another head", func(w *walktest.World) {
			restate(w, func(o seal.Object) { o["head_hash"] = seal.Hash{1}.String() })
		}, []string{inTenant + "anchor.split-view 24-24"}},
	} {
		w := plain(t)
		tt.damage(w)
		r, _ := walkWith(t, w.Reader(), w.Root, 2, 5)
		if d := cmp.Diff(tt.want, walktest.Said(r.Findings)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
}
