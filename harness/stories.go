package harness

import (
	"time"

	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// Rounds of traffic that put an issuance at a sequence of 20 to 60, and its checkpoint far
// enough on that a path uses skip links.
const (
	before = 7
	after  = 13
)

// playOpening comes before every story: some traffic, and a checkpoint that every node has
// witnessed.
func (w *World) playOpening() error {
	if err := w.Traffic(before); err != nil {
		return err
	}
	if w.settings.RequiredWitnesses == 0 {
		return nil
	}
	return w.Witness(w.Nodes...)
}

// playIssuance plays an issuance that Berlin and Oslo approve.
func (w *World) playIssuance(transactionID string) *cloud.Transaction {
	return seal.Must(w.Issue(orderOf(transactionID), w.Nodes[0], w.Nodes[2]))
}

// playExport plays traffic, then an export that Berlin and Lisbon witness.
func (w *World) playExport(t *cloud.Transaction) {
	seal.Do(w.Traffic(after), w.Export(t, w.Nodes[0], w.Nodes[1]))
}

func playIssued(w *World, _ Options) { w.playExport(w.playIssuance(first)) }

func playRevoked(w *World, _ Options) {
	t := w.playIssuance(first)
	w.playExport(t)
	other := w.playIssuance("tx-2026-0002")
	seal.Do(w.Revoke(t, "keyCompromise"))
	w.playExport(t)
	w.playExport(other)
}

func playCapability(w *World, _ Options) {
	gateway := orderOf(first)
	gateway.Profile = "edge-gateway"
	t := seal.Must(w.Request(gateway))
	berlin, lisbon, oslo := w.Nodes[0], w.Nodes[1], w.Nodes[2]
	// Oslo relies on Berlin's observation, Lisbon also on Oslo's.
	seal.Do(
		w.Observe(t, berlin, "attested-boot"),
		w.Approve(t, oslo),
		w.Observe(t, oslo, "attested-boot"),
		w.Approve(t, lisbon),
		w.Decide(t, lisbon),
		w.Complete(t),
	)
	w.playExport(t)
}

// playRotatedKeys replaces every key in the middle. The first transaction is
// over by then, the second is revoked afterwards, the third was approved but
// not decided, and the fourth is all new.
func playRotatedKeys(w *World, _ Options) {
	old := w.playIssuance(first)
	revoked := w.playIssuance("tx-2026-0002")
	across := seal.Must(w.Request(orderOf("tx-2026-0003")))
	seal.Do(w.Approve(across, w.Nodes[0], w.Nodes[2]))
	w.playExport(old)
	w.RotateKeys()
	seal.Do(
		w.Traffic(5),
		w.Revoke(revoked, "superseded"),
		w.Decide(across, w.Nodes[2]),
		w.Complete(across),
	)
	recent := w.playIssuance("tx-2026-0004")
	for _, t := range []*cloud.Transaction{revoked, across, recent} {
		w.playExport(t)
	}
}

func playLegacy(w *World, _ Options) {
	t := w.playIssuance(first)
	seal.Do(w.Traffic(after), w.Export(t))
}

// playDenied asks for a lifetime that the next policy no longer allows. Berlin
// answers before that policy is there, the others after.
func playDenied(w *World, _ Options) {
	long := orderOf(first)
	long.Lifetime = 30 * 24 * time.Hour
	t := seal.Must(w.Request(long))
	berlin, lisbon, oslo := w.Nodes[0], w.Nodes[1], w.Nodes[2]
	seal.Do(
		w.Approve(t, berlin),
		w.PublishPolicy(firstPolicy+1, lisbon, oslo),
		w.Approve(t, lisbon, oslo),
		w.Decide(t, berlin),
	)
	if w.Complete(t) == nil || w.Export(t, berlin, lisbon) == nil {
		panic("a denied transaction was issued")
	}
	seal.Do(w.PublishPolicy(firstPolicy+2, w.Nodes...), w.Traffic(after), w.Witness(w.Nodes...))
}
