package tamper

import (
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// cloudPlays need the audit key: the cloud itself is the attacker.
var cloudPlays = map[string]play{
	"report-altered-head": func(h *hand) Damage {
		return reportAgain(h, func(data seal.Object) { data["audit_head"] = seal.SHA256([]byte("another head")) })
	},
	"report-altered-signature": func(h *hand) Damage {
		return reportAgain(h, forge.AlterSignature)
	},
	"report-unknown-key": func(h *hand) Damage {
		return reportAgain(h, func(data seal.Object) { data["key_id"] = h.node + "/9" })
	},
	"report-other-node": func(h *hand) Damage {
		return reportAgain(h, func(data seal.Object) { data["key_id"] = h.otherNode() })
	},
	"near-report": func(h *hand) Damage {
		return reportAgain(h, func(seal.Object) {})
	},
	"issued-twice": func(h *hand) Damage {
		first := h.recordedBody("issuance.completed", "")
		return again(h.ofTenant(), seal.Text(first, "transaction_id"), "issuance.completed", issuanceData("second"))
	},
	"near-issued": func(h *hand) Damage {
		return again(h.ofTenant(), "tx-2027-0001", "issuance.completed", issuanceData("second"))
	},
	"revoked-twice": func(h *hand) Damage {
		first := h.recordedBody("certificate.revoked", "")
		return again(h.ofTenant(), seal.Text(first, "transaction_id"), "certificate.revoked", revocationData())
	},
	"near-revoked": func(h *hand) Damage {
		return again(h.ofTenant(), "tx-2027-0001", "certificate.revoked", revocationData())
	},
	"issued-while-paused":     issuedWhilePaused,
	"near-issued-after-pause": issuedAfterPause,
	"resumed-without-request": resumedWithoutRequest,
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
