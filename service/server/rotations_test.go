package server_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"testing"

	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/server"
)

// rotate is the body of a rotation.
func rotate(kind, id, mode string) seal.Object {
	return seal.Object{
		"integrationKind": kind, "integrationId": id, "names": seal.Strings([]string{"dns:web.acme.example"}),
		"algorithm": "ecdsa-p256", "promotionMode": mode,
	}
}

// assigned is a fleet with a healthy integration of its first node.
func assigned(t testing.TB, kind string, change ...func(*server.Config)) (*bench, []*mesh) {
	t.Helper()
	b, nodes := fleet(t, change...)
	b.as(operator, "PUT", "/api/v1/integrations/web", desired(kind, nodes[0].id))
	b.shows("web", "healthy", "")
	return b, nodes
}

// starts a rotation and returns its transaction.
func (b *bench) rotates(kind, mode string) string {
	b.t.Helper()
	return seal.Text(b.as(operator, "POST", "/v1/managed/rotate", rotate(kind, "web", mode)), "transaction_id")
}

// rotation waits until a rotation has this status.
func (b *bench) rotation(id, status string) seal.Object {
	b.t.Helper()
	var o seal.Object
	must.Eventually(b.t, "the rotation is "+status, func() bool {
		o = b.status(id, "0")
		return seal.Text(seal.Member(o, "rotation"), "status") == status
	})
	return o
}

// rotatesTo starts a rotation, waits until it has this status, and returns its
// transaction.
func (b *bench) rotatesTo(status, kind, mode string) string {
	b.t.Helper()
	id := b.rotates(kind, mode)
	b.rotation(id, status)
	return id
}

func TestAutomaticRotation(t *testing.T) {
	b, nodes := assigned(t, "nginx")
	id := b.rotates("nginx", "automatic_after_health")
	wants(t, b.rotation(id, "promoted"), "promoted", "status", "issued")
	b.verified(id, "issued", nodes)
	if !has(b.types(), "rotation.requested", "rotation.issuing", "issuance.requested", "issuance.completed",
		"rotation.delivering", "rotation.promoted") {
		t.Errorf("the log has %v", b.types())
	}
	b.refused("not_found", operator, "POST", "/api/v1/transactions/tx-none/promotion", seal.Object{})
}

func TestManualRotation(t *testing.T) {
	b, nodes := assigned(t, "nginx")
	id := b.rotatesTo("staged", "nginx", "manual")
	b.refused("conflict", operator, "POST", "/v1/managed/rotate", rotate("nginx", "web", "manual"))
	check.Equal(t, nodes[0].give(seal.Object{"kind": "deliver", "transaction_id": id,
		"status": "promoted"}), "conflict", "the node promoted by itself")
	check.Equal(t, nodes[1].give(seal.Object{"kind": "deliver", "transaction_id": id, "status": "failed",
		"error_code": "x"}), "identity_refused", "another node speaks for it")
	b.restart()
	promotion := "/api/v1/transactions/" + id + "/promotion"
	b.as(operator, "POST", promotion, seal.Object{})
	b.rotation(id, "promoted")
	b.as(operator, "POST", promotion, seal.Object{})
	check.Equal(t, len(seal.List(b.overview(), "rotations")), 1, "rotations are shown")
	wants(t, b.shown("rotations", "transaction_id", id), "the console shows", "status", "promoted")
	// A change after the promotion changes nothing.
	b.as(operator, "DELETE", "/api/v1/integrations/web", nil)
	wants(t, b.status(id, "0"), "after it was unassigned", "status", "issued")
	b.verified(id, "issued", nodes)
}

// A node's request for a key must be for the rotation's names and algorithm.
func TestRefusesForgedRequests(t *testing.T) {
	b, nodes := assigned(t, "nginx")
	m := nodes[0]
	m.down()
	id := b.rotates("nginx", "manual")
	request := func(csr []byte) seal.Object {
		return seal.Object{"kind": "request", "transaction_id": id, "csr": seal.Base64(csr)}
	}
	good := request(m.request(id, []string{"dns:web.acme.example"}))
	larger := must.Get(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))(t)
	p384 := must.Get(pki.Request(larger, []string{"dns:web.acme.example"}))(t)
	for name, result := range map[string]seal.Object{
		"another algorithm":  request(p384),
		"other names":        request(m.request("other", []string{"dns:evil.example"})),
		"no request":         request([]byte("x")),
		"a code besides":     {"kind": "request", "transaction_id": id, "csr": good["csr"], "error_code": "x"},
		"neither":            {"kind": "request", "transaction_id": id},
		"a delivery":         {"kind": "deliver", "transaction_id": id, "status": "staged"},
		"a failure, no code": {"kind": "deliver", "transaction_id": id, "status": "failed"},
	} {
		check.That(t, m.give(result) != "", "%s was taken", name)
	}
	check.Equal(t, nodes[1].give(good), "identity_refused", "of another node")
	for range 2 {
		check.Equal(t, m.give(good), "", "the request")
	}
}

// A rotation that is staged keeps all later ones out until it is cancelled. One
// that is being promoted is not cancelled.
func TestCancelsRotations(t *testing.T) {
	b, nodes := assigned(t, "nginx")
	m := nodes[0]
	for i, stage := range []string{"requested", "issuing", "delivering", "staged"} {
		held := map[string]string{"requested": "request", "issuing": "approve", "delivering": "deliver"}[stage]
		setDeaf(nodes, true, held)
		status := map[bool]string{false: "denied", true: "revoked"}[i >= 2] // it was issued
		id := b.rotatesTo(stage, "nginx", "manual")
		b.refused("conflict", operator, "POST", "/v1/managed/rotate", rotate("nginx", "web", "manual"))
		revision := b.integration("web")["revision"].(int64)
		for range 2 { // the same again is answered as before
			o := b.as(other, "POST", "/api/v1/transactions/"+id+"/cancellation", seal.Object{})
			wants(t, o, "cancelled while "+stage, "status", status, "code", "rotation_cancelled")
			wants(t, seal.Member(o, "rotation"), "cancelled while "+stage, "status", "denied")
		}
		check.Equal[any](t, b.integration("web")["revision"], revision+1,
			"cancelled while %s: the integration went from revision %d to", stage, revision)
		setDeaf(nodes, false, held)
		b.shows("web", "healthy", "")
		check.Equal(t, seal.Integer(seal.Member(b.overview(), "trust_health"), "active_certificates"), 0,
			"cancelled while %s: active certificates", stage)
		if i >= 2 {
			b.verified(id, "revoked", nodes)
		}
	}
	setDeaf(nodes, true, "promote")
	id := b.rotatesTo("promoting", "nginx", "automatic_after_health")
	cancellation := "/api/v1/transactions/" + id + "/cancellation"
	b.refused("conflict", operator, "POST", cancellation, seal.Object{})
	setDeaf(nodes, false, "promote")
	b.rotation(id, "promoted")
	b.refused("conflict", operator, "POST", cancellation, seal.Object{})
	b.refused("not_found", operator, "POST", "/api/v1/transactions/tx-none/cancellation", seal.Object{})
	b.request("tx-1", "payments-api")
	b.refused("conflict", operator, "POST", "/api/v1/transactions/tx-1/cancellation", seal.Object{})
	b.becomes("tx-1", "issued")
	check.Equal(t, m.give(seal.Object{"kind": "deliver", "transaction_id": id, "status": "promoted"}), "", "said again")
}

// The names of a rotation are bound to the profile of its integration.
func TestRotationNames(t *testing.T) {
	b, nodes := assigned(t, "nginx")
	with := func(names ...string) seal.Object {
		o := rotate("nginx", "web", "manual")
		o["names"] = seal.Strings(names)
		return o
	}
	for _, names := range [][]string{
		{"dns:evil.example"}, {"dns:web.acme.example", "dns:evil.example"}, {"dns:WEB.acme.example"}, {"dns:*.acme.example"},
		{"dns:payments-api.acme.example"}, {"uri:dns:web.acme.example"},
	} {
		b.refused("names_not_allowed", operator, "POST", "/v1/managed/rotate", with(names...))
	}
	both := with("dns:web.acme.example", "dns:store-tls.acme.example")
	id := seal.Text(b.as(operator, "POST", "/v1/managed/rotate", both), "transaction_id")
	b.rotation(id, "staged")
	got := seal.Texts(b.status(id, "0"), "names")
	check.That(t, len(got) == 2, "the certificate has the names %v", got)
	b.as(operator, "POST", "/api/v1/transactions/"+id+"/cancellation", seal.Object{})
	// A profile that lists no names has none for a rotation, and all for a workload.
	o := desired("nginx", nodes[0].id)
	o["profile_id"] = "payments-api"
	b.as(operator, "PUT", "/api/v1/integrations/web", o)
	b.shows("web", "healthy", "")
	b.refused("names_not_allowed", operator, "POST", "/v1/managed/rotate", with("dns:payments-api.acme.example"))
	b.issued("tx-1", "payments-api")
	// The nodes judge a workload's names by a list that is there.
	evil := orderFor(t, "tx-2", "store-tls", "dns:evil.example")
	b.as("workload/store-tls", "POST", "/api/v1/transactions", evil)
	b.denied("tx-2", "quorum_unreachable")
	shown := b.shown("profiles", "profile_id", "store-tls")
	check.Equal(t, len(seal.List(shown, "names")), 2, "names of the profile that the console shows")
}
