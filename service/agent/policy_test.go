package agent_test

import (
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// Nothing but an envelope of a policy key brings a policy.
func TestPolicyByPolicyKeys(t *testing.T) {
	d := deploy(t)
	a, stop := d.run()
	must.Eventually(t, "enrolment", d.cloud.sees(func() bool { return len(d.cloud.enrolled) == 1 }))
	p := policy(7)
	statement := func(change func(seal.Object)) seal.Object {
		o := seal.Object{
			"protocol": "svc.policy.v1", "tenant_id": tenant, "policy_version": int64(7),
			"published_at": seal.Time(time.Now()), "policy": p,
		}
		change(o)
		return o
	}
	audit := d.cloud.audit
	audit.ID = policyID
	failures := func() int { return strings.Count(d.logs.String(), `"member":"policy"`) }
	for name, envelope := range map[string]seal.Object{
		"by the audit key":     seal.Seal(statement(same), d.cloud.audit),
		"under the key's name": seal.Seal(statement(same), audit),
		"of another tenant":    seal.Seal(statement(func(o seal.Object) { o["tenant_id"] = "other" }), d.cloud.policyKey),
		"of another protocol": seal.Seal(statement(func(o seal.Object) { o["protocol"] = "svc.node-roster.v1" }),
			d.cloud.policyKey),
		"with another version": seal.Seal(statement(func(o seal.Object) { o["policy_version"] = int64(8) }),
			d.cloud.policyKey),
		"without policy": seal.Seal(statement(func(o seal.Object) { delete(o, "policy") }), d.cloud.policyKey),
		"the policy alone, signed": seal.Seal(seal.Object{"protocol": "svc.policy.v1", "tenant_id": tenant,
			"version": int64(7), "policy_version": int64(7)}, d.cloud.policyKey),
	} {
		before := failures()
		d.cloud.change(func() { d.cloud.offers["policy"] = envelope })
		must.Eventually(t, name, func() bool { return failures() > before })
		must.Equal(t, seal.Integer(d.health(a), "policy_version"), 0, "%s: policy was taken over", name)
	}
	d.cloud.publish(p)
	must.Eventually(t, "the true policy", func() bool { return seal.Integer(d.health(a), "policy_version") == 7 })
	stop()
	check.Equal(t, types(d.checkJournal())["policy.synced"], 1, "policies in the journal")
}

// A roster never changes a key that is known, nor gives one to two nodes.
func TestRosterKeepsTheKnownKeys(t *testing.T) {
	d := deploy(t)
	d.run()
	must.Eventually(t, "enrolment", d.cloud.sees(func() bool { return len(d.cloud.enrolled) == 1 }))
	d.cloud.names()
	must.Eventually(t, "the roster", func() bool { return seal.Integer(d.cloud.lastSync(), "roster_version") == 1 })
	for name, change := range map[string]func(nodes, statement seal.Object){
		"another key of this node":   func(n, _ seal.Object) { n[nodeID] = seal.Base64(peer("x").Public()) },
		"a further key of this node": func(n, _ seal.Object) { n[nodeID+"/2"] = seal.Base64(peer("x").Public()) },
		"this node's key elsewhere":  func(n, _ seal.Object) { n["mesh-rome-1"] = n[nodeID] },
		"one key, two nodes": func(n, _ seal.Object) {
			n["mesh-rome-1"], n["mesh-lisbon-1"] = seal.Base64(peer("x").Public()), seal.Base64(peer("x").Public())
		},
		"no key":        func(n, _ seal.Object) { n["mesh-rome-1"] = "AAAA" },
		"an old roster": func(_, s seal.Object) { s["roster_version"] = int64(1) },
	} {
		nodes := seal.Object{nodeID: seal.Base64(d.cloud.roster.Nodes[nodeID])}
		statement := seal.Object{
			"protocol": "svc.node-roster.v1", "tenant_id": tenant, "roster_version": int64(2),
			"published_at": seal.Time(time.Now()), "nodes": nodes,
		}
		change(nodes, statement)
		before := strings.Count(d.logs.String(), `"member":"roster"`)
		// Offered under a name that the cloud does not hold back.
		d.cloud.change(func() { d.cloud.forced = seal.Object{"roster": seal.Seal(statement, d.cloud.policyKey)} })
		must.Eventually(t, name, func() bool { return strings.Count(d.logs.String(), `"member":"roster"`) > before })
		d.cloud.change(func() { d.cloud.forced = nil })
	}
	check.Equal(t, seal.Integer(d.cloud.lastSync(), "roster_version"), 1, "roster was taken over")
}
