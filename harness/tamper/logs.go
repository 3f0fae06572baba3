package tamper

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// logsPlays need no key: the attacker can write to the files.
var logsPlays = map[string]play{
	"delete-at-source":          inJournal(3, dropEvents),
	"delete-head":               inJournal(5, droppedHead),
	"truncate-tail":             inJournal(2, droppedTail),
	"earlier-copy-and-end":      earlierCopyAndEnd,
	"near-cut-at-anchor":        cutAtAnchor,
	"cut-journal":               cutJournal,
	"remove-journal":            removeJournal,
	"empty-journal":             inJournal(1, droppedAll),
	"remove-newest-anchors":     removeNewestAnchors,
	"near-remove-older-anchors": removeOlderAnchors,
	"remove-everything":         removeEverything,
	"forge-far-event":           inJournal(1, forgedFar),
	"forge-next-events":         inJournal(2, forgedNext),
	"alter-body":                inJournal(1, onEvent(forge.AlterTime)),
	"alter-recorded-hash":       inJournal(1, onEvent(forge.OnLine(forge.AlterHash("hash")))),
	"alter-signature":           inJournal(1, onEvent(forge.OnLine(forge.AlterSignature))),
	"respace-event":             inJournal(1, onEvent(insertSpace)),
	"reorder":                   inJournal(1, reorderEvents),
	"duplicate":                 inJournal(1, repeatEvents),
	"near-copied-journal":       secondFile("journals/copy.ndjson", ""),
	"near-foreign-file":         foreignFile,
	"duplicate-member": addCopy(func(line []byte) []byte {
		return bytes.Replace(line, []byte(`"sequence":`), []byte(`"sequence":1,"sequence":`), 1)
	}),
	"unknown-member": addCopy(func(line []byte) []byte { return append(line[:len(line)-1], `,"zone":"eu"}`...) }),
	"invalid-utf8-event": addCopy(func(line []byte) []byte {
		return bytes.Replace(line, []byte(`"type":"`), []byte("\"type\":\"\xff"), 1)
	}),
	"flood":      with((*hand).crowdCopies, 300),
	"near-crowd": with((*hand).crowdCopies, 200),
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
