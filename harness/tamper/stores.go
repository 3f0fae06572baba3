package tamper

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// storesPlays are for an attacker who can write to one store. None needs a key, save
// rewrite-store.
var storesPlays = map[string]play{
	"delete-at-store":      deleteAtStore,
	"alter-at-store":       inStore(loki, onEvent(forge.AlterTime)),
	"alter-in-structure":   inStore(bodymap, onEvent(forge.AlterTime)),
	"lose-octet":           with(loseOctet, unalteredEvidence),
	"lose-octet-and-alter": with(loseOctet, forge.AlterTime),
	"hide-event": func(h *hand) Damage {
		inStore(loki, onEvent(then(forge.AlterTime, forge.Hidden)))(h)
		return damageWithin(loki.file)
	},
	"near-store":            func(*hand) Damage { return damageWithin(loki.file) },
	"near-structured-store": func(*hand) Damage { return damageWithin(bodymap.file) },
	"rewrite-store":         rewriteStore,
	"reuse-batch-id":        reuseBatchID,
	"cut-batch":             cutBatch,
	"drop-batch-ids":        dropBatchIDs,
	"redeliver-batch":       redeliverBatch,
	"near-delivered-once":   deliveredOnce,
	"late-export":           with(observed, 24*time.Hour),
	"clock-behind":          with(observed, -24*time.Hour),
	"near-late-export":      with(observed, 12*time.Hour),
	"cut-body":              with(longEvent, 10_000),
	"near-long-body":        with(longEvent, 1<<20),
}

func deleteAtStore(h *hand) Damage {
	all, i := h.copyBatches()
	d := h.placeOf(uint64(len(all[i].Bodies)))
	d.at = all[i].First
	h.playInStore(loki, d, dropEvents)
	return h.inStore(loki.file, all[i].First, all[i].Last)
}

// dumpText makes batches the content of the store that keeps text.
func (h *hand) dumpText(all ...*fleet.Batch) { h.Files[loki.file] = fleet.Dump(loki.format, all...) }

// sampleAtStore drops one record of six, and no batch ids.
func sampleAtStore(h *hand) Damage {
	all := h.Copies()
	n := 0
	for _, b := range all {
		b.Bodies = slices.DeleteFunc(b.Bodies, func([]byte) bool {
			n++
			return n%6 == 0
		})
	}
	h.Files[loki.file] = fleet.DumpWithoutIDs(loki.format, all...)
	return damageWithin(loki.file)
}

func unalteredEvidence(line []byte) []byte { return line }

// loseOctet replaces a byte of the digest that an event about a policy holds,
// and does something else to that event.
func loseOctet(h *hand, besides func(line []byte) []byte) Damage {
	const member = `"policy_sha256":"`
	all, _ := h.copyBatches()
	for _, b := range all {
		for i, body := range b.Bodies {
			if at := bytes.Index(body, []byte(member)); b.Node == h.node && at >= 0 {
				at += len(member)
				b.Bodies[i] = besides(slices.Concat(body[:at], []byte("\ufffd"), body[at+1:]))
				h.Files[bodymap.file] = fleet.Dump(bodymap.format, all...)
				return h.inStore(bodymap.file, b.First+uint64(i), b.First+uint64(i))
			}
		}
	}
	h.Fail(fleet.None("exported event about a policy"))
	return Damage{}
}

func rewriteStore(h *hand) Damage {
	events := rewrittenJournal(h, h.middle)
	all, _ := h.copyBatches()
	for _, b := range all {
		for n := b.First; b.Node == h.node && n <= b.Last; n++ {
			if n >= h.middle {
				b.Bodies[n-b.First] = seal.Canonical(events[n-h.middle])
			}
		}
	}
	h.dumpText(all...)
	return h.inStore(loki.file, h.middle, h.lastSequence())
}

func reuseBatchID(h *hand) Damage {
	all, i := h.copyBatches()
	// One that is not next to it: together two neighbours would be a batch of neither's id.
	other := slices.IndexFunc(all, func(b *fleet.Batch) bool {
		return b.Node == h.node && (b.Last+1 < all[i].First || b.First > all[i].Last+1)
	})
	if other < 0 {
		h.Fail(fleet.None("second batch of the node, further away"))
		return Damage{}
	}
	all[i].ID = all[other].ID
	h.dumpText(all...)
	return h.inStore(loki.file, min(all[i].First, all[other].First), max(all[i].Last, all[other].Last))
}

// cutBatch cuts the longest batch of the node.
func cutBatch(h *hand) Damage {
	all, i := h.copyBatches()
	for k, b := range all {
		if b.Node == h.node && len(b.Bodies) > len(all[i].Bodies) {
			i = k
		}
	}
	b := all[i]
	if len(b.Bodies) < 2 {
		h.Fail(fleet.None("batch of two events"))
		return Damage{}
	}
	b.Bodies = b.Bodies[:len(b.Bodies)-1]
	h.dumpText(all...)
	return h.inStore(loki.file, b.First, b.Last-1)
}

func dropBatchIDs(h *hand) Damage {
	h.Files[loki.file] = fleet.DumpWithoutIDs(loki.format, h.Copies()...)
	return damageWithin(loki.file)
}

func redeliverBatch(h *hand) Damage {
	all, i := h.copyBatches()
	name := fleet.Store("loki/second.jsonl")
	h.Files[name] = fleet.Dump(loki.format, slices.Insert(all, i, all[i])...)
	return h.inStore(name, all[i].First, all[i].Last)
}

func deliveredOnce(h *hand) Damage {
	h.dumpText(h.Copies()...)
	return damageWithin(loki.file)
}

// observed has the collector observe the batch in the middle so much later.
// Its files become one file, which has every batch once.
func observed(h *hand, after time.Duration) Damage {
	for _, name := range h.Names(collectorJSON) {
		delete(h.Files, name)
	}
	all, i := h.copyBatches()
	all[i].Sent = all[i].Sent.Add(after)
	name := collectorJSON + "/svc-edge.json"
	h.Files[name] = fleet.Dump("file-json", all...)
	return h.inStore(name, all[i].First, all[i].Last)
}

// longEvent has the node make an event of 12,000 bytes, and a store cut its
// body.
func longEvent(h *hand, limit int) Damage {
	o := h.ofNode(h.lastSequence())
	event := seal.Canonical(o.noteEvent("export.configured", seal.Object{"note": strings.Repeat("long ", 2400)}))
	o.commitCursor()
	b := h.Batches[len(h.Batches)-1]
	b.Bodies = [][]byte{event[:min(limit, len(event))]}
	name := fleet.Store("splunk/long.jsonl")
	h.Files[name] = fleet.DumpWithoutIDs("splunk-export", &b)
	return damageWithin(name)
}
