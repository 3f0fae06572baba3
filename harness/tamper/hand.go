package tamper

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// hand is whoever plays a script. The first fault stays, and what follows it
// does not count.
type hand struct {
	*fleet.Evidence
	err error

	chosen   string // the node, "" for the first one
	chosenAt uint64 // the event, 0 for the one in the middle
}

func (h *hand) fail(err error) {
	if h.err == nil {
		h.err = err
	}
}

// smallest is how long a journal must be for the scripts.
const smallest = 8

// measure fails on evidence that is too small for the scripts.
func (h *hand) measure() {
	if len(h.Scene.Journals) < 2 || len(h.Scene.Checkpoints) < 2 || len(h.Scene.Exports) == 0 {
		h.fail(errNone("two nodes, two checkpoints and a bundle"))
		return
	}
	for id, events := range h.Scene.Journals {
		if len(events) < smallest {
			h.fail(errNone(fmt.Sprintf("journal of %s with %d events: play a longer scene", id, smallest)))
		}
	}
}

// node is the node that most scripts are about, other another one.
func (h *hand) node() string {
	if h.chosen != "" {
		return h.chosen
	}
	return h.nodes()[0]
}

func (h *hand) other() string {
	nodes := h.nodes()
	if nodes[1] == h.node() {
		return nodes[0]
	}
	return nodes[1]
}

func (h *hand) nodes() []string { return slices.Sorted(maps.Keys(h.Scene.Journals)) }

// middle is a sequence in the middle of the node's journal.
func (h *hand) middle() uint64 {
	if h.chosenAt > 0 {
		return h.chosenAt
	}
	return uint64(len(h.Scene.Journals[h.node()]) / 2)
}

// content returns a copy of the content of a file.
func (h *hand) content(name string) []byte {
	content, err := h.Content(name)
	if err != nil {
		h.fail(err)
	}
	return bytes.Clone(content)
}

func (h *hand) put(name string, content []byte) { h.Files[name] = fleet.Bytes(content) }

// edit replaces the lines of a file, each with its line feed.
func (h *hand) edit(name string, change func(lines [][]byte) [][]byte) {
	lines := slices.Collect(bytes.Lines(h.content(name)))
	if len(lines) == 0 {
		h.fail(errNone("line in " + name))
		return
	}
	h.put(name, bytes.Join(change(lines), nil))
}

// onLine replaces one line of a file, counted from 1 as events are.
func (h *hand) onLine(name string, number uint64, change func(line []byte) []byte) {
	h.edit(name, func(lines [][]byte) [][]byte {
		lines[number-1] = change(lines[number-1])
		return lines
	})
}

// addLine adds a line to a file.
func (h *hand) addLine(name string, line []byte) {
	h.put(name, append(append(h.content(name), line...), '\n'))
}

// event returns a copy of an event of a node.
func (h *hand) event(nodeID string, sequence uint64) seal.Object {
	return seal.CloneObject(h.Scene.Journals[nodeID][sequence-1])
}

// about is damage to events of a node's journal.
func (h *hand) about(first, last uint64) Damage {
	return Damage{"node/" + h.node(), first, last, fleet.Journal(h.node())}
}

// within is damage to a file alone.
func within(name string) Damage { return Damage{File: name} }

// last is the last sequence of the node's journal.
func (h *hand) last() uint64 { return uint64(len(h.Scene.Journals[h.node()])) }

// anchored returns the sequences of the node's journal that a cursor or a
// report names, ascending.
func (h *hand) anchored() []uint64 {
	var all []uint64
	for _, b := range h.Batches {
		if b.Node == h.node() {
			all = append(all, b.Last)
		}
	}
	return slices.Sorted(slices.Values(append(all, h.reported()...)))
}

// reported returns the sequences of the node's journal that a report in the
// tenant log names, ascending.
func (h *hand) reported() []uint64 {
	var all []uint64
	for _, event := range h.Scene.Tenant {
		body := seal.Member(event, "body")
		data := seal.Member(body, "data")
		if seal.Text(body, "type") == "node.reported" && seal.Text(data, "node_id") == h.node() {
			all = append(all, uint64(seal.Integer(data, "audit_sequence")))
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(all)))
}

// lastReported is the highest of these.
func (h *hand) lastReported() uint64 {
	all := h.reported()
	return all[len(all)-1]
}

// digest is the SHA-256 of bytes.
func digest(b []byte) []byte {
	sum := sha256.Sum256(b)
	return sum[:]
}

// errNone says that the evidence has nothing of a kind.
type errNone string

func (e errNone) Error() string { return "the evidence has no " + string(e) }
