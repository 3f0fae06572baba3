package tamper

import (
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// recordScripts are for an attacker who holds the key of a log, and writes records into it
// that do not fit the other evidence.
func recordScripts() []Script {
	decided := seal.Object{"trust_domain": "service", "decision": "allow",
		"decision_sha256": seal.SHA256([]byte("decision"))}
	issued := issuanceData("manifest")
	return []Script{
		{"approval-after-issuance", "an approval is recorded again, after its issuance", func(h *hand) Damage {
			approval := h.recordedBody("approval.recorded", h.Scene.Exports[0].TransactionID)
			return again(h.ofTenant(), seal.Text(approval, "transaction_id"), "approval.recorded", seal.Member(approval, "data"))
		}},
		{"decision-after-issuance", "a decision is recorded after its issuance", func(h *hand) Damage {
			o := h.ofTenant()
			o.noteOf("tx-2027-0001", "issuance.completed", issued)
			return again(o, "tx-2027-0001", "decision.recorded", decided)
		}},
		{"near-decision-before-issuance", "a decision is recorded before its issuance", func(h *hand) Damage {
			o := h.ofTenant()
			o.noteOf("tx-2027-0001", "decision.recorded", decided)
			return again(o, "tx-2027-0001", "issuance.completed", issued)
		}},
		{"issued-without-transaction", "an issuance is recorded that is of no transaction", func(h *hand) Damage {
			return again(h.ofTenant(), "", "issuance.completed", issued)
		}},
		{"revoked-without-transaction", "a revocation is recorded that is of no transaction", func(h *hand) Damage {
			return again(h.ofTenant(), "", "certificate.revoked", revocationData())
		}},
		{"record-other-decision", "a decision to allow is recorded as one to deny", func(h *hand) Damage {
			return recordDecision(h, "decision", "deny")
		}},
		{"record-other-domain", "a decision of one trust domain is recorded as one of the other", func(h *hand) Damage {
			return recordDecision(h, "trust_domain", "other")
		}},
		{"record-other-sequence", "a node records that it witnessed a checkpoint under another sequence",
			func(h *hand) Damage {
				data := h.witnessedHead()
				data["sequence"] = seal.Integer(data, "sequence") - 1
				return h.goesOn("checkpoint.witnessed", data)
			}},
		{"approval-again-at-node", "a node records an approval of its own again, as one of another transaction",
			with((*hand).approvedAgain, false)},
		{"approval-again-in-log", "the cloud records an approval again, as one of another transaction",
			with((*hand).approvedAgain, true)},
		{"approval-of-two-transactions", "a node and the cloud record one approval, each as one of another transaction",
			func(h *hand) Damage { return h.approvedIn("tx-2027-0001", "tx-2027-0002") }},
		{"approval-of-nothing", "the cloud records an approval by a node that never was",
			func(h *hand) Damage { return h.approvedIn("", "tx-2027-0001") }},
		{"near-approval-in-both", "a node and the cloud record one approval, whose document is nowhere",
			func(h *hand) Damage { return h.approvedIn("tx-2027-0001", "tx-2027-0001") }},
	}
}

// headScripts are for them too: events that belong into another log, and heads that the
// tenant log never had, or not then.
func headScripts() []Script {
	return []Script{
		{"tenant-event-in-journal", "a node records a pause of issuance in its journal", func(h *hand) Damage {
			return h.goesOn("issuance.paused", seal.Object{})
		}},
		{"node-event-in-tenant-log", "the cloud records that a node synchronised its policy", func(h *hand) Damage {
			return again(h.ofTenant(), "", "policy.synced", seal.Object{})
		}},
		{"witness-other-history", "a node records that it witnessed another head of the tenant log", func(h *hand) Damage {
			o, data := h.ofTenant(), h.headAt(0)
			o.noteEvent("integration.changed", seal.Object{})
			data["sequence"], data["head_hash"] = int64(o.Log.Sequence()), seal.SHA256([]byte("another head"))
			return h.goesOn("checkpoint.witnessed", data)
		}},
		{"two-witness-other-history", "two nodes record that they witnessed one other head of the tenant log",
			func(h *hand) Damage {
				o, data := h.ofTenant(), h.headAt(0)
				o.noteEvent("integration.changed", seal.Object{})
				d := o.newestDamage(1)
				data["sequence"], data["head_hash"] = int64(o.Log.Sequence()), seal.SHA256([]byte("another head"))
				h.goesOn("checkpoint.witnessed", data)
				h.node = "mesh-oslo-1"
				h.goesOn("checkpoint.witnessed", data)
				return d
			}},
		{"witness-older-head", "a node records that it witnessed less than before", func(h *hand) Damage {
			return h.goesOn("checkpoint.witnessed", h.headAt(uint64(seal.Integer(h.witnessedHead(), "sequence"))-1))
		}},
		{"near-witness-again", "a node records again what it witnessed last, and then the newest head", func(h *hand) Damage {
			o := h.ofNode(h.lastSequence())
			o.noteEvent("checkpoint.witnessed", h.witnessedHead())
			o.noteEvent("checkpoint.witnessed", h.headAt(0))
			return o.newestDamage(2)
		}},
	}
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
