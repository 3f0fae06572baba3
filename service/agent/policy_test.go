package agent_test

import (
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// A policy or a roster that package node refuses is told, and the node goes on with
// what it has.
func TestPolicyByPolicyKeys(t *testing.T) {
	d := deploy(t)
	a, stop := d.run()
	must.Eventually(t, "enrolment", d.cloud.sees(func() bool { return len(d.cloud.enrolled) == 1 }))
	p := policy(7)
	for member, forged := range map[string]seal.Object{
		"policy": seal.Seal(seal.Object{
			"protocol": "svc.policy.v1", "tenant_id": tenant, "policy_version": int64(7),
			"published_at": seal.Time(time.Now()), "policy": p,
		}, d.cloud.audit),
		"roster": seal.Seal(seal.Object{
			"protocol": "svc.node-roster.v1", "tenant_id": tenant, "roster_version": int64(2),
			"published_at": seal.Time(time.Now()), "nodes": seal.Object{nodeID: seal.Base64(peer("x").Public())},
		}, d.cloud.policyKey),
	} {
		// Offered in a way that the cloud does not hold back.
		d.cloud.change(func() { d.cloud.forced = seal.Object{member: forged} })
		must.Eventually(t, "the refusal of the "+member,
			func() bool { return strings.Contains(d.logs.String(), `"member":"`+member+`"`) })
	}
	d.cloud.change(func() { d.cloud.forced = nil })
	check.Equal(t, seal.Integer(d.health(a), "policy_version"), 0, "the policy that was taken over")
	check.Equal(t, seal.Integer(d.cloud.lastSync(), "roster_version"), 0, "the roster that was taken over")
	check.That(t, d.metric(a, `svc_node_policy_sync_total{result="failure"}`) != "0", "no failure is counted")
	d.cloud.publish(p)
	must.Eventually(t, "the true policy", func() bool { return seal.Integer(d.health(a), "policy_version") == 7 })
	stop()
	check.Equal(t, types(d.checkJournal())["policy.synced"], 1, "policies in the journal")
}
