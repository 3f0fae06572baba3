package server

import (
	"fmt"

	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// stage is what an issuance waits for.
type stage int

const (
	stageRequest  stage = iota // the request of a rotation's key
	stageObserve               // capability evidence
	stageApprove               // approvals
	stageDecide                // the customer's decision
	stageComplete              // everything is there
)

// stage is what the transaction waits for under the policy in force.
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

// circumstances are what a transaction is judged by, beside itself.
type circumstances struct {
	policy  seal.Object // in force
	enabled int64       // nodes
	unbound *denial     // of a rotation whose integration has changed, else nil
}

// judge returns what the transaction waits for, and why nothing can be issued for
// it any more, nil if something can.
func (t *transaction) judge(c circumstances) (stage, *denial) {
	stage := t.stage(c.policy)
	if left := c.enabled - int64(len(t.denials)); t.Case.Terms != nil && left < t.required() {
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

// unreachable says why the approvals of a transaction cannot come together, as
// far as the cloud sees it: nodes deny what the policy does not allow.
func (t *transaction) unreachable(c circumstances, left int64) string {
	detail := fmt.Sprintf("%d of %d nodes are left to approve, %d must", left, c.enabled, t.required())
	if err := consent.CheckPolicy(c.policy, t.Case.Terms); err != nil {
		detail = fmt.Sprintf("%s; %s", err, detail)
	}
	return detail
}
