package tamper

import (
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// ownKey are the acts of an actor on the node, who writes to its journal and signs with its
// key.
var ownKey = []act{
	{name: "rewrite",
		do: func(h *hand, _ reach, _ draw) Damage { return rewriteTail(h) }},
	{name: "rewrite, with cursors",
		do: func(h *hand, _ reach, d draw) Damage {
			h.middle = min(d.at, h.lastReported())
			return rewriteTailAndCursors(h)
		}},
	{name: "leave out and sign anew", do: leftOut},
	{name: "restore a backup",
		do: func(h *hand, _ reach, d draw) Damage {
			o := h.ofNode(d.at)
			h.setJournal(d.at, o.More(d.n))
			return h.damageOf(d.at+1, d.last)
		}},
	{name: "restart", do: func(h *hand, _ reach, d draw) Damage {
		o := h.ofNode(1)
		o.Restart()
		h.setJournal(0, o.More(d.n))
		return h.anchoredFrom(1)
	}},
	{name: "break the chain",
		do: func(h *hand, _ reach, _ draw) Damage { return brokenLink(h) }},
	{name: "remove the journal",
		do: func(h *hand, _ reach, _ draw) Damage { return removeJournal(h) }},
}

// setJournal keeps the first events of the node's journal, and appends others.
func (h *hand) setJournal(keep uint64, events []seal.Object) {
	kept := h.Scene.Journals[h.node][:keep]
	h.Put(fleet.Journal(h.node), slices.Concat(seal.Lines(kept), seal.Lines(events)))
}

func leftOut(h *hand, _ reach, d draw) Damage {
	rest := h.Scene.Journals[d.node][d.at:]
	sooner := forge.Resequence(-1)
	events := h.ofNode(d.at-1).Rewrite(rest, h.Scene.Keys.Node, func(_ int, event seal.Object) { sooner(event) })
	h.setJournal(d.at-1, events)
	return h.anchoredFrom(d.at)
}

// stolenKey contains the acts of a thief of a node's key. The thief reaches neither the
// journal nor the stores, but sends to a collector or hands out documents.
var stolenKey = []act{
	{name: "fork",
		do: func(h *hand, r reach, d draw) Damage { return forkFrom(h, d.at, r.added) }},
	{name: "fork one event",
		do: func(h *hand, r reach, d draw) Damage {
			o := h.ofNode(d.at - 1)
			h.Put(r.added, seal.Lines(o.More(1)))
			return Damage{"node/" + d.node, d.at, d.at, r.added}
		}},
	{name: "second beginning",
		do: func(h *hand, r reach, d draw) Damage {
			events := rewrittenJournal(h, 1)
			h.Put(r.added, seal.Lines(events[:d.n+1]))
			return Damage{"node/" + d.node, 1, d.n + 1, r.added}
		}},
	{name: "cursor of another history",
		do: func(h *hand, r reach, d draw) Damage {
			o := h.ofNode(d.at)
			cursor := o.cursorAt(o.Head)
			cursor["event_hash"] = seal.SHA256([]byte("another event"))
			h.Put(r.added, seal.Line(seal.Seal(cursor, o.Key)))
			return Damage{"node/" + d.node, d.at, d.at, r.added}
		}},
	{name: "cursor of the future",
		do: func(h *hand, r reach, d draw) Damage {
			o := h.ofNode(d.last)
			cursor := o.cursorAt(o.Head)
			cursor["sequence"], cursor["event_hash"] = int64(d.last+d.n), seal.SHA256([]byte("an event to come"))
			h.Put(r.added, seal.Line(seal.Seal(cursor, o.Key)))
			return Damage{"node/" + d.node, d.last + 1, d.last + d.n, r.added}
		}},
	{name: "sign for another node",
		do: func(h *hand, r reach, d draw) Damage {
			other := slices.DeleteFunc(slices.Sorted(maps.Keys(h.Scene.Journals)), func(n string) bool { return n == d.node })[0]
			key := h.ofNode(d.last).Key
			h.node = other
			o := h.ofNode(h.lastSequence())
			o.Key = key
			h.Put(r.added, seal.Lines(o.More(1)))
			return Damage{"node/" + other, h.lastSequence() + 1, h.lastSequence() + 1, r.added}
		}},
}
