package tamper

import (
	"github.com/svc-edge/svc-verify/harness/seal"
)

// recordScripts are for whoever holds the key of a log, and writes into it what
// does not go together with what else is there.
func recordScripts() []Script {
	decided := seal.Object{"trust_domain": "service", "decision": "allow",
		"decision_sha256": seal.SHA256([]byte("decision"))}
	issued := issuance("manifest")
	return []Script{
		{"approval-after-issuance", "an approval is recorded again, after its issuance", func(h *hand) Damage {
			approval := h.recorded("approval.recorded", h.Scene.Exports[0].TransactionID)
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
			return again(h.ofTenant(), "", "certificate.revoked", revocation())
		}},
		{"record-other-decision", "a decision to allow is recorded as one to deny", func(h *hand) Damage {
			return recordDecision(h, "decision", "deny")
		}},
		{"record-other-domain", "a decision of one trust domain is recorded as one of the other", func(h *hand) Damage {
			return recordDecision(h, "trust_domain", "other")
		}},
		{"record-other-sequence", "a node records that it witnessed a checkpoint under another sequence",
			func(h *hand) Damage {
				data := h.witnessed()
				data["sequence"] = seal.Integer(data, "sequence") - 1
				return h.goesOn("checkpoint.witnessed", data)
			}},
		{"tenant-event-in-journal", "a node records a pause of issuance in its journal", func(h *hand) Damage {
			return h.goesOn("issuance.paused", seal.Object{})
		}},
		{"node-event-in-tenant-log", "the cloud records that a node synchronised its policy", func(h *hand) Damage {
			return again(h.ofTenant(), "", "policy.synced", seal.Object{})
		}},
		{"witness-other-history", "a node records that it witnessed another head of the tenant log", func(h *hand) Damage {
			o, data := h.ofTenant(), h.headAt(0)
			o.note("integration.changed", seal.Object{})
			data["sequence"], data["head_hash"] = int64(o.Log.Sequence()), seal.SHA256([]byte("another head"))
			return h.goesOn("checkpoint.witnessed", data)
		}},
		{"witness-older-head", "a node records that it witnessed less than before", func(h *hand) Damage {
			return h.goesOn("checkpoint.witnessed", h.headAt(uint64(seal.Integer(h.witnessed(), "sequence"))-1))
		}},
		{"near-witness-again", "a node records again what it witnessed last, and then the newest head", func(h *hand) Damage {
			o := h.ofNode(h.last())
			o.note("checkpoint.witnessed", h.witnessed())
			o.note("checkpoint.witnessed", h.headAt(0))
			return o.damage(2)
		}},
	}
}

// goesOn has the node write one more event.
func (h *hand) goesOn(eventType string, data seal.Object) Damage {
	o := h.ofNode(h.last())
	o.note(eventType, data)
	return o.damage(1)
}

// recordDecision records a decision of the first bundle, other than it is, under
// no transaction: what is recorded late is another matter.
func recordDecision(h *hand, member, value string) Damage {
	recorded := h.recorded("decision.recorded", h.Scene.Exports[0].TransactionID)
	data := seal.CloneObject(seal.Member(recorded, "data"))
	if value == "other" {
		value = map[string]string{"customer": "service", "service": "customer"}[seal.Text(data, member)]
	}
	data[member] = value
	return again(h.ofTenant(), "", "decision.recorded", data)
}
