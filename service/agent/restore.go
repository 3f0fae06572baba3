package agent

import (
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/node"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
)

// restore makes the node of the state directory, or a new one.
func (a *Agent) restore() error {
	roster := consent.NewRoster(a.config.TenantID)
	roster.Audit, roster.Policies = a.config.AuditKeys, a.config.PolicyKeys
	if err := a.restoreIdentity(roster); err != nil {
		return err
	}
	state, err := a.readState()
	if err != nil {
		return err
	}
	a.node, err = node.Restore(node.Config{
		ID: a.config.NodeID, Roster: roster, Clock: a.clock, Salts: chance.Fresh().Stream("salts"), Key: *a.key.Load(),
		CapabilityLifetime: a.capabilities, Keep: a.append,
	}, state)
	if err != nil {
		return err
	}
	return errors.Join(a.restoreProgress(), a.restoreOutbox(), a.restoreIntegrations())
}

// restoreIdentity reads every generation of the node's key, or makes the first.
func (a *Agent) restoreIdentity(roster *consent.Roster) error {
	identity, err := a.store.Get(kindIdentity, only)
	if err != nil {
		return err
	}
	if identity == nil {
		if identity, err = a.begin(); err != nil {
			return err
		}
	}
	if tenant, id := seal.Text(identity, "tenant_id"), seal.Text(identity, "node_id"); tenant != a.config.TenantID || id != a.config.NodeID {
		return fmt.Errorf("the state directory is that of node %q of %q", id, tenant)
	}
	a.generation = seal.Integer(identity, "generation")
	for g := int64(1); g <= a.generation; g++ {
		key, err := readKey(a.config.StateDirectory.Path, a.config.NodeID, g)
		if err != nil {
			return err
		}
		if want := seal.Text(seal.Member(identity, "keys"), key.ID); seal.Base64(key.Public()) != want {
			return fmt.Errorf("%s: expected the private key of %s, found another", keyFile(g), want)
		}
		roster.Nodes[key.ID] = key.Public()
		a.key.Store(&key)
	}
	return nil
}

// begin makes the first key of a new node, and the statement that enrols it.
func (a *Agent) begin() (seal.Object, error) {
	if sequence, err := a.store.Sequence(); err != nil || sequence > 0 {
		return nil, errors.Join(err, fmt.Errorf("the state directory has a journal of %d events, and no identity", sequence))
	}
	key, err := makeKey(a.config.StateDirectory.Path, a.config.NodeID, 1)
	if err != nil {
		return nil, err
	}
	a.key.Store(&key)
	identity := seal.Object{
		"tenant_id": a.config.TenantID, "node_id": a.config.NodeID, "generation": int64(1),
		"keys": seal.Object{key.ID: seal.Base64(key.Public())},
	}
	return identity, a.store.Update(func(tx *durable.Tx) error {
		if err := tx.Put(kindIdentity, only, identity); err != nil {
			return err
		}
		return tx.Put(kindEnrolment, enrolmentID(1), a.enrolment(key))
	})
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
		Journal: a.events(), Policy: seal.Member(policy, "policy"), Roster: roster, Witnessed: witnessed,
	}, err
}

// restoreProgress reads how far the node has followed the cloud.
func (a *Agent) restoreProgress() error {
	policy, err := a.store.Get(kindPolicy, only)
	if err != nil {
		return err
	}
	if policy != nil {
		if a.synced, err = seal.ParseTime(seal.Text(policy, "synced_at")); err != nil {
			return fmt.Errorf("the stored policy: %w", err)
		}
	}
	registrations, err := a.store.Get(kindRegistrations, only)
	if err != nil {
		return err
	}
	notices, err := a.store.Get(kindNotices, only)
	if err != nil {
		return err
	}
	holder, err := a.store.Get(kindHolder, only)
	a.registrations, a.noticed = seal.Integer(registrations, "version"), seal.Integer(notices, "sequence")
	a.holder = seal.Text(holder, "integration_id")
	return err
}
