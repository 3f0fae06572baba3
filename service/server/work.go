package server

import (
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// Limits of the work in one answer.
const (
	maximumWork       = 64
	maximumWorkOctets = 4 << 20
)

// work is what a node has to do.
func (s *Server) work(n *node, now time.Time) []any {
	var list []any
	size, up := 0, s.nodes.up(now)
	for _, t := range s.transactions.inOrder() {
		piece := s.workOf(t, n, s.asked(t, up, now))
		if piece == nil {
			continue
		}
		if size += len(seal.Canonical(piece)); len(list) == maximumWork || size > maximumWorkOctets && len(list) > 0 {
			break
		}
		list = append(list, piece)
	}
	return list
}

// workOf is what a node has to do for one transaction, or nil.
func (s *Server) workOf(t *transaction, n *node, asked []*node) seal.Object {
	if t.rotation != nil && t.rotation.nodeID == n.id && !t.spurned[n.id] {
		if piece := t.rotationWork(); piece != nil {
			return piece
		}
	}
	if t.status != statusPending || !slices.Contains(asked, n) {
		return nil
	}
	return s.evidenceWork(t)
}

// evidenceWork is what a node has to sign for the transaction.
func (s *Server) evidenceWork(t *transaction) seal.Object {
	piece := seal.Object{"transaction_id": t.id()}
	switch s.stage(t) {
	case stageObserve:
		piece["kind"] = "observe"
		piece["workload_profile"] = t.Case.Terms["workload_profile"]
		piece["capability"] = consent.RequiredCapability(s.policies.current(), t.Case.Terms)
		return piece
	case stageApprove:
		piece["kind"] = "approve"
	case stageDecide:
		piece["kind"] = "decide"
		piece["approvals"] = seal.Objects(t.Case.Approvals)
	}
	piece["terms"], piece["capability_evidence"] = t.Case.Terms, seal.Objects(t.Case.Capability)
	return piece
}
