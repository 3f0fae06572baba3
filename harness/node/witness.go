package node

import (
	"fmt"
	"iter"
	"time"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/harness/wire"
)

// checkpointTolerance is how far ahead of the node's clock a checkpoint may
// have been made, SPEC 7.13.
const checkpointTolerance = 300 * time.Second

// witnessed is what a node must never forget about a log that it witnesses.
type witnessed struct {
	logID    string
	frontier *chain.Frontier // at the head that was witnessed last, or genesis
	receipt  wire.Object     // for that head; nil before the first
}

func newWitnessed(tenantID, logID string) *witnessed {
	return &witnessed{logID: logID, frontier: chain.NewFrontier(chain.Genesis(tenantID, logID))}
}

// Witnessed is the sequence of the tenant log that the node witnessed last,
// 0 if none. The links to witness the next checkpoint with start after it.
func (n *Node) Witnessed() uint64 { return n.witnessed.frontier.Sequence() }

// Witness replays every link since the head that the node witnessed last, and
// signs a receipt if they lead to the checkpoint's head, SPEC 5.2. It never
// witnesses a lower sequence, nor another head for the same one; for the same
// head it returns the same receipt.
func (n *Node) Witness(checkpoint wire.Object, links iter.Seq[wire.Link]) (wire.Object, error) {
	statement, err := n.openCheckpoint(checkpoint)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	w := n.witnessed
	sequence, head := uint64(wire.Integer(statement, "sequence")), wire.Text(statement, "head_hash")
	switch last := w.frontier.Sequence(); {
	case sequence < last || sequence == 0:
		return nil, fmt.Errorf("checkpoint: sequence %d, after %d was witnessed", sequence, last)
	case sequence == last && head != w.frontier.Head().String():
		return nil, fmt.Errorf("checkpoint: head %q at sequence %d, after %s was witnessed", head, last, w.frontier.Head())
	case sequence == last:
		return w.receipt, nil
	}
	frontier, err := replay(w.frontier, links)
	if err != nil {
		return nil, err
	}
	if frontier.Sequence() != sequence || frontier.Head().String() != head {
		return nil, fmt.Errorf("checkpoint: the links lead to %d %s, not to %d %q", frontier.Sequence(), frontier.Head(), sequence, head)
	}
	w.frontier, w.receipt = frontier, n.witnessReceipt(statement)
	n.record("checkpoint.witnessed", "", wire.Object{
		"checkpoint_sha256": wire.Digest(statement), "sequence": statement["sequence"], "head_hash": head,
	})
	return w.receipt, nil
}

// openCheckpoint opens a checkpoint that a node may witness.
func (n *Node) openCheckpoint(checkpoint wire.Object) (wire.Object, error) {
	statement, err := n.roster.Open(checkpoint, "svc.audit-checkpoint.v1")
	if err != nil {
		return nil, err
	}
	if found := wire.Text(statement, "log_id"); found != n.witnessed.logID {
		return nil, fmt.Errorf("log_id: expected %s, found %q", n.witnessed.logID, found)
	}
	created, err := wire.ParseTime(wire.Text(statement, "created_at"))
	if now := n.clock.Next(); err != nil || created.After(now.Add(checkpointTolerance)) {
		return nil, fmt.Errorf("created_at: expected a time up to %s, found %q", wire.Time(now), wire.Text(statement, "created_at"))
	}
	return statement, nil
}

// replay takes the links, one for each sequence, into a copy of the frontier.
func replay(from *chain.Frontier, links iter.Seq[wire.Link]) (*chain.Frontier, error) {
	frontier := from.Clone()
	for l := range links {
		err := frontier.Append(chain.Link{
			Sequence: l.Sequence,
			Previous: chain.Hash(l.Previous),
			Skip:     chain.Hash(l.Skip),
			Body:     chain.Hash(l.Body),
		})
		if err != nil {
			return nil, fmt.Errorf("replay: %w", err)
		}
	}
	return frontier, nil
}

func (n *Node) witnessReceipt(checkpoint wire.Object) wire.Object {
	return wire.Seal(wire.Object{
		"protocol":          "svc.witness-receipt.v1",
		"tenant_id":         n.roster.TenantID,
		"log_id":            n.witnessed.logID,
		"node_id":           n.id,
		"checkpoint_sha256": wire.Digest(checkpoint),
		"sequence":          checkpoint["sequence"],
		"head_hash":         checkpoint["head_hash"],
		"witnessed_at":      wire.Time(n.clock.Next()),
	}, n.key)
}
