package tamper

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// anchorsPlays are about the anchors of a log: checkpoints, cursors and bundles.
var anchorsPlays = map[string]play{
	"split-view":                   splitView,
	"near-repeated-checkpoint":     repeatedCheckpoint,
	"rollback":                     with(rollback, 300_001),
	"near-rollback":                with(rollback, 300_000),
	"checkpoint-altered-signature": with(resealCheckpoint, forge.AlteredSignature),
	"checkpoint-unknown-key":       with(resealCheckpoint, signer(forge.Stranger("audit-2027-1"))),
	"near-checkpoint-older-key": func(h *hand) Damage {
		return resealCheckpoint(h, signer(h.Scene.Keys.Audit["audit-2026-1"]))
	},
	"checkpoint-of-nothing":    checkpointOfNothing,
	"near-indented-checkpoint": indentedCheckpoint,
	"cursor-altered-signature": with(resealCursor, forge.AlteredSignature),
	"cursor-unknown-key":       func(h *hand) Damage { return resealCursor(h, signer(forge.Stranger(h.node+"/9"))) },
	"cursor-other-node": func(h *hand) Damage {
		return resealCursor(h, signer(h.Scene.Keys.Node[h.otherNode()]))
	},
	"near-cursor-older-key": func(h *hand) Damage { return resealCursor(h, signer(h.Scene.Keys.Node[h.node])) },
	"near-repeated-cursor":  repeatedCursor,
	"under-quorum":          with(fewerWitnesses, 2),
	"near-quorum":           with(fewerWitnesses, 3),
}

// tenantHead is damage to the tenant log at a sequence, in a file.
func tenantHead(sequence uint64, file string) Damage {
	return Damage{"tenant/" + harness.Tenant, sequence, sequence, file}
}

func splitView(h *hand) Damage {
	o := h.ofTenant()
	other := o.Log.Head()
	other[0] ^= 1
	h.AddLine(fleet.Checkpoints, seal.Canonical(seal.Seal(o.Checkpoint(o.Log.Sequence(), other), o.Key)))
	return tenantHead(o.Log.Sequence(), fleet.Checkpoints)
}

func repeatedCheckpoint(h *hand) Damage {
	o := h.ofTenant()
	o.Now = o.Now.Add(time.Hour)
	o.addCheckpoint()
	return tenantHead(o.Log.Sequence(), fleet.Checkpoints)
}

// rollback adds a checkpoint of an older event, made so long after the newest.
// The damage starts at the last event that it covers.
func rollback(h *hand, milliseconds time.Duration) Damage {
	o := h.ofTenant()
	all := h.Scene.Checkpoints
	made, err := seal.ParseTime(seal.Text(seal.Member(all[len(all)-1], "statement"), "created_at"))
	if err != nil {
		h.Fail(err)
	}
	covers := o.Log.Sequence() - 1
	statement := o.Checkpoint(covers, o.Log.Hash(covers))
	statement["created_at"] = seal.Time(made.Add(milliseconds * time.Millisecond))
	h.AddLine(fleet.Checkpoints, seal.Canonical(seal.Seal(statement, o.Key)))
	return Damage{o.LogID, covers, o.Log.Sequence(), fleet.Checkpoints}
}

// signAgain is a way to sign a statement again.
type signAgain func(envelope seal.Object) seal.Object

func signer(key seal.Key) signAgain {
	return func(envelope seal.Object) seal.Object { return seal.Seal(seal.Member(envelope, "statement"), key) }
}

// resealCheckpoint signs the checkpoint before the newest again. The newest covers its events
// too.
func resealCheckpoint(h *hand, again signAgain) Damage {
	all := slices.Clone(h.Scene.Checkpoints)
	i := len(all) - 2
	all[i] = again(all[i])
	h.Put(fleet.Checkpoints, seal.Lines(all))
	return tenantHead(uint64(seal.Integer(seal.Member(all[i], "statement"), "sequence")), fleet.Checkpoints)
}

func checkpointOfNothing(h *hand) Damage {
	o := h.ofTenant()
	h.AddLine(fleet.Checkpoints, seal.Canonical(seal.Seal(o.Checkpoint(0, o.Log.Hash(0)), o.Key)))
	return damageWithin(fleet.Checkpoints)
}

func indentedCheckpoint(h *hand) Damage {
	var b bytes.Buffer
	if err := json.Indent(&b, seal.Canonical(h.Scene.Checkpoints[0]), "", "\t"); err != nil {
		h.Fail(err)
	}
	name := "checkpoint.json"
	h.Put(name, b.Bytes())
	return damageWithin(name)
}

// resealCursor signs the node's newest cursor again, and leaves the others.
// The event that it names is the last that was reported, so that it is anchored
// all the same.
func resealCursor(h *hand, again signAgain) Damage {
	o := h.ofNode(h.lastReported())
	h.AddLine(fleet.Cursors(h.node), seal.Canonical(again(seal.Seal(o.cursorAt(o.Head), o.Key))))
	return Damage{o.LogID, h.lastReported(), h.lastReported(), fleet.Cursors(h.node)}
}

func repeatedCursor(h *hand) Damage {
	o := h.ofNode(h.lastSequence())
	o.commitCursor()
	return Damage{o.LogID, h.lastSequence(), h.lastSequence(), fleet.Cursors(h.node)}
}

// fewerWitnesses keeps that many receipts in the first bundle.
func fewerWitnesses(h *hand, left int) Damage {
	id := h.Scene.Exports[0].TransactionID
	bundle := h.Scene.Bundle(id)
	bundle["witness_receipts"] = seal.List(bundle, "witness_receipts")[:left]
	name := h.putBundle(id, bundle)
	checkpoint := seal.Member(seal.Member(bundle, "checkpoint"), "statement")
	return tenantHead(uint64(seal.Integer(checkpoint, "sequence")), name)
}
