package server

import (
	"time"

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

// grew takes in an event that the cloud logged.
func (s *Server) grew(event seal.Object) {
	s.append(event)
	if body := seal.Member(event, "body"); seal.Text(body, "type") != "node.reported" {
		s.grown = growth{uint64(seal.Integer(body, "sequence")), s.now()}
	}
}

// anchor makes a checkpoint of everything that is known, the reports of the
// nodes among it.
func (s *Server) anchor() {
	s.nodes.logReports(s.now(), true)
	s.cloud.Checkpoint()
	s.saveCloud()
}

// restore reads the log and what the cloud knows beside it.
func (s *Server) restoreLog(policy seal.Object) error {
	document, err := s.store.Get(kindState, stateCloud)
	if err != nil {
		return err
	}
	if err := s.cloud.Restore(s.events(), document, policy); err != nil {
		return err
	}
	s.grown = growth{sequence: s.cloud.Sequence(), at: s.now()}
	return nil
}

// anchorQuiet makes a checkpoint once the log has stopped growing, or has grown
// for long.
func (s *Server) anchorQuiet(now time.Time) {
	checkpoint, _ := s.cloud.Anchor()
	if s.grown.sequence <= uint64(versionOf(checkpoint, "sequence")) {
		return
	}
	created, _ := seal.ParseTime(seal.Text(seal.Member(checkpoint, "statement"), "created_at"))
	if quiet := now.Sub(s.grown.at) >= s.config.Quiet; quiet || checkpoint != nil && now.Sub(created) >= longestGrowth*s.config.Quiet {
		s.anchor()
	}
}

// witnesses is how many receipts the newest checkpoint has.
func (s *Server) witnesses() int64 {
	_, receipts := s.cloud.Anchor()
	return int64(len(receipts))
}

// witnessView is who witnessed the newest checkpoint.
func (s *Server) witnessView() seal.Object {
	_, receipts := s.cloud.Anchor()
	ids := make([]string, len(receipts))
	for i, receipt := range receipts {
		ids[i] = seal.Text(seal.Member(receipt, "statement"), "node_id")
	}
	return seal.Object{
		"received": int64(len(receipts)), "required": s.config.RequiredWitnesses, "node_ids": seal.SortedStrings(ids),
	}
}

func (s *Server) acceptReceipt(n *node, f *form) error {
	receipt := f.object("receipt")
	if err := f.close(); err != nil {
		return err
	}
	statement, err := s.signedBy(n, receipt, "svc.witness-receipt.v1")
	if err != nil {
		return err
	}
	checkpoint, _ := s.cloud.Anchor()
	if seal.Text(statement, "checkpoint_sha256") != seal.StatementDigest(checkpoint) {
		return conflict("it is not for the newest checkpoint")
	}
	if err := checkReceipt(statement, seal.Member(checkpoint, "statement")); err != nil {
		return err
	}
	if err := s.cloud.RecordWitness(receipt); err != nil {
		return conflict("%s", err)
	}
	s.saveCloud()
	return nil
}

// wanted is the newest checkpoint, if the node has not witnessed it.
func (s *Server) wanted(n *node, witnessed int64) seal.Object {
	checkpoint, receipts := s.cloud.Anchor()
	if signedOne(n.id, receipts) || versionOf(checkpoint, "sequence") <= witnessed {
		return nil
	}
	return checkpoint
}
