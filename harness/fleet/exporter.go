package fleet

import (
	"slices"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// Batch is the content of one request to the collector (SPEC 9.1, 9.2).
type Batch struct {
	Node        string
	ID          string
	First, Last uint64
	Bodies      [][]byte // the events in canonical form, without line feed
	Sent        time.Time

	Cursor seal.Object // that the node signs once the batch was accepted
}

// longestBatch is how many events a batch has at most.
const longestBatch = 64

// cutBatches cuts a node's journal into batches of at most so many events.
func cutBatches(scene *harness.Scene, nodeID string, longest int) []Batch {
	chance := chance.New(scene.Seed).Stream("exporter " + nodeID)
	var batches []Batch
	for rest := scene.Journals[nodeID]; len(rest) > 0; {
		// Most batches are small: an exporter does not wait long.
		n := min(1+chance.Below(1+chance.Below(longest)), len(rest))
		batches, rest = append(batches, newBatch(nodeID, rest[:n], scene.Keys)), rest[n:]
	}
	return batches
}

// newBatch makes a batch of events. The cursor is signed with the key of the last one, once the
// batch was accepted.
func newBatch(nodeID string, events []seal.Object, keys harness.Keys) Batch {
	b := Batch{Node: nodeID, ID: BatchID("node/"+nodeID, events)}
	for _, event := range events {
		b.Bodies = append(b.Bodies, seal.Canonical(event))
	}
	last := events[len(events)-1]
	first, end := seal.Member(events[0], "body"), seal.Member(last, "body")
	b.First, b.Last = uint64(seal.Integer(first, "sequence")), uint64(seal.Integer(end, "sequence"))
	b.Sent = seal.Must(seal.ParseTime(seal.Text(end, "occurred_at"))).Add(latency)
	b.Cursor = seal.Seal(seal.ExportCursor(nodeID, Exporter, last, b.ID, b.Sent.Add(latency)),
		keys.Node[seal.Text(last, "key_id")])
	return b
}

// Exporter is the id of every exporter.
const Exporter = "otlp-archive"

// latency is between the last event of a batch and its delivery, and again
// until the collector's answer is there.
const latency = 150 * time.Millisecond

// BatchID is the id of a batch of events of one log, SPEC 9.2.
func BatchID(logID string, events []seal.Object) string {
	hashes := make([]seal.Hash, len(events))
	for i, event := range events {
		hashes[i] = seal.Must(seal.ParseHash(seal.Text(event, "hash")))
	}
	return seal.BatchID(logID, hashes)
}

// Export has every node export in batches of at most so many events, and returns
// all batches in the order in which they were sent.
func Export(scene *harness.Scene, longest int) []Batch {
	var all []Batch
	for nodeID := range scene.Journals {
		all = append(all, cutBatches(scene, nodeID, longest)...)
	}
	slices.SortFunc(all, func(a, b Batch) int {
		if c := a.Sent.Compare(b.Sent); c != 0 {
			return c
		}
		return strings.Compare(a.Node, b.Node)
	})
	return all
}

// How often a batch is delivered again, and how many others come in between.
const (
	redeliverOneOf = 4
	redeliverAfter = 2
)

// deliverBatches returns the batches as the collector received them: all, and some of
// them again a little later.
func deliverBatches(batches []Batch, chance *chance.Stream) []*Batch {
	again := map[int]*Batch{}
	var received []*Batch
	for i := range batches {
		received = append(received, &batches[i])
		if b := again[i]; b != nil {
			received = append(received, b)
		}
		if chance.Below(redeliverOneOf) == 0 {
			again[i+redeliverAfter] = &batches[i]
		}
	}
	return received
}
