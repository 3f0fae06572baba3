package tamper

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// anchorScripts are about what anchors a log: checkpoints, cursors and bundles.
func anchorScripts() []Script {
	return []Script{
		{"split-view", "a second checkpoint of the same sequence names another head", splitView},
		{"near-repeated-checkpoint", "a second checkpoint of the same sequence names the same head, and is made later", repeatedCheckpoint},
		{"rollback", "a checkpoint that is made 300.001 s after the newest covers less", func(h *hand) Damage { return rollback(h, 300_001) }},
		{"near-rollback", "a checkpoint that is made 300.000 s after the newest covers less", func(h *hand) Damage { return rollback(h, 300_000) }},
		{"checkpoint-altered-signature", "a bit of a checkpoint's signature is altered", func(h *hand) Damage { return resealCheckpoint(h, alteredSignature) }},
		{"checkpoint-unknown-key", "a checkpoint is signed by a key that nobody knows", func(h *hand) Damage { return resealCheckpoint(h, h.unknownSigner("audit-2027-1")) }},
		{"near-checkpoint-older-key", "a checkpoint is signed by the retired audit key", func(h *hand) Damage { return resealCheckpoint(h, h.signer(h.Scene.Keys.Audit["audit-2026-1"])) }},
		{"checkpoint-of-nothing", "a checkpoint of sequence 0", checkpointOfNothing},
		{"near-indented-checkpoint", "a checkpoint is indented, in a file of its own", indentedCheckpoint},
		{"cursor-altered-signature", "a bit of an export cursor's signature is altered", func(h *hand) Damage { return resealCursor(h, alteredSignature) }},
		{"cursor-unknown-key", "an export cursor is signed by a key that nobody knows", func(h *hand) Damage { return resealCursor(h, h.unknownSigner(h.node()+"/9")) }},
		{"cursor-other-node", "an export cursor is signed by another node", func(h *hand) Damage { return resealCursor(h, h.signer(h.Scene.Keys.Node[h.other()])) }},
		{"near-cursor-older-key", "an export cursor is signed by the retired key of its own node", func(h *hand) Damage { return resealCursor(h, h.signer(h.Scene.Keys.Node[h.node()])) }},
		{"near-repeated-cursor", "a cursor is committed again, later", repeatedCursor},
		{"under-quorum", "all but two of a bundle's witness receipts are taken out", func(h *hand) Damage { return fewerWitnesses(h, 2) }},
		{"near-quorum", "all but three of a bundle's witness receipts are taken out", func(h *hand) Damage { return fewerWitnesses(h, 3) }},
	}
}

// tenantHead is damage to the tenant log at a sequence, in a file.
func tenantHead(sequence uint64, file string) Damage {
	return Damage{"tenant/" + harness.Tenant, sequence, sequence, file}
}

func splitView(h *hand) Damage {
	o := h.ofTenant()
	other := o.log.Head()
	other[0] ^= 1
	h.addLine(fleet.Checkpoints, seal.Canonical(seal.Seal(o.statement(o.log.Sequence(), other), o.key)))
	return tenantHead(o.log.Sequence(), fleet.Checkpoints)
}

func repeatedCheckpoint(h *hand) Damage {
	o := h.ofTenant()
	o.now = o.now.Add(time.Hour)
	o.checkpoint()
	return tenantHead(o.log.Sequence(), fleet.Checkpoints)
}

// rollback adds a checkpoint of an older event, made so long after the newest.
// The damage begins at what it still covers.
func rollback(h *hand, milliseconds time.Duration) Damage {
	o := h.ofTenant()
	all := h.Scene.Checkpoints
	made, err := seal.ParseTime(seal.Text(seal.Member(all[len(all)-1], "statement"), "created_at"))
	if err != nil {
		h.fail(err)
	}
	covers := o.log.Sequence() - 1
	statement := o.statement(covers, o.log.Hash(covers))
	statement["created_at"] = seal.Time(made.Add(milliseconds * time.Millisecond))
	h.addLine(fleet.Checkpoints, seal.Canonical(seal.Seal(statement, o.key)))
	return Damage{o.id, covers, o.log.Sequence(), fleet.Checkpoints}
}

// signAgain is a way to sign a statement again.
type signAgain func(envelope seal.Object) seal.Object

func alteredSignature(envelope seal.Object) seal.Object {
	changed := seal.CloneObject(envelope)
	signature := []byte(seal.Text(envelope, "signature"))
	signature[40] = otherDigit(signature[40])
	changed["signature"] = string(signature)
	return changed
}

func (h *hand) signer(key seal.Key) signAgain {
	return func(envelope seal.Object) seal.Object { return seal.Seal(seal.Member(envelope, "statement"), key) }
}

func (h *hand) unknownSigner(id string) signAgain { return h.signer(h.strange(id)) }

// resealCheckpoint signs the checkpoint before the newest again: the newest
// covers what it covers.
func resealCheckpoint(h *hand, again signAgain) Damage {
	all := slices.Clone(h.Scene.Checkpoints)
	i := len(all) - 2
	all[i] = again(all[i])
	h.put(fleet.Checkpoints, fleet.Lines(all))
	return tenantHead(uint64(seal.Integer(seal.Member(all[i], "statement"), "sequence")), fleet.Checkpoints)
}

func checkpointOfNothing(h *hand) Damage {
	o := h.ofTenant()
	h.addLine(fleet.Checkpoints, seal.Canonical(seal.Seal(o.statement(0, o.log.Hash(0)), o.key)))
	return within(fleet.Checkpoints)
}

func indentedCheckpoint(h *hand) Damage {
	var b bytes.Buffer
	if err := json.Indent(&b, seal.Canonical(h.Scene.Checkpoints[0]), "", "\t"); err != nil {
		h.fail(err)
	}
	name := "checkpoint.json"
	h.put(name, b.Bytes())
	return within(name)
}

// resealCursor signs the node's newest cursor again, and leaves the others.
// The event that it names is the last that was reported, so that it is anchored
// all the same.
func resealCursor(h *hand, again signAgain) Damage {
	o := h.ofNode(h.lastReported())
	h.addLine(fleet.Cursors(h.node()), seal.Canonical(again(seal.Seal(o.cursor(o.head), o.key))))
	return Damage{o.id, h.lastReported(), h.lastReported(), fleet.Cursors(h.node())}
}

func repeatedCursor(h *hand) Damage {
	o := h.ofNode(h.last())
	o.commit()
	return Damage{o.id, h.last(), h.last(), fleet.Cursors(h.node())}
}

// fewerWitnesses leaves so many receipts in the first bundle.
func fewerWitnesses(h *hand, left int) Damage {
	export := h.Scene.Exports[0]
	bundle := h.Scene.Bundle(export.TransactionID)
	bundle["witness_receipts"] = seal.List(bundle, "witness_receipts")[:left]
	name := fleet.Bundle(export.TransactionID)
	h.put(name, append(seal.Canonical(bundle), '\n'))
	checkpoint := seal.Member(seal.Member(bundle, "checkpoint"), "statement")
	return tenantHead(uint64(seal.Integer(checkpoint, "sequence")), name)
}
