package replay

import (
	"context"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/verify"
)

// UseLedger makes the rows of a ledger known, as far as it can be believed, and takes
// the policy before the change from its newest run. That is the policy after the
// change too, except for what the caller asks for.
func (o *Options) UseLedger(ctx context.Context, l *ledger.Ledger, asked verify.Policy) error {
	o.Known = l.Objects(ctx)
	switch l.Standing() {
	case ledger.Foreign:
		o.Remarks = append(o.Remarks, "verdicts of the ledger, which is another user's")
		return nil
	case ledger.Changed:
		o.Remarks = append(o.Remarks, "the ledger, which was altered: "+l.Fault().Error())
		o.Doubt = true
		return nil
	}
	number, _ := l.Newest()
	if number == 0 {
		return nil
	}
	newest, err := l.Run(number)
	if err != nil {
		return err
	}
	o.Old.Policy, o.New.Policy = newest.Policy, newest.Policy
	if asked.MinimumApprovals > 0 {
		o.New.Policy.MinimumApprovals = asked.MinimumApprovals
	}
	if !asked.LegacyBefore.IsZero() {
		o.New.Policy.LegacyBefore = asked.LegacyBefore
	}
	if asked.TenantID != "" {
		o.New.Policy.TenantID = asked.TenantID
	}
	return nil
}
