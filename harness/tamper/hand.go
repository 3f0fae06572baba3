package tamper

import (
	"fmt"

	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// hand plays a script: it bends evidence, at a place.
type hand struct{ place }

// newHand starts from a copy of the evidence, in the middle of the first node's
// journal. It fails on evidence that is too small for the scripts.
func newHand(e *fleet.Evidence) *hand {
	h := &hand{place{Edited: &fleet.Edited{Evidence: e.Clone()}}}
	h.checkSize()
	if h.Err == nil {
		h.node = h.nodes()[0]
		h.middle = h.lastSequence() / 2
	}
	return h
}

// smallest is how long a journal must be for the scripts.
const smallest = 8

// checkSize fails on evidence that is too small for the scripts.
func (h *hand) checkSize() {
	if len(h.Scene.Journals) < 2 || len(h.Scene.Checkpoints) < 2 || len(h.Scene.Exports) == 0 {
		h.Fail(fleet.None("two nodes, two checkpoints and a bundle"))
		return
	}
	for id, events := range h.Scene.Journals {
		if len(events) < smallest {
			h.Fail(fleet.None(fmt.Sprintf("journal of %s with %d events: play a longer scene", id, smallest)))
		}
	}
}

// damageOf is damage to events of a node's journal.
func (h *hand) damageOf(first, last uint64) Damage {
	return Damage{"node/" + h.node, first, last, fleet.Journal(h.node)}
}

// inStore is damage to the node's events in a store.
func (h *hand) inStore(file string, first, last uint64) Damage {
	return Damage{"node/" + h.node, first, last, file}
}

// damageWithin is damage to a file alone.
func damageWithin(name string) Damage { return Damage{File: name} }

// addFile adds a file.
func addFile(name, content string) func(*hand) Damage {
	return func(h *hand) Damage {
		h.Put(name, []byte(content))
		return damageWithin(name)
	}
}

// secondFile adds a copy of the journal behind some text, which may be empty.
func secondFile(name, before string) func(*hand) Damage {
	return func(h *hand) Damage {
		h.Put(name, append([]byte(before), h.Read(fleet.Journal(h.node))...))
		return damageWithin(name)
	}
}

// inExport replaces a text in an export of the collector.
func inExport(from, to string) func(*hand) Damage {
	return func(h *hand) Damage { return damageWithin(h.Replace(collectorJSON, from, to)) }
}

// onContent replaces the content of the journal.
func onContent(change func(content []byte) []byte) func(*hand) Damage {
	return func(h *hand) Damage {
		h.Put(fleet.Journal(h.node), change(h.Read(fleet.Journal(h.node))))
		return damageWithin(fleet.Journal(h.node))
	}
}

// onLines is onContent for its lines.
func onLines(change func(lines [][]byte, middle int) [][]byte) func(*hand) Damage {
	return func(h *hand) Damage {
		h.editJournal(func(lines [][]byte) [][]byte { return change(lines, int(h.middle)) })
		return damageWithin(fleet.Journal(h.node))
	}
}

// editJournal replaces the lines of the node's journal.
func (h *hand) editJournal(change func(lines [][]byte) [][]byte) {
	h.Edit(fleet.Journal(h.node), change)
}

// replaceEvent puts an event in the place of the one of its sequence.
func (h *hand) replaceEvent(event seal.Object) {
	number := uint64(seal.Integer(seal.Member(event, "body"), "sequence"))
	h.OnLine(fleet.Journal(h.node), number, func([]byte) []byte { return seal.Line(event) })
}

// keepCursors keeps the node's cursors that are wanted.
func (h *hand) keepCursors(wanted func(sequence uint64) bool) {
	var kept []seal.Object
	for _, b := range h.Batches {
		if b.Node == h.node && wanted(b.Last) {
			kept = append(kept, b.Cursor)
		}
	}
	h.Put(fleet.Cursors(h.node), seal.Lines(kept))
}

// putBundle replaces a bundle.
func (h *hand) putBundle(transactionID string, bundle seal.Object) string {
	name := fleet.Bundle(transactionID)
	h.Put(name, seal.Line(bundle))
	return name
}
