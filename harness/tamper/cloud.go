package tamper

import (
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// cloudScripts need the audit key: the cloud itself is the attacker.
func cloudScripts() []Script {
	return []Script{
		{"report-altered-head", "the cloud logs a report whose head is not the head of the link", func(h *hand) Damage {
			return reportAgain(h, func(data seal.Object) { data["audit_head"] = seal.SHA256([]byte("another head")) })
		}},
		{"report-altered-signature", "the cloud logs a report that the node did not sign", func(h *hand) Damage {
			return reportAgain(h, forge.AlterSignature)
		}},
		{"report-unknown-key", "the cloud logs a report under an unknown key", func(h *hand) Damage {
			return reportAgain(h, func(data seal.Object) { data["key_id"] = h.node + "/9" })
		}},
		{"report-other-node", "the cloud logs a report under another node's key", func(h *hand) Damage {
			return reportAgain(h, func(data seal.Object) { data["key_id"] = h.otherNode() })
		}},
		{"near-report", "the cloud logs the newest report again", func(h *hand) Damage {
			return reportAgain(h, func(seal.Object) {})
		}},
		{"issued-twice", "a second certificate is issued for a transaction", func(h *hand) Damage {
			first := h.recordedBody("issuance.completed", "")
			return again(h.ofTenant(), seal.Text(first, "transaction_id"), "issuance.completed", issuanceData("second"))
		}},
		{"near-issued", "a certificate is issued for another transaction", func(h *hand) Damage {
			return again(h.ofTenant(), "tx-2027-0001", "issuance.completed", issuanceData("second"))
		}},
		{"revoked-twice", "a certificate is revoked a second time", func(h *hand) Damage {
			first := h.recordedBody("certificate.revoked", "")
			return again(h.ofTenant(), seal.Text(first, "transaction_id"), "certificate.revoked", revocationData())
		}},
		{"near-revoked", "another certificate is revoked", func(h *hand) Damage {
			return again(h.ofTenant(), "tx-2027-0001", "certificate.revoked", revocationData())
		}},
		{"issued-while-paused", "a certificate is issued although issuance is paused", issuedWhilePaused},
		{"near-issued-after-pause", "a certificate is issued once a pause was ended", issuedAfterPause},
		{"resumed-without-request", "a pause ends that no operator asked to end", resumedWithoutRequest},
	}
}

// reportAgain has the cloud log the node's newest report again, changed, and sign a
// checkpoint of it.
func reportAgain(h *hand, change func(data seal.Object)) Damage {
	o := h.ofTenant()
	reports := h.nodeReports()
	data := seal.CloneObject(reports[len(reports)-1])
	change(data)
	o.noteEvent("node.reported", data)
	o.addCheckpoint()
	return o.newestDamage(1)
}

// again logs an event of a transaction, and signs a checkpoint of it.
func again(o *owner, transactionID, eventType string, data seal.Object) Damage {
	o.noteOf(transactionID, eventType, data)
	o.addCheckpoint()
	return o.newestDamage(1)
}

// issuanceData and revocation are data of events about manifests that are nowhere.
func issuanceData(manifest string) seal.Object {
	return seal.Object{"manifest_sha256": seal.SHA256([]byte(manifest))}
}

func revocationData() seal.Object {
	data := issuanceData("manifest")
	data["revocation_receipt_sha256"] = seal.SHA256([]byte("receipt"))
	return data
}

func issuedWhilePaused(h *hand) Damage {
	o := h.ofTenant()
	o.noteEvent("issuance.paused", seal.Object{})
	return again(o, "tx-2027-0001", "issuance.completed", issuanceData("paused"))
}

func issuedAfterPause(h *hand) Damage {
	o := h.ofTenant()
	o.noteEvent("issuance.paused", seal.Object{})
	o.noteEvent("break_glass.resume_requested", seal.Object{})
	o.noteEvent("issuance.resumed", seal.Object{})
	return again(o, "tx-2027-0001", "issuance.completed", issuanceData("paused"))
}

func resumedWithoutRequest(h *hand) Damage {
	o := h.ofTenant()
	o.noteEvent("issuance.paused", seal.Object{})
	o.noteEvent("issuance.resumed", seal.Object{})
	o.addCheckpoint()
	return o.newestDamage(1)
}
