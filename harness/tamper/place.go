package tamper

import (
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// place is an event in the journal of a node, in evidence that is changed.
type place struct {
	*fleet.Edited
	node   string
	middle uint64 // the sequence of the event
}

func (p place) nodes() []string { return slices.Sorted(maps.Keys(p.Scene.Journals)) }

// otherNode is another node.
func (p place) otherNode() string {
	nodes := p.nodes()
	if nodes[1] == p.node {
		return nodes[0]
	}
	return nodes[1]
}

// lastSequence is the last sequence of the node's journal.
func (p place) lastSequence() uint64 { return uint64(len(p.Scene.Journals[p.node])) }

// eventOf returns a copy of an event of a node.
func (p place) eventOf(nodeID string, sequence uint64) seal.Object {
	return seal.CloneObject(p.Scene.Journals[nodeID][sequence-1])
}

// anchoredSequences returns the sequences of the node's journal that a cursor or a
// report names, ascending.
func (p place) anchoredSequences() []uint64 {
	all := p.reportedSequences()
	for _, b := range p.Batches {
		if b.Node == p.node {
			all = append(all, b.Last)
		}
	}
	return slices.Sorted(slices.Values(all))
}

// reportedSequences returns the sequences of the node's journal that a report in the
// tenant log names, ascending.
func (p place) reportedSequences() []uint64 {
	var all []uint64
	for _, data := range p.nodeReports() {
		all = append(all, uint64(seal.Integer(data, "audit_sequence")))
	}
	return slices.Compact(slices.Sorted(slices.Values(all)))
}

// nodeReports are the node's reports in the tenant log.
func (p place) nodeReports() (all []seal.Object) {
	for _, event := range p.Scene.Tenant {
		body := seal.Member(event, "body")
		data := seal.Member(body, "data")
		if seal.Text(body, "type") == "node.reported" && seal.Text(data, "node_id") == p.node {
			all = append(all, data)
		}
	}
	return all
}

// lastReported is the highest sequence that a report names.
func (p place) lastReported() uint64 {
	all := p.reportedSequences()
	return all[len(all)-1]
}

// keyGenerations are the two generations of the node's key.
func (p place) keyGenerations() (first, second seal.Key) {
	keys := p.Scene.Keys.Node
	first, second = keys[p.node], keys[p.node+"/2"]
	if second.ID == "" {
		p.Fail(fleet.None("second generation of keys"))
	}
	return first, second
}

// firstSigned is the first event of the node that is signed by a key.
func (p place) firstSigned(key seal.Key) uint64 {
	for n := uint64(1); n <= p.lastSequence(); n++ {
		if seal.Text(p.eventOf(p.node, n), "key_id") == key.ID {
			return n
		}
	}
	p.Fail(fleet.None("event signed by " + key.ID))
	return 1
}

// copyBatches returns copies of all batches, and which of them has the event.
func (p place) copyBatches() ([]*fleet.Batch, int) {
	all := p.Copies()
	return all, slices.IndexFunc(all, func(b *fleet.Batch) bool {
		return b.Node == p.node && b.First <= p.middle && p.middle <= b.Last
	})
}

// outermostSizes returns how many events the first and the last batch of the node have.
func (p place) outermostSizes() (first, last uint64) {
	for _, b := range p.Batches {
		if b.Node != p.node {
			continue
		}
		if last = b.Last - b.First + 1; first == 0 {
			first = last
		}
	}
	return first, last
}

// journalEntries are the events of the node as its journal has them.
func (p place) journalEntries() []entry {
	var all []entry
	for i, event := range p.Scene.Journals[p.node] {
		all = append(all, entry{sequence: uint64(i + 1), line: seal.Canonical(event)})
	}
	return all
}

// recordedBody is the body of the first event of a type in the tenant log, about a
// transaction, or any for "".
func (p place) recordedBody(eventType, transactionID string) seal.Object {
	for _, event := range p.Scene.Tenant {
		body := seal.Member(event, "body")
		about := seal.Text(body, "transaction_id")
		if seal.Text(body, "type") == eventType && (transactionID == "" || transactionID == about) {
			return body
		}
	}
	p.Fail(fleet.None(eventType + " in the tenant log"))
	return seal.Object{"data": seal.Object{}}
}

// witnessedHead returns the data that the node's journal records about the bundle checkpoint
// that it witnessed last.
func (p place) witnessedHead() seal.Object {
	for _, event := range slices.Backward(p.Scene.Journals[p.node]) {
		if body := seal.Member(event, "body"); seal.Text(body, "type") == "checkpoint.witnessed" {
			return seal.CloneObject(seal.Member(body, "data"))
		}
	}
	p.Fail(fleet.None("witnessed checkpoint"))
	return seal.Object{"sequence": int64(2)}
}

// headAt is the record of a checkpoint of an event of the tenant log, of the
// newest for 0, that is nowhere else.
func (p place) headAt(sequence uint64) seal.Object {
	tenant := p.Scene.Tenant
	if sequence == 0 {
		sequence = uint64(len(tenant))
	}
	return seal.Object{"checkpoint_sha256": seal.SHA256([]byte("checkpoint")), "sequence": int64(sequence),
		"head_hash": seal.Text(tenant[sequence-1], "hash")}
}
