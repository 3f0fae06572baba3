package agent

import (
	"errors"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/node"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// restore makes the node of the state directory, or a new one.
func (a *Agent) restore() error {
	roster := consent.NewRoster(a.config.TenantID)
	roster.Audit, roster.Policies = a.config.AuditKeys, a.config.PolicyKeys
	if err := a.identity.restore(roster); err != nil {
		return err
	}
	state, err := a.readState()
	if err != nil {
		return err
	}
	a.node, err = node.Restore(node.Config{
		ID: a.config.NodeID, Roster: roster, Clock: a.clock, Salts: chance.Fresh().Stream("salts"), Key: *a.key.Load(),
		CapabilityLifetime: a.capabilities.lifetime, Keep: a.append,
	}, state)
	if err != nil {
		return err
	}
	return errors.Join(a.progress.restore(), a.outbox.restore(), a.adapters.restore(), a.integrations.restore())
}

// readState reads what the node must not lose.
func (a *Agent) readState() (node.State, error) {
	policy, err := a.store.Get(kindPolicy, only)
	if err != nil {
		return node.State{}, err
	}
	roster, err := a.store.Get(kindRoster, only)
	if err != nil {
		return node.State{}, err
	}
	witnessed, err := a.store.Get(kindWitnessed, only)
	return node.State{
		Journal: a.store.Events(), Policy: seal.Member(policy, "policy"), Roster: roster, Witnessed: witnessed,
	}, err
}
