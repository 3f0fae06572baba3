package tamper

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// logScripts need no key: the attacker can write to the files.
func logScripts() []Script {
	return []Script{
		{"delete-at-source", "three events are deleted from the middle of a journal", inJournal(3, dropEvents)},
		{"delete-head", "the first five events of a journal are deleted", inJournal(5, droppedHead)},
		{"truncate-tail", "the last two events of a journal are deleted, below its newest anchor",
			inJournal(2, droppedTail)},
		{"earlier-copy-and-end", "a journal is an earlier copy, and of a later one the last five events are elsewhere",
			earlierCopyAndEnd},
		{"near-cut-at-anchor", "a journal and its cursors end at the event that the node reported last",
			cutAtAnchor},
		{"cut-journal", "a journal ends in the middle of its last line", cutJournal},
		{"remove-journal", "a journal is removed whole", removeJournal},
		{"empty-journal", "all events of a journal are deleted, and the file stays", inJournal(1, droppedAll)},
		{"remove-newest-anchors", "the cursors beyond the last reported event are gone", removeNewestAnchors},
		{"near-remove-older-anchors", "all cursors but the newest are gone", removeOlderAnchors},
		{"remove-everything", "nothing is left", removeEverything},
		{"forge-far-event", "a copy of an event claims a sequence far beyond the end of its journal",
			inJournal(1, forgedFar)},
		{"forge-next-events",
			"two events follow on the last one of a journal, linked as they should be, and not signed by the node",
			inJournal(2, forgedNext)},
		{"alter-body", "the time in an event's body is altered, by anyone who can write the journal",
			inJournal(1, onEvent(forge.AlterTime))},
		{"alter-recorded-hash", "the hash that is written in an event is altered",
			inJournal(1, onEvent(forge.OnLine(forge.AlterHash("hash"))))},
		{"alter-signature", "a bit of an event's signature is altered",
			inJournal(1, onEvent(forge.OnLine(forge.AlterSignature)))},
		{"respace-event", "an event is written with a space in it, and means the same",
			inJournal(1, onEvent(insertSpace))},
		{"reorder", "two events of a journal change places in the file", inJournal(1, reorderEvents)},
		{"duplicate", "an event is in a journal twice", inJournal(1, repeatEvents)},
		{"near-copied-journal", "a journal is there under a second name", secondFile("journals/copy.ndjson", "")},
		{"near-foreign-file", "an event of a journal is in another node's file as well", foreignFile},
		{"duplicate-member", "a copy of an event has its sequence twice", addCopy(func(line []byte) []byte {
			return bytes.Replace(line, []byte(`"sequence":`), []byte(`"sequence":1,"sequence":`), 1)
		})},
		{"unknown-member", "a copy of an event has a member that no event has",
			addCopy(func(line []byte) []byte { return append(line[:len(line)-1], `,"zone":"eu"}`...) })},
		{"invalid-utf8-event", "a copy of an event has bytes that are not UTF-8", addCopy(func(line []byte) []byte {
			return bytes.Replace(line, []byte(`"type":"`), []byte("\"type\":\"\xff"), 1)
		})},
		{"flood", "300 altered copies of one event", with((*hand).crowdCopies, 300)},
		{"near-crowd", "200 altered copies of one event", with((*hand).crowdCopies, 200)},
	}
}

func earlierCopyAndEnd(h *hand) Damage {
	from, last := h.middle, h.lastSequence()
	h.editJournal(func(lines [][]byte) [][]byte {
		h.Put("elsewhere/tail.txt", bytes.Join(lines[last-5:], nil))
		return lines[:from-1]
	})
	return h.damageOf(from, last-5)
}

func cutJournal(h *hand) Damage {
	name := fleet.Journal(h.node)
	content := h.Read(name)
	h.Put(name, content[:max(len(content)-200, 0)])
	return h.damageOf(h.lastSequence(), h.lastSequence())
}

func cutAtAnchor(h *hand) Damage {
	end := h.lastReported()
	h.editJournal(func(lines [][]byte) [][]byte { return lines[:end] })
	h.keepCursors(func(n uint64) bool { return n <= end })
	return h.damageOf(end+1, h.lastSequence())
}

// copiedEarly ends every journal before the time of the node's event in the middle.
func copiedEarly(h *hand) Damage {
	until := seal.Text(seal.Member(h.eventOf(h.node, h.middle), "body"), "occurred_at")
	for _, node := range h.nodes() {
		h.Edit(fleet.Journal(node), func(lines [][]byte) [][]byte {
			n := 0
			for n < len(lines) && seal.Text(seal.Member(h.eventOf(node, uint64(n+1)), "body"), "occurred_at") < until {
				n++
			}
			return lines[:n]
		})
	}
	return h.damageOf(h.middle, h.lastSequence())
}

func renameLog(h *hand) Damage {
	name := fleet.Journal(h.node)
	masked := bytes.ReplaceAll(h.Read(name), []byte(`"log_id":"node/`+h.node+`"`), []byte(`"log_id":"node/edge-7"`))
	h.Put(name, masked)
	return Damage{"node/edge-7", 1, h.lastSequence(), name}
}

func removeJournal(h *hand) Damage {
	delete(h.Files, fleet.Journal(h.node))
	return h.damageOf(1, h.lastSequence())
}

func removeNewestAnchors(h *hand) Damage {
	end := h.lastReported()
	h.keepCursors(func(n uint64) bool { return n <= end })
	return h.damageOf(end+1, h.lastSequence())
}

func removeOlderAnchors(h *hand) Damage {
	h.keepCursors(func(n uint64) bool { return n == h.lastSequence() })
	return h.damageOf(1, h.lastSequence())
}

func removeEverything(h *hand) Damage {
	clear(h.Files)
	return Damage{}
}

// far is how far beyond its journal a forged event is put.
const far = 1_000_000_000_000_000

// insertSpace writes a space into a line.
func insertSpace(line []byte) []byte { return bytes.Replace(line, []byte("{"), []byte("{ "), 1) }

func foreignFile(h *hand) Damage {
	n := h.middle
	h.AddLine(fleet.Journal(h.otherNode()), seal.Canonical(h.eventOf(h.node, n)))
	return Damage{"node/" + h.node, n, n, fleet.Journal(h.otherNode())}
}

// addCopy adds a changed copy of the event in the middle to the journal.
func addCopy(change func(line []byte) []byte) func(*hand) Damage {
	return func(h *hand) Damage {
		h.AddLine(fleet.Journal(h.node), change(seal.Canonical(h.eventOf(h.node, h.middle))))
		return damageWithin(fleet.Journal(h.node))
	}
}

func spacedCopies(spaces int) func(line []byte) []byte {
	return func(line []byte) []byte { return append([]byte("{"+strings.Repeat(" ", spaces)), line[1:]...) }
}

// crowdCopies adds copies that each have another recorded hash.
func (h *hand) crowdCopies(copies int) Damage {
	n := h.middle
	for i := range copies {
		event := h.eventOf(h.node, n)
		event["hash"] = seal.SHA256([]byte("copy " + strconv.Itoa(i)))
		h.AddLine(fleet.Journal(h.node), seal.Canonical(event))
	}
	return h.damageOf(n, n)
}
