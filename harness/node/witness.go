package node

import (
	"fmt"
	"iter"
	"time"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// checkpointTolerance is how far ahead of the node's clock a checkpoint may
// have been made, SPEC 7.13.
const checkpointTolerance = 300 * time.Second

// witnessed is the state that a node must never forget about a log that it witnesses.
type witnessed struct {
	logID    string
	frontier *chain.Frontier // at the head that was witnessed last, or genesis
	receipt  seal.Object     // for that head; nil before the first
}

func newWitnessed(tenantID, logID string) *witnessed {
	return &witnessed{logID: logID, frontier: chain.NewFrontier(chain.Genesis(tenantID, logID))}
}

// Witnessed is the sequence of the tenant log that the node witnessed last,
// 0 if none. The links to witness the next checkpoint with start after it.
func (n *Node) Witnessed() uint64 { return n.witnessed.frontier.Sequence() }

// Replay is a replay of the tenant log that is under way. It does not change the node's
// witnessed state.
type Replay struct {
	from     uint64
	frontier *chain.Frontier
}

// Replay begins a replay at the head that the node witnessed last.
func (n *Node) Replay() *Replay {
	return &Replay{n.Witnessed(), n.witnessed.frontier.Clone()}
}

// Sequence is how far the replay got.
func (r *Replay) Sequence() uint64 { return r.frontier.Sequence() }

// Take replays the next link. It fails, and adds nothing, if the link is not the next one or
// does not hang on the links before it.
func (r *Replay) Take(l seal.Link) error {
	err := r.frontier.Append(chain.Link{
		Sequence: l.Sequence,
		Previous: chain.Hash(l.Previous),
		Skip:     chain.Hash(l.Skip),
		Body:     chain.Hash(l.Body),
	})
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	return nil
}

// Witness replays every link since the head that the node witnessed last, and
// signs a receipt as WitnessReplay does.
func (n *Node) Witness(checkpoint seal.Object, links iter.Seq[seal.Link]) (seal.Object, error) {
	needed, err := n.NeedsReplay(checkpoint)
	if err != nil || !needed {
		return n.witnessed.receipt, err
	}
	replay := n.Replay()
	for l := range links {
		if err := replay.Take(l); err != nil {
			return nil, err
		}
	}
	return n.witnessHead(seal.Member(checkpoint, "statement"), replay)
}

// NeedsReplay opens a checkpoint and reports whether it is a newer one than the
// node has witnessed. It fails if the node may not witness it: one of a lower
// sequence, or of another head for the same one.
func (n *Node) NeedsReplay(checkpoint seal.Object) (bool, error) {
	statement, err := n.openCheckpoint(checkpoint)
	if err != nil {
		return false, fmt.Errorf("checkpoint: %w", err)
	}
	last, lastHead := n.Witnessed(), n.witnessed.frontier.Head().String()
	sequence, head := uint64(seal.Integer(statement, "sequence")), seal.Text(statement, "head_hash")
	switch {
	case sequence < last || sequence == 0:
		return false, fmt.Errorf("checkpoint: sequence %d, after %d was witnessed", sequence, last)
	case sequence == last && head != lastHead:
		return false, fmt.Errorf("checkpoint: head %q at sequence %d, after %s was witnessed", head, last, lastHead)
	}
	return sequence > last, nil
}

// WitnessReplay signs a receipt for a checkpoint if the replay, of every link
// since the head that the node witnessed last, leads to its head, SPEC 5.2. The
// node never witnesses a lower sequence, nor another head for the same one; for
// the same head it returns the same receipt.
func (n *Node) WitnessReplay(checkpoint seal.Object, replay *Replay) (seal.Object, error) {
	needed, err := n.NeedsReplay(checkpoint)
	if err != nil || !needed {
		return n.witnessed.receipt, err
	}
	return n.witnessHead(seal.Member(checkpoint, "statement"), replay)
}

func (n *Node) witnessHead(statement seal.Object, replay *Replay) (seal.Object, error) {
	if replay.from != n.Witnessed() {
		return nil, fmt.Errorf("replay: it began at %d, and %d was witnessed since", replay.from, n.Witnessed())
	}
	sequence, head := seal.Integer(statement, "sequence"), seal.Text(statement, "head_hash")
	if f := replay.frontier; int64(f.Sequence()) != sequence || f.Head().String() != head {
		return nil, fmt.Errorf("checkpoint: the links lead to %d %s, not to %d %q", f.Sequence(), f.Head(), sequence, head)
	}
	n.witnessed.frontier, n.witnessed.receipt = replay.frontier, n.witnessReceipt(statement)
	n.Note(eventtype.CheckpointWitnessed, "", seal.Object{
		"checkpoint_sha256": seal.Digest(statement), "sequence": sequence, "head_hash": head,
	})
	return n.witnessed.receipt, nil
}

// openCheckpoint opens a checkpoint that a node may witness.
func (n *Node) openCheckpoint(checkpoint seal.Object) (seal.Object, error) {
	statement, err := n.roster.Open(checkpoint, "svc.audit-checkpoint.v1", "log_id", n.witnessed.logID)
	if err != nil {
		return nil, err
	}
	created, err := seal.ParseTime(seal.Text(statement, "created_at"))
	if now := n.clock.Next(); err != nil || created.After(now.Add(checkpointTolerance)) {
		return nil, fmt.Errorf("created_at: expected a time up to %s, found %q", seal.Time(now),
			seal.Text(statement, "created_at"))
	}
	return statement, nil
}

func (n *Node) witnessReceipt(checkpoint seal.Object) seal.Object {
	return seal.Seal(seal.Object{
		"protocol":          "svc.witness-receipt.v1",
		"tenant_id":         n.roster.TenantID,
		"log_id":            n.witnessed.logID,
		"node_id":           n.id,
		"checkpoint_sha256": seal.Digest(checkpoint),
		"sequence":          checkpoint["sequence"],
		"head_hash":         checkpoint["head_hash"],
		"witnessed_at":      seal.Time(n.clock.Next()),
	}, n.key)
}
