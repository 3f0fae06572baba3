package agent_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// publish offers a policy.
func (c *testCloud) publish(policy seal.Object) seal.Object {
	envelope := seal.Seal(seal.Object{
		"protocol": "svc.policy.v1", "tenant_id": tenant, "policy_version": policy["version"],
		"published_at": seal.Time(time.Now()), "policy": policy,
	}, c.policyKey)
	c.change(func() { c.offers["policy"] = envelope })
	return envelope
}

// names offers a roster of these keys and the node's.
func (c *testCloud) names(keys ...seal.Key) {
	c.change(func() {
		for _, key := range keys {
			c.roster.Nodes[key.ID] = key.Public()
		}
		nodes := seal.Object{}
		for id, public := range c.roster.Nodes {
			nodes[id] = seal.Base64(public)
		}
		c.rosterAt++
		c.offers["roster"] = seal.Seal(seal.Object{
			"protocol": "svc.node-roster.v1", "tenant_id": tenant, "roster_version": c.rosterAt,
			"published_at": seal.Time(time.Now()), "nodes": nodes,
		}, c.policyKey)
	})
}

// grow adds events to the tenant log, and offers a checkpoint of its head.
func (c *testCloud) grow(events int) (checkpoint seal.Object) {
	c.change(func() {
		for range events {
			c.log.Append(seal.Entry{Type: "integration.changed", OccurredAt: time.Now(), Data: seal.Object{}}, c.audit)
		}
		checkpoint = seal.Seal(seal.Object{
			"protocol": "svc.audit-checkpoint.v1", "tenant_id": tenant, "log_id": c.log.ID(),
			"sequence": int64(c.log.Sequence()), "head_hash": c.log.Head().String(),
			"required_witnesses": int64(1), "created_at": seal.Time(time.Now()),
		}, c.audit)
		c.offers["checkpoint"] = checkpoint
	})
	return checkpoint
}

// ask gives the node work.
func (c *testCloud) ask(pieces ...seal.Object) {
	c.change(func() {
		c.work = append(c.work, pieces...)
		for _, piece := range pieces {
			if seal.Text(seal.Member(seal.Member(piece, "intent"), "statement"), "promotion") == "automatic_after_health" {
				c.ordered[seal.Text(piece, "transaction_id")] = false
			}
		}
	})
}

// terms are terms of a case that the policy of [policy] allows.
func terms(version seal.Object, change func(seal.Object)) seal.Object {
	o := seal.Object{
		"workload_profile": "payments-api", "algorithm": "ecdsa-p256", "lifetime_seconds": int64(3600),
		"policy_version": version["version"], "policy_sha256": seal.Digest(version), "required_approvals": int64(2),
		"names": seal.Strings([]string{"dns:a.example"}), "extended_key_usages": seal.Strings([]string{"serverAuth"}),
		"public_key_sha256": strings.Repeat("ab", 32),
	}
	change(o)
	return o
}

func same(seal.Object) {}

// policy is a version of the policy.
func policy(version int64) seal.Object {
	return consent.Policy(version,
		consent.Profile{Name: "payments-api", Algorithms: []string{"ecdsa-p256"}, MaximumLifetime: 24 * time.Hour,
			RequiredApprovals: 2},
		consent.Profile{Name: "payments-tls", Algorithms: []string{"ecdsa-p256"}, MaximumLifetime: 24 * time.Hour,
			RequiredApprovals: 2, Names: names},
		consent.Profile{Name: "edge-gateway", Algorithms: []string{"ecdsa-p256"}, MaximumLifetime: 24 * time.Hour,
			RequiredApprovals: 2, Capability: "attested-boot"},
	)
}

// approveWork asks for an approval.
func approveWork(transaction string, terms seal.Object, evidence ...seal.Object) seal.Object {
	return seal.Object{"kind": "approve", "transaction_id": transaction, "terms": terms,
		"capability_evidence": seal.Objects(evidence)}
}

// decisionOf is the decision of a result's statement.
func decisionOf(result seal.Object, name string) string {
	return seal.Text(seal.Member(seal.Member(result, name), "statement"), "decision")
}

func number(i int) string { return fmt.Sprintf("tx-%04d", i) }
