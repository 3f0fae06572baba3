package harness

import (
	"errors"
	"time"

	"github.com/svc-edge/svc-verify/harness/cloud"
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
func (w *World) playIssuance(transactionID string) (*cloud.Transaction, error) {
	return w.Issue(orderOf(transactionID), w.Nodes[0], w.Nodes[2])
}

// playExport plays traffic, then an export that Berlin and Lisbon witness.
func (w *World) playExport(t *cloud.Transaction) error {
	if err := w.Traffic(after); err != nil {
		return err
	}
	return w.Export(t, w.Nodes[0], w.Nodes[1])
}

func playIssued(w *World, _ Options) error {
	t, err := w.playIssuance(first)
	if err != nil {
		return err
	}
	return w.playExport(t)
}

func playRevoked(w *World, _ Options) error {
	t, err := w.playIssuance(first)
	if err != nil {
		return err
	}
	if err := w.playExport(t); err != nil {
		return err
	}
	other, err := w.playIssuance("tx-2026-0002")
	if err != nil {
		return err
	}
	if err := w.Revoke(t, "keyCompromise"); err != nil {
		return err
	}
	if err := w.playExport(t); err != nil {
		return err
	}
	return w.playExport(other)
}

func playCapability(w *World, _ Options) error {
	gateway := orderOf(first)
	gateway.Profile = "edge-gateway"
	t, err := w.Request(gateway)
	if err != nil {
		return err
	}
	berlin, lisbon, oslo := w.Nodes[0], w.Nodes[1], w.Nodes[2]
	// Oslo relies on Berlin's observation, Lisbon also on Oslo's.
	err = errors.Join(
		w.Observe(t, berlin, "attested-boot"),
		w.Approve(t, oslo),
		w.Observe(t, oslo, "attested-boot"),
		w.Approve(t, lisbon),
		w.Decide(t, lisbon),
		w.Complete(t),
	)
	if err != nil {
		return err
	}
	return w.playExport(t)
}

// playRotatedKeys replaces every key in the middle. The first transaction is
// over by then, the second is revoked afterwards, the third was approved but
// not decided, and the fourth is all new.
func playRotatedKeys(w *World, _ Options) error {
	old, err := w.playIssuance(first)
	if err != nil {
		return err
	}
	revoked, err := w.playIssuance("tx-2026-0002")
	if err != nil {
		return err
	}
	across, err := w.Request(orderOf("tx-2026-0003"))
	if err != nil {
		return err
	}
	err = errors.Join(
		w.Approve(across, w.Nodes[0], w.Nodes[2]),
		w.playExport(old),
		w.RotateKeys(),
		w.Traffic(5),
		w.Revoke(revoked, "superseded"),
		w.Decide(across, w.Nodes[2]),
		w.Complete(across),
	)
	if err != nil {
		return err
	}
	recent, err := w.playIssuance("tx-2026-0004")
	if err != nil {
		return err
	}
	return errors.Join(w.playExport(revoked), w.playExport(across), w.playExport(recent))
}

func playLegacy(w *World, _ Options) error {
	t, err := w.playIssuance(first)
	if err != nil {
		return err
	}
	if err := w.Traffic(after); err != nil {
		return err
	}
	return w.Export(t)
}

// playDenied asks for a lifetime that the next policy no longer allows. Berlin
// answers before that policy is there, the others after.
func playDenied(w *World, _ Options) error {
	long := orderOf(first)
	long.Lifetime = 30 * 24 * time.Hour
	t, err := w.Request(long)
	if err != nil {
		return err
	}
	berlin, lisbon, oslo := w.Nodes[0], w.Nodes[1], w.Nodes[2]
	err = errors.Join(
		w.Approve(t, berlin),
		w.PublishPolicy(firstPolicy+1, lisbon, oslo),
		w.Approve(t, lisbon, oslo),
		w.Decide(t, berlin),
	)
	if err != nil {
		return err
	}
	if w.Complete(t) == nil || w.Export(t, berlin, lisbon) == nil {
		return errors.New("a denied transaction was issued")
	}
	if err := w.PublishPolicy(firstPolicy+2, w.Nodes...); err != nil {
		return err
	}
	if err := w.Traffic(after); err != nil {
		return err
	}
	return w.Witness(w.Nodes...)
}
