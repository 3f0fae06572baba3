package server_test

import (
	"net/http"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/server"
)

// The binding of a rotation must stay, before and after it was issued.
func TestRotationBinding(t *testing.T) {
	t.Parallel()
	b, nodes := assigned(t, "secret_store")
	b.publish(2)
	b.publish(3)
	must.Eventually(b.t, "every node has policy 3", func() bool { return b.states("ok") == 3 })
	change := map[string]func(seal.Object){
		"reference": set("adapter_reference", "local/another"), "profile": set("profile_id", "payments-api"),
		"node": set("node_id", nodes[1].id), "integration": set("enabled", false), "revision": func(seal.Object) {},
	}
	for part, f := range change {
		for _, stage := range []string{"requested", "staged"} {
			b.as(operator, "PUT", "/api/v1/integrations/web", desired("secret_store", nodes[0].id))
			b.shows("web", "healthy", "")
			nodes[0].set(func() { nodes[0].deaf["request"] = stage == "requested" })
			id := b.rotatesTo(stage, "secret_store", "manual")
			o := desired("secret_store", nodes[0].id)
			f(o)
			b.as(operator, "PUT", "/api/v1/integrations/web", o)
			got := b.rotation(id, "denied")
			if got["status"] != map[string]string{"requested": "denied", "staged": "revoked"}[stage] || got["code"] != "secret_store_integration_binding_mismatch" ||
				got["detail"] != "the "+part+" of the integration has changed" {
				t.Errorf("%s changed while %s: %s", part, stage, seal.Canonical(got))
			}
			if stage == "staged" {
				b.verified(id, "revoked", nodes)
			}
			b.refused("conflict", operator, "POST", "/api/v1/transactions/"+id+"/promotion", seal.Object{})
		}
	}
	if got := b.count("rotation.denied"); got != 2*len(change) || b.count("certificate.revoked") != len(change) {
		t.Errorf("%d rotations denied, %d certificates revoked", got, b.count("certificate.revoked"))
	}
}

// The binding is checked again before the signer issues, when the node
// delivers, and when an operator promotes.
func TestRotationBindingIsCheckedAgain(t *testing.T) {
	b, nodes := assigned(t, "nginx")
	const code = "integration_binding_mismatch"
	settle := func() {
		b.as(operator, "PUT", "/api/v1/integrations/web", desired("nginx", nodes[0].id))
		b.shows("web", "healthy", "")
	}
	setDeaf(nodes, true, "decide")
	first := b.rotates("nginx", "manual")
	must.Eventually(b.t, "it is approved", func() bool {
		return seal.Integer(seal.Member(b.status(first, "0"), "approvals"), "received") == 2
	})
	server.Rebind(b.server, "web")
	setDeaf(nodes, false, "decide")
	b.denied(first, code)

	settle()
	setDeaf(nodes, true, "deliver")
	second := b.rotatesTo("delivering", "nginx", "manual")
	server.Rebind(b.server, "web")
	check.Equal(t, nodes[0].give(seal.Object{"kind": "deliver", "transaction_id": second, "status": "staged"}), code,
		"delivered")
	b.rotation(second, "denied")

	settle()
	setDeaf(nodes, false, "deliver")
	third := b.rotatesTo("staged", "nginx", "manual")
	server.Rebind(b.server, "web")
	b.refused(code, operator, "POST", "/api/v1/transactions/"+third+"/promotion", seal.Object{})
	b.rotation(third, "denied")
	for _, id := range []string{second, third} {
		b.verified(id, "revoked", nodes)
	}
}

func TestRefusesRotations(t *testing.T) {
	b, nodes := assigned(t, "secret_store")
	start := func(change func(seal.Object)) seal.Object {
		o := rotate("secret_store", "web", "manual")
		change(o)
		return o
	}
	refused := func(code string, change func(seal.Object)) string {
		t.Helper()
		p := b.refused(code, operator, "POST", "/v1/managed/rotate", start(change))
		check.That(t, (p.Status == http.StatusConflict || code == "request_invalid") || code == "issuance_paused",
			"%s: status %d", code, p.Status)
		return p.IntegrationCode
	}
	none := func(seal.Object) {}
	const unavailable, mismatch = "secret_store_integration_unavailable", "secret_store_integration_binding_mismatch"
	refused(unavailable, none) // the policy is of version 1
	b.publish(2)
	refused(unavailable, none)
	b.publish(3)
	must.Eventually(b.t, "every node has policy 3", func() bool { return b.states("ok") == 3 })
	refused(unavailable, set("integrationId", "none"))
	refused("conflict", set("integrationKind", "nginx"))
	refused(mismatch, set("revision", int64(2)))
	for name, change := range map[string]func(seal.Object){
		"an unknown kind":      set("integrationKind", "certificate_manager"),
		"an unknown algorithm": set("algorithm", "dsa"),
		"an unknown mode":      set("promotionMode", "never"),
		"no names":             set("names", []any{}),
		"a member too many":    set("x", "y"),
	} {
		_ = name
		refused("request_invalid", change)
	}
	m := nodes[0]
	for _, code := range []string{"adapter_reference_invalid", "profile_not_mapped"} {
		m.give(says("web", 1, "degraded", code))
		refused(code, none)
	}
	for _, why := range []string{"store_unavailable", "store_bootstrap_failed", "store_state_invalid",
		"store_pointer_invalid", "store_recovery_pending"} {
		m.give(says("web", 1, "degraded", why))
		check.Equal(t, refused(unavailable, none), why, "%s: the refusal names", why)
	}
	m.give(says("web", 1, "healthy", ""))
	other := desired("secret_store", m.id)
	other["profile_id"] = "unmapped"
	b.as(operator, "PUT", "/api/v1/integrations/web", other)
	b.shows("web", "healthy", "")
	refused("profile_not_mapped", none)
	m.set(func() { m.deaf["integration"] = true })
	b.as(operator, "PUT", "/api/v1/integrations/web", desired("secret_store", m.id))
	if got := refused(unavailable, none); got != "" { // pending_node
		t.Errorf("the refusal names %q", got)
	}
	b.as(operator, "DELETE", "/api/v1/integrations/web", nil)
	refused(unavailable, none)
	m.set(func() { m.deaf["integration"] = false })
	b.as(operator, "PUT", "/api/v1/integrations/web", desired("secret_store", m.id))
	b.shows("web", "healthy", "")
	b.as(operator, "POST", pauses, seal.Object{"reason": "test"})
	refused("issuance_paused", none)
	check.Equal(t, b.count("rotation.requested"), 0, "of the refused rotations were begun")
}

// A node gets the intent of a rotation, signed by a policy key, under the policy in force, and
// the same again after a restart.
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
	again := m.piece("request", id)
	check.That(t, seal.Digest(again) == seal.Digest(piece), "after a restart the work is %s", seal.Canonical(again))
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

// The console shows the steps of a rotation, and how it ended.
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
