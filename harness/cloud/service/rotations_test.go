package service_test

import (
	"net/http"
	"testing"

	"github.com/svc-edge/svc-verify/harness/cloud/service"
	"github.com/svc-edge/svc-verify/harness/wire"
)

// rotate is the body of a rotation.
func rotate(kind, id, mode string) wire.Object {
	return wire.Object{
		"integrationKind": kind, "integrationId": id, "names": wire.Strings([]string{"dns:web.acme.example"}),
		"algorithm": "ecdsa-p256", "promotionMode": mode,
	}
}

// assigned is a fleet with a healthy integration of its first node.
func assigned(t testing.TB, kind string, change ...func(*service.Config)) (*bench, []*mesh) {
	t.Helper()
	b, nodes := fleet(t, change...)
	b.as(operator, "PUT", "/api/v1/integrations/web", desired(kind, nodes[0].id))
	b.shows("web", "healthy", "")
	return b, nodes
}

// starts a rotation and returns its transaction.
func (b *bench) rotates(kind, mode string) string {
	b.t.Helper()
	return wire.Text(b.as(operator, "POST", "/v1/managed/rotate", rotate(kind, "web", mode)), "transaction_id")
}

// rotation waits until a rotation has this status.
func (b *bench) rotation(id, status string) wire.Object {
	b.t.Helper()
	var o wire.Object
	b.eventually("the rotation is "+status, func() bool {
		o = b.status(id, "0")
		return wire.Text(wire.Member(o, "rotation"), "status") == status
	})
	return o
}

func TestAutomaticRotation(t *testing.T) {
	b, nodes := assigned(t, "nginx")
	id := b.rotates("nginx", "automatic_after_health")
	if o := b.rotation(id, "promoted"); o["status"] != "issued" {
		t.Errorf("promoted: %s", wire.Canonical(o))
	}
	b.verified(id, "issued", nodes)
	if !has(b.types(), "rotation.requested", "rotation.issuing", "issuance.requested", "issuance.completed", "rotation.delivering", "rotation.promoted") {
		t.Errorf("the log has %v", b.types())
	}
	b.refused("not_found", operator, "POST", "/api/v1/transactions/tx-none/promotion", wire.Object{})
}

func TestManualRotation(t *testing.T) {
	b, nodes := assigned(t, "nginx")
	id := b.rotates("nginx", "manual")
	b.rotation(id, "staged")
	b.refused("conflict", operator, "POST", "/v1/managed/rotate", rotate("nginx", "web", "manual"))
	if code := nodes[0].give(wire.Object{"kind": "deliver", "transaction_id": id, "status": "promoted"}); code != "conflict" {
		t.Errorf("the node promoted by itself: %q", code)
	}
	if code := nodes[1].give(wire.Object{"kind": "deliver", "transaction_id": id, "status": "failed", "error_code": "x"}); code != "identity_refused" {
		t.Errorf("another node speaks for it: %q", code)
	}
	b.restart()
	promotion := "/api/v1/transactions/" + id + "/promotion"
	b.as(operator, "POST", promotion, wire.Object{})
	b.rotation(id, "promoted")
	b.as(operator, "POST", promotion, wire.Object{})
	found := wire.List(b.overview(), "rotations")
	if len(found) != 1 || found[0].(wire.Object)["status"] != "promoted" || found[0].(wire.Object)["transaction_id"] != id {
		t.Errorf("the console shows %v", found)
	}
	// A change after the promotion changes nothing.
	b.as(operator, "DELETE", "/api/v1/integrations/web", nil)
	if o := b.status(id, "0"); o["status"] != "issued" {
		t.Errorf("after it was unassigned: %s", wire.Canonical(o))
	}
	b.verified(id, "issued", nodes)
}

func TestRotationThatFails(t *testing.T) {
	b, nodes := assigned(t, "nginx")
	m := nodes[0]
	m.set(func() {
		m.mode = func(kind string, result wire.Object) wire.Object {
			if kind == "deliver" {
				return wire.Object{"kind": "deliver", "transaction_id": result["transaction_id"], "status": "failed", "error_code": "not_written"}
			}
			return result
		}
	})
	id := b.rotates("nginx", "manual")
	if o := b.rotation(id, "failed"); o["code"] != "not_written" || o["status"] != "issued" {
		t.Errorf("failed: %s", wire.Canonical(o))
	}
	b.refused("conflict", operator, "POST", "/api/v1/transactions/"+id+"/promotion", wire.Object{})
	m.set(func() {
		m.mode = func(kind string, result wire.Object) wire.Object {
			if kind == "request" {
				return wire.Object{"kind": "request", "transaction_id": result["transaction_id"], "error_code": "no_space_left"}
			}
			return result
		}
	})
	second := b.rotates("nginx", "manual")
	b.denied(second, "no_space_left")
	b.rotation(second, "denied")
}

// A node's request for a key must be for the rotation's names and algorithm.
func TestRefusesForgedRequests(t *testing.T) {
	b, nodes := assigned(t, "nginx")
	m := nodes[0]
	m.down()
	id := b.rotates("nginx", "manual")
	request := func(csr []byte) wire.Object {
		return wire.Object{"kind": "request", "transaction_id": id, "csr": wire.Base64(csr)}
	}
	good := request(m.request(id, []string{"dns:web.acme.example"}))
	for name, result := range map[string]wire.Object{
		"other names":        request(m.request("other", []string{"dns:evil.example"})),
		"no request":         request([]byte("x")),
		"a code besides":     {"kind": "request", "transaction_id": id, "csr": good["csr"], "error_code": "x"},
		"neither":            {"kind": "request", "transaction_id": id},
		"a delivery":         {"kind": "deliver", "transaction_id": id, "status": "staged"},
		"a failure, no code": {"kind": "deliver", "transaction_id": id, "status": "failed"},
	} {
		if m.give(result) == "" {
			t.Errorf("%s was taken", name)
		}
	}
	if code := nodes[1].give(good); code != "identity_refused" {
		t.Errorf("of another node: %q", code)
	}
	for range 2 {
		if code := m.give(good); code != "" {
			t.Errorf("the request: %s", code)
		}
	}
}

// What a rotation is bound to must stay, before and after it was issued.
func TestRotationBinding(t *testing.T) {
	b, nodes := assigned(t, "secret_store")
	b.publish(2)
	b.publish(3)
	b.eventually("every node has policy 3", func() bool { return b.states("ok") == 3 })
	change := map[string]func(wire.Object){
		"reference": set("adapter_reference", "local/another"), "profile": set("profile_id", "payments-api"),
		"node": set("node_id", nodes[1].id), "integration": set("enabled", false), "revision": func(wire.Object) {},
	}
	for part, f := range change {
		for _, stage := range []string{"requested", "staged"} {
			b.as(operator, "PUT", "/api/v1/integrations/web", desired("secret_store", nodes[0].id))
			b.shows("web", "healthy", "")
			nodes[0].set(func() { nodes[0].deaf["request"] = stage == "requested" })
			id := b.rotates("secret_store", "manual")
			b.rotation(id, stage)
			o := desired("secret_store", nodes[0].id)
			f(o)
			b.as(operator, "PUT", "/api/v1/integrations/web", o)
			got := b.rotation(id, "denied")
			if got["status"] != "denied" || got["code"] != "secret_store_integration_binding_mismatch" || got["detail"] != "the "+part+" of the integration has changed" {
				t.Errorf("%s changed while %s: %s", part, stage, wire.Canonical(got))
			}
			if stage == "staged" {
				b.verified(id, "revoked", nodes)
			}
			b.refused("conflict", operator, "POST", "/api/v1/transactions/"+id+"/promotion", wire.Object{})
		}
	}
	if got := b.count("rotation.denied"); got != 2*len(change) || b.count("certificate.revoked") != len(change) {
		t.Errorf("%d rotations denied, %d certificates revoked", got, b.count("certificate.revoked"))
	}
}

// A rotation of a node that is disabled, or of a certificate that is revoked,
// has come to its end.
func TestRotationEnds(t *testing.T) {
	b, nodes := assigned(t, "nginx")
	id := b.rotates("nginx", "manual")
	b.rotation(id, "staged")
	b.as(operator, "POST", "/api/v1/transactions/"+id+"/revocation", wire.Object{"reason": "superseded"})
	if o := b.rotation(id, "denied"); o["status"] != "revoked" {
		t.Errorf("revoked: %s", wire.Canonical(o))
	}
	second := b.rotates("nginx", "manual")
	b.rotation(second, "staged")
	b.as(operator, "POST", nodes[0].path("disablement"), wire.Object{})
	if o := b.rotation(second, "denied"); o["status"] != "denied" || o["code"] != "integration_binding_mismatch" {
		t.Errorf("its node is disabled: %s", wire.Canonical(o))
	}
}

func TestRefusesRotations(t *testing.T) {
	b, nodes := assigned(t, "secret_store")
	start := func(change func(wire.Object)) wire.Object {
		o := rotate("secret_store", "web", "manual")
		change(o)
		return o
	}
	refused := func(code string, change func(wire.Object)) {
		t.Helper()
		if p := b.refused(code, operator, "POST", "/v1/managed/rotate", start(change)); p.Status != http.StatusConflict && code != "request_invalid" && code != "issuance_paused" {
			t.Errorf("%s: status %d", code, p.Status)
		}
	}
	none := func(wire.Object) {}
	const unavailable, mismatch = "secret_store_integration_unavailable", "secret_store_integration_binding_mismatch"
	refused(unavailable, none) // the policy is of version 1
	b.publish(2)
	refused(unavailable, none)
	b.publish(3)
	b.eventually("every node has policy 3", func() bool { return b.states("ok") == 3 })
	refused(unavailable, set("integrationId", "none"))
	refused("conflict", set("integrationKind", "nginx"))
	refused(mismatch, set("revision", int64(2)))
	for name, change := range map[string]func(wire.Object){
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
	m.give(says("web", 1, "degraded", "store_unavailable"))
	refused(unavailable, none)
	m.give(says("web", 1, "healthy", ""))
	other := desired("secret_store", m.id)
	other["profile_id"] = "unmapped"
	b.as(operator, "PUT", "/api/v1/integrations/web", other)
	b.shows("web", "healthy", "")
	refused("profile_not_mapped", none)
	m.set(func() { m.deaf["integration"] = true })
	b.as(operator, "PUT", "/api/v1/integrations/web", desired("secret_store", m.id))
	refused(unavailable, none) // pending_node
	b.as(operator, "DELETE", "/api/v1/integrations/web", nil)
	refused(unavailable, none)
	m.set(func() { m.deaf["integration"] = false })
	b.as(operator, "PUT", "/api/v1/integrations/web", desired("secret_store", m.id))
	b.shows("web", "healthy", "")
	b.as(operator, "POST", pauses, wire.Object{"reason": "test"})
	refused("issuance_paused", none)
	if n := b.count("rotation.requested"); n != 0 {
		t.Errorf("%d of the refused rotations were begun", n)
	}
}
