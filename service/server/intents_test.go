package server_test

import (
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// A node is told what a rotation is to do by a policy key, under the policy in
// force, and the same again after a restart.
func TestIntent(t *testing.T) {
	b, nodes := assigned(t, "nginx")
	m := nodes[0]
	m.down()
	id := b.rotates("nginx", "automatic_after_health")
	piece := m.piece("request", id)
	must.Equal(t, len(piece), 3, "the work is %s", seal.Canonical(piece))
	statement := must.Get(m.node.OpenIntent(seal.Member(piece, "intent")))(t)
	check.Do(t, check.Err(seal.ParseTime(seal.Text(statement, "issued_at"))))
	want := seal.Object{
		"protocol": "svc.rotation-intent.v1", "tenant_id": tenant, "node_id": m.id, "transaction_id": id,
		"integration_id": "web",
		"kind":           "nginx", "adapter_reference": "local/main", "profile_id": "store-tls", "revision": int64(1),
		"names": seal.Strings([]string{"dns:web.acme.example"}), "algorithm": "ecdsa-p256",
		"promotion":      "automatic_after_health",
		"policy_version": int64(1), "policy_sha256": seal.Digest(policy(1)), "issued_at": statement["issued_at"],
	}
	check.Equal(t, seal.Digest(statement), seal.Digest(want), "the intent is %s", seal.Canonical(statement))
	check.That(t, check.Err(nodes[1].node.OpenIntent(seal.Member(piece, "intent"))) != nil,
		"it is an intent for another node, too")
	b.restart()
	if again := m.piece("request", id); seal.Digest(again) != seal.Digest(piece) {
		t.Errorf("after a restart the work is %s", seal.Canonical(again))
	}
}

// An intent under a policy that is no longer in force would be refused by its
// node.
func TestPolicyChangeDeniesRequestedRotations(t *testing.T) {
	b, nodes := assigned(t, "nginx")
	nodes[0].set(func() { nodes[0].deaf["request"] = true })
	id := b.rotatesTo("requested", "nginx", "manual")
	b.publish(2)
	b.denied(id, "policy_changed")
	b.rotation(id, "denied")
	nodes[0].set(func() { delete(nodes[0].deaf, "request") })
	must.Eventually(b.t, "every node has policy 2", func() bool { return b.states("ok") == 3 })
	b.rotation(b.rotates("nginx", "manual"), "staged")
}

// wantSteps wants that a rotation shows these steps, in the order of time.
func wantSteps(t *testing.T, o seal.Object, want ...string) {
	t.Helper()
	var found []string
	last := ""
	for _, step := range seal.ObjectList(o, "steps") {
		found = append(found, seal.Text(step, "status"))
		if at := seal.Text(step, "at"); at < last || at == "" {
			t.Errorf("%q after %q", at, last)
		} else {
			last = at
		}
	}
	check.Equal(t, seal.Digest(seal.Strings(found)), seal.Digest(seal.Strings(want)),
		"the steps are %q, want %q", found, want)
}

// The console shows what a rotation went through, and how it ended.
func TestStepsOfRotations(t *testing.T) {
	b, nodes := assigned(t, "nginx")
	m := nodes[0]
	answers := func(kind string, with seal.Object) {
		m.set(func() {
			m.mode = func(of string, result seal.Object) seal.Object {
				if of != kind {
					return result
				}
				with["transaction_id"] = result["transaction_id"]
				return with
			}
		})
	}
	first := b.rotatesTo("staged", "nginx", "manual")
	b.restart()
	b.as(operator, "POST", "/api/v1/transactions/"+first+"/promotion", seal.Object{})
	b.rotation(first, "promoted")
	o := b.shown("rotations", "transaction_id", first)
	wantSteps(t, o, "requested", "issuing", "delivering", "staged", "promoting", "promoted")
	wants(t, o, "the console shows", "node_id", m.id, "kind", "nginx", "code", nil)

	answers("deliver", seal.Object{"kind": "deliver", "status": "failed", "error_code": "promotion_unconfirmed"})
	second := b.rotatesTo("failed", "nginx", "automatic_after_health")
	o = b.shown("rotations", "transaction_id", second)
	wantSteps(t, o, "requested", "issuing", "delivering", "failed")
	check.That(t, o["code"] == "promotion_unconfirmed" && seal.Text(o, "detail") != "",
		"the console shows %s", seal.Canonical(o))
	check.Equal(t, seal.Integer(seal.Member(b.overview(), "trust_health"), "active_certificates"), 1,
		"active certificates, without the one that never came into use")
	b.verified(second, "revoked", nodes)
	b.refused("conflict", operator, "POST", "/api/v1/transactions/"+second+"/promotion", seal.Object{})

	answers("request", seal.Object{"kind": "request", "error_code": "integration_unavailable",
		"integration_error_code": "adapter_unavailable"})
	third := b.rotatesTo("denied", "nginx", "manual")
	b.denied(third, "integration_unavailable")
	o = b.shown("rotations", "transaction_id", third)
	wantSteps(t, o, "requested", "denied")
	wants(t, o, "the console shows", "code", "integration_unavailable", "integration_error_code", "adapter_unavailable")
	b.restart()
	wants(t, seal.Member(b.status(third, "0"), "rotation"), "after a restart", "integration_error_code",
		"adapter_unavailable")
}
