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
func cutBatches(scene *harness.Scene, nodeID string, longest int) ([]Batch, error) {
	chance := chance.New(scene.Seed).Stream("exporter " + nodeID)
	var batches []Batch
	for rest := scene.Journals[nodeID]; len(rest) > 0; {
		// Most batches are small: an exporter does not wait long.
		n := min(1+chance.Below(1+chance.Below(longest)), len(rest))
		b, err := newBatch(nodeID, rest[:n])
		if err != nil {
			return nil, err
		}
		b.Cursor = b.signCursor(rest[n-1], scene.Keys)
		batches, rest = append(batches, b), rest[n:]
	}
	return batches, nil
}

func newBatch(nodeID string, events []seal.Object) (Batch, error) {
	b := Batch{Node: nodeID}
	for _, event := range events {
		b.Bodies = append(b.Bodies, seal.Canonical(event))
	}
	first, last := seal.Member(events[0], "body"), seal.Member(events[len(events)-1], "body")
	b.First, b.Last = uint64(seal.Integer(first, "sequence")), uint64(seal.Integer(last, "sequence"))
	made, err := seal.ParseTime(seal.Text(last, "occurred_at"))
	b.Sent = made.Add(latency)
	if err == nil {
		b.ID, err = BatchID("node/"+nodeID, events)
	}
	return b, err
}

// latency is between the last event of a batch and its delivery, and again
// until the collector's answer is there.
const latency = 150 * time.Millisecond

// BatchID is the id of a batch of events of one log, SPEC 9.2.
func BatchID(logID string, events []seal.Object) (string, error) {
	hashes := make([]seal.Hash, len(events))
	for i, event := range events {
		var err error
		if hashes[i], err = seal.ParseHash(seal.Text(event, "hash")); err != nil {
			return "", err
		}
	}
	return seal.BatchID(logID, hashes), nil
}

// signCursor is the cursor that the node signs, with the key of the batch's last
// event, once the batch was accepted.
func (b *Batch) signCursor(last seal.Object, keys harness.Keys) seal.Object {
	body := seal.Member(last, "body")
	return seal.Seal(seal.Object{
		"protocol":     "svc.export-cursor.v1",
		"tenant_id":    body["tenant_id"],
		"node_id":      b.Node,
		"exporter_id":  "otlp-archive",
		"sequence":     body["sequence"],
		"event_hash":   last["hash"],
		"batch_id":     b.ID,
		"committed_at": seal.Time(b.Sent.Add(latency)),
	}, keys.Node[seal.Text(last, "key_id")])
}

// Export has every node export in batches of at most so many events, and returns
// all batches in the order in which they were sent.
func Export(scene *harness.Scene, longest int) ([]Batch, error) {
	var all []Batch
	for nodeID := range scene.Journals {
		batches, err := cutBatches(scene, nodeID, longest)
		if err != nil {
			return nil, err
		}
		all = append(all, batches...)
	}
	slices.SortFunc(all, func(a, b Batch) int {
		if c := a.Sent.Compare(b.Sent); c != 0 {
			return c
		}
		return strings.Compare(a.Node, b.Node)
	})
	return all, nil
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
