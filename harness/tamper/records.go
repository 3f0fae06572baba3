package tamper

import (
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// recordsPlays are for an attacker who holds the key of a log, and writes records into it
// that do not fit the other evidence.
var recordsPlays = map[string]play{
	"approval-after-issuance": func(h *hand) Damage {
		approval := h.recordedBody("approval.recorded", h.Scene.Exports[0].TransactionID)
		return again(h.ofTenant(), seal.Text(approval, "transaction_id"), "approval.recorded", seal.Member(approval, "data"))
	},
	"decision-after-issuance": func(h *hand) Damage {
		o := h.ofTenant()
		o.noteOf("tx-2027-0001", "issuance.completed", issuanceData("manifest"))
		return again(o, "tx-2027-0001", "decision.recorded", decisionData())
	},
	"near-decision-before-issuance": func(h *hand) Damage {
		o := h.ofTenant()
		o.noteOf("tx-2027-0001", "decision.recorded", decisionData())
		return again(o, "tx-2027-0001", "issuance.completed", issuanceData("manifest"))
	},
	"issued-without-transaction": func(h *hand) Damage {
		return again(h.ofTenant(), "", "issuance.completed", issuanceData("manifest"))
	},
	"revoked-without-transaction": func(h *hand) Damage {
		return again(h.ofTenant(), "", "certificate.revoked", revocationData())
	},
	"record-other-decision": func(h *hand) Damage {
		return recordDecision(h, "decision", "deny")
	},
	"record-other-domain": func(h *hand) Damage {
		return recordDecision(h, "trust_domain", "other")
	},
	"record-other-sequence": func(h *hand) Damage {
		data := h.witnessedHead()
		data["sequence"] = seal.Integer(data, "sequence") - 1
		return h.goesOn("checkpoint.witnessed", data)
	},
	"approval-again-at-node":       with((*hand).approvedAgain, false),
	"approval-again-in-log":        with((*hand).approvedAgain, true),
	"approval-of-two-transactions": func(h *hand) Damage { return h.approvedIn("tx-2027-0001", "tx-2027-0002") },
	"approval-of-nothing":          func(h *hand) Damage { return h.approvedIn("", "tx-2027-0001") },
	"near-approval-in-both":        func(h *hand) Damage { return h.approvedIn("tx-2027-0001", "tx-2027-0001") },
}

// headsPlays are for them too: events that belong into another log, and heads that the
// tenant log never had, or not then.
var headsPlays = map[string]play{
	"tenant-event-in-journal": func(h *hand) Damage {
		return h.goesOn("issuance.paused", seal.Object{})
	},
	"node-event-in-tenant-log": func(h *hand) Damage {
		return again(h.ofTenant(), "", "policy.synced", seal.Object{})
	},
	"witness-other-history": func(h *hand) Damage {
		o, data := h.ofTenant(), h.headAt(0)
		o.noteEvent("integration.changed", seal.Object{})
		data["sequence"], data["head_hash"] = int64(o.Log.Sequence()), seal.SHA256([]byte("another head"))
		return h.goesOn("checkpoint.witnessed", data)
	},
	"two-witness-other-history": func(h *hand) Damage {
		o, data := h.ofTenant(), h.headAt(0)
		o.noteEvent("integration.changed", seal.Object{})
		d := o.newestDamage(1)
		data["sequence"], data["head_hash"] = int64(o.Log.Sequence()), seal.SHA256([]byte("another head"))
		h.goesOn("checkpoint.witnessed", data)
		h.node = "mesh-oslo-1"
		h.goesOn("checkpoint.witnessed", data)
		return d
	},
	"witness-older-head": func(h *hand) Damage {
		return h.goesOn("checkpoint.witnessed", h.headAt(uint64(seal.Integer(h.witnessedHead(), "sequence"))-1))
	},
	"near-witness-again": func(h *hand) Damage {
		o := h.ofNode(h.lastSequence())
		o.noteEvent("checkpoint.witnessed", h.witnessedHead())
		o.noteEvent("checkpoint.witnessed", h.headAt(0))
		return o.newestDamage(2)
	},
}

// decisionData is the data of an event about a decision that is nowhere.
func decisionData() seal.Object {
	return seal.Object{"trust_domain": "service", "decision": "allow",
		"decision_sha256": seal.SHA256([]byte("decision"))}
}

// goesOn has the node write one more event.
func (h *hand) goesOn(eventType string, data seal.Object) Damage {
	o := h.ofNode(h.lastSequence())
	o.noteEvent(eventType, data)
	return o.newestDamage(1)
}

// recordDecision records a decision of the first bundle, with one member altered, and under no
// transaction, since a late record is another matter.
func recordDecision(h *hand, member, value string) Damage {
	recorded := h.recordedBody("decision.recorded", h.Scene.Exports[0].TransactionID)
	data := seal.CloneObject(seal.Member(recorded, "data"))
	if value == "other" {
		value = map[string]string{"customer": "service", "service": "customer"}[seal.Text(data, member)]
	}
	data[member] = value
	return again(h.ofTenant(), "", "decision.recorded", data)
}

// approvedAgain records an approval of the first bundle again, in the tenant log or in the
// journal of its node.
func (h *hand) approvedAgain(inLog bool) Damage {
	envelope := seal.List(h.Scene.Exports[0].Bundle, "approvals")[0].(seal.Object)
	approval := seal.Member(envelope, "statement")
	h.node = seal.Text(approval, "node_id")
	o, eventType := h.ofNode(h.lastSequence()), "approval.signed"
	data := seal.Object{"approval_sha256": seal.Digest(approval), "decision": "allow"}
	if inLog {
		o, eventType = h.ofTenant(), "approval.recorded"
		data = seal.Object{"approval_sha256": seal.Digest(approval), "node_id": h.node}
	}
	o.noteOf("tx-2027-0001", eventType, data)
	return o.newestDamage(1)
}

// approvedIn has both logs record an approval that is nowhere, each of a transaction, or
// of none where the journal records nothing. An hour later the node reports a head.
func (h *hand) approvedIn(journal, log string) Damage {
	o, c, digest := h.ofNode(h.lastSequence()), h.ofTenant(), seal.SHA256([]byte("approval"))
	o.Now = c.Now
	if journal != "" {
		o.noteOf(journal, "approval.signed", seal.Object{"approval_sha256": digest, "decision": "allow"})
	}
	c.noteOf(log, "approval.recorded", seal.Object{"approval_sha256": digest, "node_id": h.node})
	d := c.newestDamage(1)
	o.Now = o.Now.Add(time.Hour)
	o.noteEvent("export.configured", seal.Object{})
	link := o.Log.Link(o.Log.Sequence())
	c.Now = o.Now
	c.noteEvent("node.reported", seal.Object{"node_id": h.node, "audit_sequence": int64(link.Sequence),
		"audit_head": link.Hash().String(), "previous_hash": link.Previous.String(), "skip_hash": link.Skip.String(),
		"body_sha256": link.Body.String(), "key_id": o.Head["key_id"], "signature": o.Head["signature"]})
	c.addCheckpoint()
	return d
}
