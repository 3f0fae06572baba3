package tamper

import (
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// ownersPlays need the key of a node.
var ownersPlays = map[string]play{
	"near-append":          appendEvent,
	"unanchored-event":     func(h *hand) Damage { return h.goesOn("export.configured", seal.Object{}) },
	"other-nodes-key":      otherNodesKey,
	"splice":               spliceEvent,
	"unknown-key":          unknownKey,
	"near-older-key":       olderKey,
	"untrusted-generation": untrustedGeneration,
	"fork": func(h *hand) Damage {
		return forkFrom(h, h.middle, "journals/"+h.node+"-restored.ndjson")
	},
	"restore-backup":           restoreBackup,
	"second-copy":              secondCopy,
	"near-restored-backup":     restoredWhole,
	"restart":                  func(h *hand) Damage { return forkFrom(h, 1, "journals/"+h.node+"-anew.ndjson") },
	"rewrite-tail":             rewriteTail,
	"rewrite-tail-and-cursors": rewriteTailAndCursors,
	"sign-far-event":           with(signFar, time.Second),
	"near-sign-far-event":      with(signFar, 365*24*time.Hour),
	"broken-link":              brokenLink,
	"broken-skip":              brokenSkip,
	"clock-set-back":           with(writeLate, -300_001*time.Millisecond),
	"near-clock-set-back":      with(writeLate, -300_000*time.Millisecond),
	"silence":                  with(writeLate, 24*time.Hour+time.Millisecond),
	"near-silence":             with(writeLate, 24*time.Hour),
	"other-tenants-log":        otherTenantsLog,
	"near-other-tenant":        otherTenant,
}

func appendEvent(h *hand) Damage {
	o := h.ofNode(h.lastSequence())
	o.noteEvent("export.configured", seal.Object{"endpoint": "https://collector.acme.example"})
	o.commitCursor()
	return o.newestDamage(1)
}

// resignEvent has another key sign the event in the middle.
func resignEvent(h *hand, key seal.Key) Damage { return resignAt(h, h.middle, key) }

func resignAt(h *hand, n uint64, key seal.Key) Damage {
	event := h.eventOf(h.node, n)
	if err := forge.Sign(event, key); err != nil {
		h.Fail(err)
	}
	h.replaceEvent(event)
	return h.damageOf(n, n)
}

func otherNodesKey(h *hand) Damage { return resignEvent(h, h.Scene.Keys.Node[h.otherNode()]) }

// spliceEvent relabels an event of another node, which keeps its hash and signature.
func spliceEvent(h *hand) Damage {
	n := h.middle
	event := h.eventOf(h.otherNode(), n)
	seal.Member(event, "body")["log_id"] = "node/" + h.node
	own := h.eventOf(h.node, n)
	event["previous_hash"], event["skip_hash"] = own["previous_hash"], own["skip_hash"]
	h.replaceEvent(event)
	return h.damageOf(n, n)
}

func unknownKey(h *hand) Damage { return resignEvent(h, forge.Stranger(h.node+"/9")) }

func olderKey(h *hand) Damage {
	first, second := h.keyGenerations()
	return resignAt(h, h.firstSigned(second), first)
}

// untrustedGeneration removes the second generation of the node's key from the trust file.
func untrustedGeneration(h *hand) Damage {
	_, second := h.keyGenerations()
	root := seal.CloneObject(h.Scene.Trust)
	delete(seal.Member(root, "nodes"), second.ID)
	h.Put(fleet.TrustFile, seal.Line(root))
	return h.damageOf(h.firstSigned(second), h.lastSequence())
}

// rewrittenJournal signs the node's journal again from a sequence on: the first event
// with another time, the rest as they were.
func rewrittenJournal(h *hand, from uint64) []seal.Object {
	o := h.ofNode(max(from-1, 1))
	if from == 1 {
		o.Restart()
	}
	genuine := h.Scene.Journals[h.node][from-1:]
	return o.Rewrite(genuine, h.Scene.Keys.Node, func(i int, event seal.Object) {
		if i == 0 {
			forge.Shift(time.Millisecond)(event)
		}
	})
}

// forkFrom signs a second history from a sequence on, into a file of its own.
func forkFrom(h *hand, from uint64, name string) Damage {
	h.Put(name, seal.Lines(rewrittenJournal(h, from)))
	return Damage{"node/" + h.node, from, h.lastSequence(), name}
}

// restoreBackup continues from the middle under the key of that time.
func restoreBackup(h *hand) Damage {
	o := h.ofNode(h.lastSequence())
	now := o.Now.Add(time.Hour)
	o = h.ofNode(h.middle)
	o.Now, o.path = now, "journals/"+h.node+"-restored.ndjson"
	h.Put(o.path, nil)
	for range 5 {
		o.noteEvent("export.configured", seal.Object{})
	}
	return o.newestDamage(5)
}

// secondCopy continues from the middle when the node did.
func secondCopy(h *hand) Damage {
	o := h.ofNode(h.middle)
	o.path = "journals/" + h.node + "-copy.ndjson"
	h.Put(o.path, nil)
	for range 5 {
		o.noteEvent("integration.probed", seal.Object{})
	}
	return o.newestDamage(5)
}

// restoredWhole continues where the node had stopped. The journal of before is there as well.
func restoredWhole(h *hand) Damage {
	o := h.ofNode(h.lastSequence())
	o.Now, o.path = o.Now.Add(time.Hour), "journals/"+h.node+"-restored.ndjson"
	h.Put(o.path, h.Read(fleet.Journal(h.node)))
	for range 5 {
		o.noteEvent("export.configured", seal.Object{})
	}
	o.commitCursor()
	return o.newestDamage(5)
}

// rewriteTail rewrites the second half. The damage is to the events there that anchors name.
func rewriteTail(h *hand) Damage {
	rewriteJournal(h)
	return h.anchoredFrom(h.middle)
}

func rewriteJournal(h *hand) []seal.Object {
	events := rewrittenJournal(h, h.middle)
	h.editJournal(func(lines [][]byte) [][]byte {
		return append(slices.Clone(lines[:h.middle-1]), seal.Lines(events))
	})
	return events
}

// anchoredFrom is damage to the anchored events from a sequence on, out of the
// anchors that are given or else all.
func (h *hand) anchoredFrom(from uint64, anchored ...uint64) Damage {
	if len(anchored) == 0 {
		anchored = h.anchoredSequences()
	}
	anchored = slices.DeleteFunc(anchored, func(n uint64) bool { return n < from })
	if len(anchored) == 0 {
		h.Fail(fleet.None("anchor of the second half"))
		return Damage{}
	}
	return h.damageOf(anchored[0], anchored[len(anchored)-1])
}

func rewriteTailAndCursors(h *hand) Damage {
	from := h.middle
	events := rewriteJournal(h)
	h.keepCursors(func(n uint64) bool { return n < from })
	for _, b := range h.Batches {
		if b.Node != h.node || b.Last < from {
			continue
		}
		event := events[b.Last-from]
		cursor := seal.CloneObject(seal.Member(b.Cursor, "statement"))
		cursor["event_hash"] = event["hash"]
		h.AddLine(fleet.Cursors(h.node), seal.Canonical(seal.Seal(cursor, h.Scene.Keys.Node[seal.Text(event, "key_id")])))
	}
	return h.anchoredFrom(from, h.reportedSequences()...)
}

// misplaceEvent appends an event whose links were changed before it was
// signed.
func misplaceEvent(h *hand, change func(*seal.Link)) Damage {
	o := h.ofNode(h.lastSequence())
	for o.Log.Sequence() == 0 || seal.Skip(o.Log.Sequence()+1) == o.Log.Sequence() {
		o.noteEvent("export.configured", seal.Object{})
	}
	body := o.Body("export.configured", seal.Object{})
	h.AddLine(o.path, seal.Canonical(o.SignLinked(body, change)))
	o.commitCursor()
	n := o.Log.Sequence() + 1
	return h.damageOf(n, n)
}

// signFar signs an event far above the end of the journal, with the links of the
// next one.
func signFar(h *hand, after time.Duration) Damage {
	o := h.ofNode(h.lastSequence())
	body := o.Body("export.configured", seal.Object{})
	n := h.lastSequence() + 5_000
	body["sequence"], body["occurred_at"] = int64(n), seal.Time(o.Now.Add(after))
	h.AddLine(o.path, seal.Canonical(o.SignLinked(body, func(*seal.Link) {})))
	return h.damageOf(n, n)
}

func brokenLink(h *hand) Damage {
	return misplaceEvent(h, func(l *seal.Link) { l.Previous[0] ^= 1 })
}

func brokenSkip(h *hand) Damage {
	return misplaceEvent(h, func(l *seal.Link) { l.Skip[0] ^= 1 })
}

// writeLate has the node write one more event, so much after its last. A silence is damage
// to the two events around it.
func writeLate(h *hand, after time.Duration) Damage {
	o := h.ofNode(h.lastSequence())
	occurred := o.Now.Add(after)
	body := o.Body("export.configured", seal.Object{})
	body["occurred_at"] = seal.Time(occurred)
	o.writeEvent(body)
	o.commitCursor()
	if after < 0 {
		return o.newestDamage(1)
	}
	return o.newestDamage(2)
}

// strangeLog adds three events of a log that is not this tenant's, and a
// checkpoint of it.
func strangeLog(h *hand, tenantID string) Damage {
	o := h.ofTenant()
	o.TenantID, o.LogID, o.path = tenantID, "tenant/other-corp", "other.ndjson"
	o.Restart()
	h.Put(o.path, nil)
	for range 3 {
		o.noteEvent("integration.changed", seal.Object{})
	}
	o.addCheckpoint()
	return o.newestDamage(3)
}

func otherTenantsLog(h *hand) Damage { return strangeLog(h, harness.Tenant) }

func otherTenant(h *hand) Damage { return strangeLog(h, "other-corp") }
