package tamper

import (
	"time"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// bundlesPlays are about proofs that contradict the logs. All but the first are for an
// attacker who holds every key, but cannot reach the journals.
var bundlesPlays = map[string]play{
	"alter-bundle":          alterBundle,
	"bundle-unknown-key":    with(resignApproval, "/9"),
	"bundle-impossible-key": with(resignApproval, "/x"),
	"forged-issuance":       forgedIssuance,
	"forged-revocation":     forgedRevocation,
	"withheld-revocation":   withheldRevocation,
}

func alterBundle(h *hand) Damage {
	id := h.Scene.Exports[0].TransactionID
	bundle := h.Scene.Bundle(id)
	approvals := seal.List(bundle, "approvals")
	approvals[0] = forge.AlteredSignature(approvals[0].(seal.Object))
	return damageWithin(h.putBundle(id, bundle))
}

// resignApproval has a stranger sign an approval, under the node's id and an ending.
func resignApproval(h *hand, ending string) Damage {
	id := h.Scene.Exports[0].TransactionID
	bundle := h.Scene.Bundle(id)
	approvals := seal.List(bundle, "approvals")
	approval := approvals[0].(seal.Object)
	node := seal.Text(seal.Member(approval, "statement"), "node_id")
	approvals[0] = seal.Seal(seal.Member(approval, "statement"), forge.Stranger(node+ending))
	return damageWithin(h.putBundle(id, bundle))
}

// withStatus is the first transaction whose newest bundle has that status.
func (h *hand) withStatus(status string) string {
	for _, export := range h.Scene.Exports {
		bundle := h.Scene.Bundle(export.TransactionID)
		if seal.Text(seal.Member(seal.Member(bundle, "status"), "statement"), "status") == status {
			return export.TransactionID
		}
	}
	h.Fail(fleet.None("bundle with status " + status))
	return ""
}

// disclosedEvent is the disclosed event of a type in a bundle's path, and its place
// there.
func (h *hand) disclosedEvent(bundle seal.Object, eventType string) (int, seal.Object) {
	for i, link := range seal.List(seal.Member(bundle, "audit_path"), "links") {
		event := seal.Member(link.(seal.Object), "event")
		if event != nil && seal.Text(seal.Member(event, "body"), "type") == eventType {
			return i, event
		}
	}
	h.Fail(fleet.None("disclosed " + eventType))
	return 0, seal.Object{"body": seal.Object{}}
}

// resealBundle changes a bundle and has everybody sign it again.
func (h *hand) resealBundle(transactionID string, change func(bundle seal.Object)) string {
	if h.Err != nil {
		return ""
	}
	bundle, err := forge.Reseal(h.Scene, transactionID, change)
	if err != nil {
		h.Fail(err)
	}
	return h.putBundle(transactionID, bundle)
}

// redateDisclosed gives the disclosed event of a type another time.
func redateDisclosed(h *hand, transactionID, eventType string) Damage {
	d := Damage{LogID: "tenant/" + harness.Tenant}
	d.File = h.resealBundle(transactionID, func(bundle seal.Object) {
		_, event := h.disclosedEvent(bundle, eventType)
		forge.Shift(time.Millisecond)(event)
		d.First = uint64(seal.Integer(seal.Member(event, "body"), "sequence"))
	})
	d.Last = d.First
	return d
}

func forgedIssuance(h *hand) Damage {
	return redateDisclosed(h, h.withStatus("issued"), "issuance.completed")
}

func forgedRevocation(h *hand) Damage {
	return redateDisclosed(h, h.withStatus("revoked"), "certificate.revoked")
}

func withheldRevocation(h *hand) Damage {
	d := Damage{LogID: "tenant/" + harness.Tenant}
	d.File = h.resealBundle(h.withStatus("revoked"), func(bundle seal.Object) {
		i, event := h.disclosedEvent(bundle, "certificate.revoked")
		d.First = uint64(seal.Integer(seal.Member(event, "body"), "sequence"))
		path := seal.Member(bundle, "audit_path")
		links := seal.List(path, "links")
		path["links"] = append(links[:i:i], links[i+1:]...)
		delete(bundle, "revocation_receipt")
		// The revocation's registry is younger than the issuance's.
		bundle["signer_registries"] = seal.List(bundle, "signer_registries")[:1]
		status := seal.Member(seal.Member(bundle, "status"), "statement")
		status["status"] = "issued"
		delete(status, "revocation_receipt_sha256")
	})
	d.Last = d.First
	return d
}
