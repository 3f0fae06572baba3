package server

import (
	"fmt"
	"hash/fnv"
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

// work returns the work of a node.
func (is *issuances) work(n *node, now time.Time) []any {
	var list []any
	size, up := 0, is.nodes.up(now)
	for _, t := range is.transactions.inOrder() {
		piece := is.workOf(t, n, is.asked(t, up, now))
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

// workOf returns a node's work for one transaction, or nil.
func (is *issuances) workOf(t *transaction, n *node, asked []*node) seal.Object {
	if t.Rotation != nil && t.Rotation.NodeID == n.id && !t.spurned[n.id] {
		if piece := t.rotationWork(); piece != nil {
			return piece
		}
	}
	if t.status() != statusPending || !slices.Contains(asked, n) {
		return nil
	}
	return is.evidenceWork(t)
}

// evidenceWork returns the work of signing evidence for the transaction.
func (is *issuances) evidenceWork(t *transaction) seal.Object {
	piece := seal.Object{"transaction_id": t.id()}
	switch t.stage(is.policies.current()) {
	case stageObserve:
		piece["kind"] = "observe"
		piece["workload_profile"] = t.Case.Terms["workload_profile"]
		piece["capability"] = consent.RequiredCapability(is.policies.current(), t.Case.Terms)
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

// turn lists the nodes that are up in the order in which they are asked about
// the transaction: another one begins with each transaction.
func (t *transaction) turn(up []*node) []*node {
	if len(up) == 0 {
		return nil
	}
	h := fnv.New32a()
	h.Write([]byte(t.id())) // never fails
	first := int(h.Sum32() % uint32(len(up)))
	turn := slices.Concat(up[first:], up[:first])
	return slices.DeleteFunc(turn, func(n *node) bool { return t.spurned[n.id] })
}

// asked lists the nodes, among the ones that are up, for the transaction's next step: just
// enough of them, and all once these took too long.
func (is *issuances) asked(t *transaction, up []*node, now time.Time) []*node {
	turn, enough := t.turn(up), int64(1)
	switch t.stage(is.policies.current()) {
	case stageObserve:
	case stageApprove:
		turn = slices.DeleteFunc(turn, func(n *node) bool { return t.Votes[n.id] != "" })
		enough = t.required() - int64(len(t.Case.Approvals))
	case stageDecide:
		turn = slices.DeleteFunc(turn, func(n *node) bool { return !t.approvedBy(n.id) })
	default:
		return nil
	}
	if now.Sub(t.Since) < is.config.Patience {
		turn = turn[:min(enough, int64(len(turn)))]
	}
	return turn
}

// stage is the step that an issuance waits for.
type stage int

const (
	stageRequest  stage = iota // the request of a rotation's key
	stageObserve               // capability evidence
	stageApprove               // approvals
	stageDecide                // the customer's decision
	stageComplete              // everything is there
)

// stage returns the step that the transaction waits for under the policy in force.
func (t *transaction) stage(policy seal.Object) stage {
	switch {
	case t.Case.Terms == nil:
		return stageRequest
	case len(t.Case.Capability) == 0 && consent.RequiredCapability(policy, t.Case.Terms) != "":
		return stageObserve
	case int64(len(t.Case.Approvals)) < t.required():
		return stageApprove
	case t.Case.Customer == nil:
		return stageDecide
	}
	return stageComplete
}

// circumstances are the facts by which a transaction is judged, besides itself.
type circumstances struct {
	policy  seal.Object // in force
	enabled int64       // nodes
	unbound *denial     // of a rotation whose integration has changed, else nil
}

// judge returns the step that the transaction waits for, and why nothing can be issued for it
// any more, nil if something can.
func (t *transaction) judge(c circumstances) (stage, *denial) {
	stage := t.stage(c.policy)
	if left := c.enabled - int64(len(t.Denials)); t.Case.Terms != nil && left < t.required() {
		return stage, &denial{"quorum_unreachable", t.unreachable(c, left)}
	}
	if stage != stageComplete {
		return stage, nil
	}
	if decision := seal.Text(seal.Member(t.Case.Customer, "statement"), "decision"); decision != "allow" {
		return stage, &denial{"customer_denied", "the customer's decision is " + decision}
	}
	return stage, c.unbound
}

// unreachable returns why the approvals of a transaction cannot come together, as far as the
// cloud sees it: nodes deny terms that the policy does not allow.
func (t *transaction) unreachable(c circumstances, left int64) string {
	detail := fmt.Sprintf("%d of %d nodes are left to approve, %d must", left, c.enabled, t.required())
	if err := consent.CheckPolicy(c.policy, t.Case.Terms); err != nil {
		detail = fmt.Sprintf("%s; %s", err, detail)
	}
	return detail
}
