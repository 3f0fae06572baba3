package server

import (
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/signer"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/form"
)

// orders are the requests of operators that affect open transactions.
type orders struct {
	*issuances
	registrations *registrations
}

// publishPolicy puts the next version of the policy in force. Transactions that are open under
// the one before are denied: their nodes would deny them one by one.
func (o *orders) publishPolicy(c *call) (seal.Object, error) {
	f := readFields(c.Body)
	policy := f.Object("policy")
	return o.answerOrder(c, f, func() (seal.Object, error) {
		if err := checkPolicy(policy); err != nil {
			return nil, err
		}
		changed, err := o.policies.publish(policy)
		if changed && err == nil {
			o.denyPending(denial{"policy_changed", "the policy was replaced before the transaction was decided"})
		}
		return seal.Object{"policy_version": policy["version"], "policy_sha256": seal.Digest(policy)}, err
	})
}

// disable excludes a node: it is refused from now on, and open transactions in which it took
// part are denied.
func (o *orders) disable(c *call) (seal.Object, error) {
	return o.answerOrder(c, readFields(c.Body), func() (seal.Object, error) {
		id := c.PathValue("id")
		changed, err := o.nodes.disable(id)
		if changed && err == nil {
			o.leave(id)
		}
		return seal.Object{"node_id": id, "state": nodeDisabled}, err
	})
}

// saveIntegration saves an integration as an operator entered it.
func (o *orders) saveIntegration(c *call) (seal.Object, error) {
	id := c.PathValue("id")
	f := readFields(c.Body)
	next := integration{}
	next.IntegrationID, next.Kind = id, f.Word("kind", adapter.Nginx, adapter.SecretStore, kindCertificateManager)
	next.Reference, next.ProfileID = f.Text("adapter_reference", form.Reference), f.Text("profile_id", form.Identifier)
	next.Enabled = f.Flag("enabled")
	if next.Kind != kindCertificateManager {
		next.NodeID = f.Text("node_id", form.SubjectID)
	}
	if !form.SubjectID.Is(id) {
		f.Fail("integration", "a subject id in the path")
	}
	return o.answerOrder(c, f, func() (seal.Object, error) {
		if next.NodeID != "" && !o.nodes.has(next.NodeID) {
			return nil, conflictError("no node %s takes part", next.NodeID)
		}
		if err := o.integrations.enter(&next); err != nil {
			return nil, err
		}
		o.integrations.assign(&next, "Saved. Waiting for the node to acknowledge it.")
		o.checkBindings(&next)
		return next.view(), nil
	})
}

// testIntegration has the node apply the integration anew.
func (o *orders) testIntegration(c *call) (seal.Object, error) {
	return o.answerOrder(c, readFields(c.Body), func() (seal.Object, error) {
		i, err := o.integrations.find(c.PathValue("id"))
		if err != nil {
			return nil, err
		}
		if !i.Enabled {
			return nil, conflictError("integration %s is disabled", i.IntegrationID)
		}
		o.integrations.assign(i, "The test was recorded. Waiting for the node to acknowledge it.")
		o.checkBindings(i)
		return i.view(), nil
	})
}

// unassign disables an integration. Its node gets the tombstone.
func (o *orders) unassign(c *call) (seal.Object, error) {
	return o.answerOrder(c, readFields(c.Body), func() (seal.Object, error) {
		i, err := o.integrations.find(c.PathValue("id"))
		if err != nil {
			return nil, err
		}
		if i.Enabled {
			o.integrations.withdraw(i)
			o.checkBindings(i)
		}
		return i.view(), nil
	})
}

// pause is the kill switch: nothing is issued from now on, and open transactions are denied.
func (o *orders) pause(c *call) (seal.Object, error) {
	f := readFields(c.Body)
	reason := f.Text("reason", form.Sentence)
	return o.answerOrder(c, f, func() (seal.Object, error) {
		if err := o.incidents.pause(reason); err != nil {
			return nil, err
		}
		o.denyPending(denial{"issuance_paused", "issuance was paused"})
		return seal.Object{"issuance_paused": true, "reason": reason}, nil
	})
}

// claim registers a service with the node that represents it.
func (o *orders) claim(c *call) (seal.Object, error) {
	name := c.PathValue("service")
	f := readFields(c.Body)
	registration := seal.Object{
		"service": name, "workload_profile": f.Text("workload_profile", form.Identifier),
		"node_id": f.Text("node_id", form.SubjectID),
	}
	if !form.Identifier.Is(name) {
		f.Fail("service", "an identifier in the path")
	}
	return o.answerOrder(c, f, func() (seal.Object, error) {
		if id := seal.Text(registration, "node_id"); !o.nodes.has(id) {
			return nil, conflictError("no node %s takes part", id)
		}
		o.registrations.enter(registration)
		return registration, nil
	})
}

// revokeTransaction revokes the certificate of a transaction.
func (o *orders) revokeTransaction(c *call) (seal.Object, error) {
	f := readFields(c.Body)
	reason := f.Word("reason", signer.Reasons...)
	return o.answerOrder(c, f, func() (seal.Object, error) {
		t, err := o.transactions.of(c)
		if err != nil {
			return nil, err
		}
		if err := o.revoke(t, reason); err != nil {
			return nil, err
		}
		return t.view(), nil
	})
}
