package server

import (
	"time"

	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// growth is how far the tenant log has grown, reports of nodes left aside: a
// checkpoint makes nodes write, which makes them report, and so on without end.
type growth struct {
	sequence uint64
	at       time.Time
}

// Intervals of what happens by itself.
const (
	// collectFor is how long a checkpoint may collect receipts before a newer
	// one takes its place.
	collectFor = 5 * time.Second
	// longestGrowth is after how many quiet times a log that never is quiet
	// gets its checkpoint.
	longestGrowth = 10
)

// checkpoints are made of the tenant log, for the nodes to witness.
type checkpoints struct {
	*tenant
	nodes *nodes
	grown growth
}

// grew takes in an event that the cloud logged.
func (cs *checkpoints) grew(event seal.Object) {
	cs.append(event)
	if body := seal.Member(event, "body"); seal.Text(body, "type") != eventtype.NodeReported {
		cs.grown = growth{uint64(seal.Integer(body, "sequence")), cs.now()}
	}
}

// anchor makes a checkpoint of everything that is known, the reports of the
// nodes among it.
func (cs *checkpoints) anchor() {
	cs.nodes.logReports(cs.now(), true)
	cs.cloud.Checkpoint()
	cs.saveCloud()
}

// restore reads the log and what the cloud knows beside it.
func (cs *checkpoints) restore(policy seal.Object) error {
	document, err := cs.store.Get(kindState, stateCloud)
	if err != nil {
		return err
	}
	if err := cs.cloud.Restore(cs.store.Events(), document, policy); err != nil {
		return err
	}
	cs.grown = growth{sequence: cs.cloud.Sequence(), at: cs.now()}
	return nil
}

// anchorQuiet makes a checkpoint once the log has stopped growing, or has grown
// for long.
func (cs *checkpoints) anchorQuiet(now time.Time) {
	checkpoint, _ := cs.cloud.Anchor()
	if cs.grown.sequence <= uint64(versionOf(checkpoint, "sequence")) {
		return
	}
	created, _ := seal.ParseTime(seal.Text(seal.Member(checkpoint, "statement"), "created_at"))
	if quiet := now.Sub(cs.grown.at) >= cs.config.Quiet; quiet || checkpoint != nil &&
		now.Sub(created) >= longestGrowth*cs.config.Quiet {
		cs.anchor()
	}
}

// witnesses is how many receipts the newest checkpoint has.
func (cs *checkpoints) witnesses() int64 {
	_, receipts := cs.cloud.Anchor()
	return int64(len(receipts))
}

// witnessView is who witnessed the newest checkpoint.
func (cs *checkpoints) witnessView() seal.Object {
	_, receipts := cs.cloud.Anchor()
	ids := make([]string, len(receipts))
	for i, receipt := range receipts {
		ids[i] = seal.Text(seal.Member(receipt, "statement"), "node_id")
	}
	return seal.Object{
		"received": int64(len(receipts)), "required": cs.config.RequiredWitnesses, "node_ids": seal.SortedStrings(ids),
	}
}

func (cs *checkpoints) acceptReceipt(n *node, f *fields) error {
	receipt := f.Object("receipt")
	if err := f.close(); err != nil {
		return err
	}
	statement, err := cs.signedBy(n, receipt, "svc.witness-receipt.v1")
	if err != nil {
		return err
	}
	checkpoint, _ := cs.cloud.Anchor()
	if seal.Text(statement, "checkpoint_sha256") != seal.StatementDigest(checkpoint) {
		return conflict("it is not for the newest checkpoint")
	}
	if err := checkReceipt(statement, seal.Member(checkpoint, "statement")); err != nil {
		return err
	}
	if err := cs.cloud.RecordWitness(receipt); err != nil {
		return conflict("%s", err)
	}
	cs.saveCloud()
	return nil
}

// wanted is the newest checkpoint, if the node has not witnessed it.
func (cs *checkpoints) wanted(n *node, witnessed int64) seal.Object {
	checkpoint, receipts := cs.cloud.Anchor()
	if signedOne(n.id, receipts) || versionOf(checkpoint, "sequence") <= witnessed {
		return nil
	}
	return checkpoint
}
