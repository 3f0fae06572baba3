package agent_test

import (
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/wire"
)

// Nothing but an envelope of a policy key brings a policy.
func TestPolicyByPolicyKeys(t *testing.T) {
	d := deploy(t)
	a, stop := d.run()
	eventually(t, "enrolment", func() bool { d.cloud.mu.Lock(); defer d.cloud.mu.Unlock(); return len(d.cloud.enrolled) == 1 })
	p := policy(7)
	statement := func(change func(wire.Object)) wire.Object {
		o := wire.Object{
			"protocol": "svc.policy.v1", "tenant_id": tenant, "policy_version": int64(7), "published_at": wire.Time(time.Now()), "policy": p,
		}
		change(o)
		return o
	}
	audit := d.cloud.audit
	audit.ID = policyID
	failures := func() int { return strings.Count(d.logs.String(), `"member":"policy"`) }
	for name, envelope := range map[string]wire.Object{
		"by the audit key":         wire.Seal(statement(same), d.cloud.audit),
		"under the key's name":     wire.Seal(statement(same), audit),
		"of another tenant":        wire.Seal(statement(func(o wire.Object) { o["tenant_id"] = "other" }), d.cloud.policyKey),
		"of another protocol":      wire.Seal(statement(func(o wire.Object) { o["protocol"] = "svc.node-roster.v1" }), d.cloud.policyKey),
		"with another version":     wire.Seal(statement(func(o wire.Object) { o["policy_version"] = int64(8) }), d.cloud.policyKey),
		"without policy":           wire.Seal(statement(func(o wire.Object) { delete(o, "policy") }), d.cloud.policyKey),
		"the policy alone, signed": wire.Seal(wire.Object{"protocol": "svc.policy.v1", "tenant_id": tenant, "version": int64(7), "policy_version": int64(7)}, d.cloud.policyKey),
	} {
		before := failures()
		d.cloud.change(func() { d.cloud.offers["policy"] = envelope })
		eventually(t, name, func() bool { return failures() > before })
		if v := wire.Integer(d.health(a), "policy_version"); v != 0 {
			t.Fatalf("%s: policy %d was taken over", name, v)
		}
	}
	d.cloud.publish(p)
	eventually(t, "the true policy", func() bool { return wire.Integer(d.health(a), "policy_version") == 7 })
	stop()
	if n := types(d.checkJournal())["policy.synced"]; n != 1 {
		t.Errorf("%d policies in the journal", n)
	}
}

// A roster never changes a key that is known, nor gives one to two nodes.
func TestRosterKeepsTheKnownKeys(t *testing.T) {
	d := deploy(t)
	d.run()
	eventually(t, "enrolment", func() bool { d.cloud.mu.Lock(); defer d.cloud.mu.Unlock(); return len(d.cloud.enrolled) == 1 })
	d.cloud.names()
	eventually(t, "the roster", func() bool { return wire.Integer(d.cloud.lastSync(), "roster_version") == 1 })
	for name, change := range map[string]func(nodes, statement wire.Object){
		"another key of this node":   func(n, _ wire.Object) { n[nodeID] = wire.Base64(peer("x").Public()) },
		"a further key of this node": func(n, _ wire.Object) { n[nodeID+"/2"] = wire.Base64(peer("x").Public()) },
		"this node's key elsewhere":  func(n, _ wire.Object) { n["mesh-rome-1"] = n[nodeID] },
		"one key, two nodes": func(n, _ wire.Object) {
			n["mesh-rome-1"], n["mesh-lisbon-1"] = wire.Base64(peer("x").Public()), wire.Base64(peer("x").Public())
		},
		"no key":        func(n, _ wire.Object) { n["mesh-rome-1"] = "AAAA" },
		"an old roster": func(_, s wire.Object) { s["roster_version"] = int64(1) },
	} {
		nodes := wire.Object{nodeID: wire.Base64(d.cloud.roster.Nodes[nodeID])}
		statement := wire.Object{
			"protocol": "svc.node-roster.v1", "tenant_id": tenant, "roster_version": int64(2), "published_at": wire.Time(time.Now()), "nodes": nodes,
		}
		change(nodes, statement)
		before := strings.Count(d.logs.String(), `"member":"roster"`)
		// Offered under a name that the cloud does not hold back.
		d.cloud.change(func() { d.cloud.forced = wire.Object{"roster": wire.Seal(statement, d.cloud.policyKey)} })
		eventually(t, name, func() bool { return strings.Count(d.logs.String(), `"member":"roster"`) > before })
		d.cloud.change(func() { d.cloud.forced = nil })
	}
	if v := wire.Integer(d.cloud.lastSync(), "roster_version"); v != 1 {
		t.Errorf("roster %d was taken over", v)
	}
}
