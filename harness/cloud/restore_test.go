package cloud_test

import (
	"iter"
	"testing"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// read makes a document of its canonical form, as a store does.
func read(t *testing.T, o seal.Object) seal.Object {
	t.Helper()
	return must.Get(seal.Parse(seal.Canonical(o)))(t)
}

func stored(t *testing.T, events []seal.Object) iter.Seq2[seal.Object, error] {
	return func(yield func(seal.Object, error) bool) {
		for _, event := range events {
			if !yield(read(t, event), nil) {
				return
			}
		}
	}
}

// successor is a cloud with the keys of another one and nothing else.
func successor(w *harness.World, roster *consent.Roster, keep func(seal.Object)) *cloud.Cloud {
	return cloud.New(cloud.Config{
		Roster: roster, Clock: w.Clock, Salts: chance.New(2).Stream("salts"), Key: w.Keys.Audit["audit-2026-1"],
		RequiredWitnesses: 2, Keep: keep,
	})
}

func rosterOf(w *harness.World) *consent.Roster {
	roster := consent.NewRoster(harness.Tenant)
	for id, key := range w.Keys.Audit {
		roster.Audit[id] = key.Public()
	}
	for id, key := range w.Keys.Signer {
		roster.Signers[id] = key.Public()
	}
	for id, key := range w.Keys.Node {
		roster.Nodes[id] = key.Public()
	}
	return roster
}

// A restored cloud gives the same answers as the first one would have.
func TestRestore(t *testing.T) {
	w, events := world(t)
	a, b := issued(t, w, "a"), issued(t, w, "b")
	must.Do(t, w.Revoke(b, "superseded"))
	must.Do(t, w.Report(w.Nodes...))
	must.Do(t, w.Witness(w.Nodes[0], w.Nodes[1]))
	next := successor(w, rosterOf(w), func(seal.Object) {})
	must.Do(t, next.Restore(stored(t, *events), read(t, w.Cloud.Document()), w.Cloud.Policy()))
	check.That(t, next.Sequence() == w.Cloud.Sequence() && next.Head() == w.Cloud.Head(),
		"head %d %s, not %d %s", next.Sequence(), next.Head(), w.Cloud.Sequence(), w.Cloud.Head())
	for _, tx := range []*cloud.Transaction{a, b} {
		restored := must.Get(cloud.RestoreTransaction(read(t, tx.Document())))(t)
		want := must.Get(w.Cloud.Export(tx))(t)
		got, err := next.Export(restored)
		check.That(t, err == nil && seal.Digest(got) == seal.Digest(want) && restored.Revoked() == tx.Revoked(),
			"%s: another bundle, %v", tx.Case.TransactionID, err)
	}
	early := w.Cloud.Reported(w.Nodes[0].ID())
	w.Nodes[0].Observe("payments-api", "attested-boot")
	late := must.Get(w.Nodes[0].Report())(t)
	check.OK(t, next.Report(late), "the next report")
	check.That(t, next.Report(early) != nil, "an earlier report was taken")
}

func TestRestoreRefuses(t *testing.T) {
	w, events := world(t)
	issued(t, w, "a")
	w.Cloud.Checkpoint()
	document := w.Cloud.Document()
	changed := read(t, (*events)[2])
	seal.Member(changed, "body")["type"] = "other"
	for name, list := range map[string][]seal.Object{
		"an event that is missing": append(append([]seal.Object{}, (*events)[:2]...), (*events)[3:]...),
		"an event that is changed": append(append(append([]seal.Object{}, (*events)[:2]...), changed), (*events)[3:]...),
		"a log that ends early":    (*events)[:len(*events)-1],
	} {
		check.That(t, successor(w, rosterOf(w), func(seal.Object) {}).Restore(stored(t, list), document, nil) != nil,
			"%s: restored", name)
	}
}

// A transaction that was forgotten and remembered continues; and a head is never taken back.
func TestForget(t *testing.T) {
	w, _ := world(t)
	tx := must.Get(w.Request(order("tx")))(t)
	w.Cloud.Forget("tx")
	check.That(t, check.Err(w.Cloud.Transaction("tx")) != nil, "it was not forgotten")
	w.Cloud.Remember(tx)
	got, err := w.Cloud.Transaction("tx")
	check.That(t, err == nil && got == tx, "%v, %v", got, err)
	report := must.Get(w.Nodes[0].Report())(t)
	must.Do(t, w.Cloud.Report(report))
	check.OK(t, w.Cloud.CheckReport(report), "the same head again")
	fork := harnessFork(w)
	check.That(t, w.Cloud.CheckReport(fork) != nil, "another head of the same sequence was taken")
}

// harnessFork is a report of another journal of the same length, by the node's
// own key.
func harnessFork(w *harness.World) seal.Object {
	n := w.Nodes[0]
	log := seal.NewLog(harness.Tenant, "node/"+n.ID())
	var last seal.Object
	for range n.Journal() {
		last = log.Append(seal.Entry{Type: "other", OccurredAt: w.Clock.Next(), Data: seal.Object{}}, n.Key())
	}
	link := log.Link(log.Sequence())
	return seal.Object{
		"node_id": n.ID(), "audit_sequence": int64(link.Sequence), "audit_head": link.Hash().String(),
		"previous_hash": link.Previous.String(), "skip_hash": link.Skip.String(), "body_sha256": link.Body.String(),
		"key_id": n.Key().ID, "signature": last["signature"],
	}
}
