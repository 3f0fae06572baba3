package server_test

import (
	"net/http"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// desired returns the state that an operator enters.
func desired(kind, nodeID string) seal.Object {
	return seal.Object{
		"kind": kind, "adapter_reference": "local/main", "profile_id": "store-tls", "node_id": nodeID, "enabled": true,
	}
}

// shows waits until the console shows a state and a code.
func (b *bench) shows(id, state, code string) {
	b.t.Helper()
	must.Eventually(b.t, "integration "+id+" is "+state+" "+code, func() bool {
		o := b.integration(id)
		return seal.Text(o, "state") == state && seal.Text(o, "error_code") == code
	})
}

func says(id string, revision int64, state, code string) seal.Object {
	o := seal.Object{"kind": "integration", "integration_id": id, "revision": revision, "state": state}
	if code != "" {
		o["error_code"] = code
	}
	return o
}

// Every transition of an integration, and those that must not be.
func TestIntegrationStates(t *testing.T) {
	b, nodes := quiet(t)
	path := "/api/v1/integrations/web"
	m := nodes[0]
	first := b.as(operator, "PUT", path, desired("nginx", m.id))
	check.That(t, first["state"] == "pending_node" && first["revision"] == int64(1) && seal.Text(first, "message") != "",
		"saved: %s", seal.Canonical(first))
	desires := func(m *mesh, label string, enabled bool, revision int64) {
		t.Helper()
		given := seal.ObjectList(m.poll(), "integrations")
		must.Equal(t, len(given), 1, "%s: given", label)
		wants(t, given[0], label, "enabled", enabled, "revision", revision)
	}
	desires(m, "the node", true, 1)
	check.Equal(t, len(seal.List(nodes[1].poll(), "integrations")), 0, "another node is given it, too")
	b.shows("web", "pending_node", "")
	for what, refused := range map[string]string{
		"a revision to come":   m.give(says("web", 2, "healthy", "")),
		"another node":         nodes[1].give(says("web", 1, "healthy", "")),
		"a state that is none": m.give(says("web", 1, "pending_node", "")),
		"degraded for nothing": m.give(says("web", 1, "degraded", "")),
		"healthy for a reason": m.give(says("web", 1, "healthy", "store_unavailable")),
		"a code that is none":  m.give(says("web", 1, "degraded", "Not a code")),
		"no such integration":  m.give(says("none", 1, "healthy", "")),
	} {
		check.That(t, refused != "", "%s was taken", what)
	}
	before := b.count("integration.changed")
	for range 2 {
		check.Equal(t, m.give(says("web", 1, "healthy", "")), "", "healthy")
	}
	b.shows("web", "healthy", "")
	got := b.count("integration.changed")
	check.That(t, got == before+1, "%d changes were logged", got-before)
	m.give(says("web", 1, "degraded", "store_unavailable"))
	b.shows("web", "degraded", "store_unavailable")
	m.give(says("web", 1, "healthy", ""))
	b.shows("web", "healthy", "")

	wants(t, b.as(operator, "POST", path+"/test", seal.Object{}), "tested", "state", "pending_node", "revision", int64(2))
	check.Equal(t, m.give(says("web", 1, "healthy", "")), "conflict", "the revision before")
	m.give(says("web", 2, "healthy", ""))

	// To another node: the first one gets the tombstone.
	b.as(operator, "PUT", path, desired("nginx", nodes[1].id))
	desires(m, "the tombstone", false, 3)
	b.restart()
	desires(m, "the tombstone after a restart", false, 3)
	check.Equal(t, m.give(says("web", 3, "degraded", "store_recovery_pending")), "", "not withdrawn yet")
	desires(m, "the tombstone of a node that has not withdrawn it", false, 3)
	check.Equal(t, m.give(says("web", 3, "healthy", "")), "", "the tombstone")
	b.shows("web", "pending_node", "")
	check.Equal(t, len(seal.List(m.poll(), "integrations")), 0, "the tombstone is sent again")
	check.Equal(t, m.give(says("web", 3, "healthy", "")), "conflict", "a node that it was taken from")
	nodes[1].poll()
	nodes[1].give(says("web", 3, "healthy", ""))
	b.shows("web", "healthy", "")
	wants(t, b.as(operator, "DELETE", path, nil), "unassigned", "state", "disabled")
	desires(nodes[1], "unassigned", false, 4)
	b.as(operator, "DELETE", path, nil)
	check.Equal(t, nodes[1].give(says("web", 4, "healthy", "")), "", "the tombstone")
	check.Equal(t, nodes[1].give(says("web", 4, "healthy", "")), "conflict", "a node that has it no more")
	wants(t, b.integration("web"), "in the end", "state", "disabled")
	b.refused("conflict", operator, "POST", path+"/test", seal.Object{})
	off := desired("nginx", m.id)
	off["enabled"] = false
	wants(t, b.as(operator, "PUT", path, off), "saved as disabled", "state", "disabled")
}

func TestCertificateManager(t *testing.T) {
	b := start(t)
	o := desired("certificate_manager", "")
	delete(o, "node_id")
	saved := b.as(operator, "PUT", "/api/v1/integrations/cm", o)
	tested := b.as(operator, "POST", "/api/v1/integrations/cm/test", seal.Object{})
	for _, got := range []seal.Object{saved, tested} {
		wants(t, got, "a certificate manager", "state", "degraded", "error_code", "cm_connectivity_not_verified",
			"message", "The test was recorded, but connectivity was not verified.")
	}
	wants(t, b.as(operator, "DELETE", "/api/v1/integrations/cm", nil), "disabled", "state", "disabled", "error_code", nil)
}

func TestRefusesIntegrations(t *testing.T) {
	b, nodes := quiet(t)
	b.as(operator, "PUT", "/api/v1/integrations/web", desired("nginx", nodes[0].id))
	with := func(name string, value any) seal.Object {
		o := desired("nginx", nodes[0].id)
		o[name] = value
		return o
	}
	for name, c := range map[string]struct {
		body seal.Object
		code string
	}{
		"an unknown kind":             {with("kind", "otlp_audit"), "request_invalid"},
		"another kind":                {desired("secret_store", nodes[0].id), "conflict"},
		"an unknown node":             {with("node_id", "mesh-none-1"), "conflict"},
		"a reference elsewhere":       {with("adapter_reference", "remote/main"), "request_invalid"},
		"a reference that climbs":     {with("adapter_reference", "local/../x"), "request_invalid"},
		"a member too many":           {with("token", "x"), "request_invalid"},
		"enabled in words":            {with("enabled", "yes"), "request_invalid"},
		"a certificate manager there": {with("kind", "certificate_manager"), "request_invalid"},
	} {
		check.That(t, isProblem(check.Err(b.try(operator, "PUT", "/api/v1/integrations/web", c.body)), c.code),
			"%s is not refused", name)
	}
	b.as(operator, http.MethodPost, nodes[1].path("disablement"), seal.Object{})
	b.refused("conflict", operator, "PUT", "/api/v1/integrations/two", desired("nginx", nodes[1].id))
	for _, method := range []string{"POST", "DELETE"} {
		path, body := "/api/v1/integrations/none", seal.Object(nil)
		if method == "POST" {
			path, body = path+"/test", seal.Object{}
		}
		b.refused("not_found", operator, method, path, body)
	}
	wants(t, b.integration("web"), "after refused saves", "revision", int64(1))
}

func TestServices(t *testing.T) {
	b, nodes := fleet(t)
	claim := seal.Object{"workload_profile": "payments-api", "node_id": nodes[0].id}
	for range 2 {
		b.as(operator, "PUT", "/api/v1/services/billing", claim)
	}
	b.as(operator, "PUT", "/api/v1/services/ledger/eu", claim)
	b.refused("conflict", operator, "PUT", "/api/v1/services/x",
		seal.Object{"workload_profile": "payments-api", "node_id": "none"})
	b.refused("request_invalid", operator, "PUT", "/api/v1/services/x", seal.Object{"node_id": nodes[0].id})
	for _, m := range nodes {
		must.Eventually(b.t, "the registrations reach "+m.id, func() bool {
			m.mu.Lock()
			defer m.mu.Unlock()
			return len(m.services) == 2 && m.version == 2
		})
		topics := 0
		for _, topic := range m.topics() {
			if topic == "service.claimed" {
				topics++
			}
		}
		check.That(t, topics == 2 && b.count("service.claimed") == 2, "%s: %d notices, %v", m.id, topics, b.types())
	}
}
