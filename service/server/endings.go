package server

import (
	"time"
)

// denyPending denies every transaction that is not decided.
func (is *issuances) denyPending(why denial) {
	for _, t := range is.transactions.inOrder() {
		if t.status() == statusPending {
			is.deny(t, why)
		}
	}
}

// expire denies the transactions that were undecided for too long.
func (is *issuances) expire(now time.Time) {
	for _, t := range is.transactions.inOrder() {
		if t.status() == statusPending && !now.Before(t.expiresAt) {
			is.deny(t, denial{"transaction_expired", "the transaction was not decided in time"})
		}
	}
}

// leave denies what a node took part in and is still open, now that it is
// disabled. Where it did not, the others may be too few.
func (is *issuances) leave(nodeID string) {
	for _, t := range is.transactions.inOrder() {
		switch {
		case t.tookPart(nodeID) && t.status() == statusPending:
			is.deny(t, denial{"node_disabled", "node " + nodeID + ", which took part, was disabled"})
		case t.rotation != nil:
			is.checkBinding(t)
		default:
			is.advance(t)
		}
	}
}

// checkBinding ends a rotation that is unbound, even after its certificate was
// issued, and reports whether it goes on.
func (is *issuances) checkBinding(t *transaction) bool {
	end := is.unbound(t)
	if end != nil {
		is.stop(t, *end)
	}
	return end == nil
}

// checkBindings checks the rotations of an integration that has changed.
func (is *issuances) checkBindings(i *integration) {
	for _, t := range is.transactions.inOrder() {
		if t.rotation != nil && t.rotation.IntegrationID == i.IntegrationID {
			is.checkBinding(t)
		}
	}
}

// stop ends a rotation on its way. A certificate that it has must not count as
// one in force.
func (is *issuances) stop(t *transaction, why denial) {
	if t.status() == statusPending {
		is.deny(t, why)
		return
	}
	t.denial = why
	is.discard(t)
	is.end(t, why)
}

// discard revokes the certificate of a rotation that never came into use.
func (is *issuances) discard(t *transaction) {
	if err := is.authority.revoke(t, "cessationOfOperation"); err != nil {
		is.config.Log.Error("the certificate of a rotation was not revoked", "transaction", t.id(), "error",
			err.Error())
	}
}

// revoke revokes the certificate of a transaction for a reason, once.
func (is *issuances) revoke(t *transaction, reason string) error {
	if t.Issued == nil {
		return conflict("no certificate was issued for transaction %s", t.id())
	}
	if t.Revoked() {
		if known := is.authority.reason(t.id()); known != reason {
			return conflict("the certificate was revoked for the reason %s", known)
		}
		return nil
	}
	if err := is.authority.revoke(t, reason); err != nil {
		return err
	}
	if is.transactions.open[t.id()] != nil && t.rotation != nil {
		is.end(t, t.denial)
	}
	return nil
}
