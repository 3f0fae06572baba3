package agent_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

func desired(id, kind string, revision int64) seal.Object {
	return seal.Object{
		"integration_id": id, "kind": kind, "adapter_reference": "local/web", "profile_id": "payments-tls",
		"revision": revision, "enabled": true,
	}
}

// assign gives the node the desired state of an integration, and waits for its
// answer.
func (d *deployment) assign(o seal.Object) seal.Object {
	d.t.Helper()
	before := d.cloud.count("integration")
	d.cloud.change(func() { d.cloud.offers["integrations"] = seal.Objects([]seal.Object{o}) })
	must.Eventually(d.t, "the state of the integration", func() bool { return d.cloud.count("integration") > before })
	d.cloud.mu.Lock()
	defer d.cloud.mu.Unlock()
	for i := len(d.cloud.results) - 1; ; i-- {
		if seal.Text(d.cloud.results[i], "kind") == "integration" {
			return d.cloud.results[i]
		}
	}
}

// An adapter that cannot write degrades its integration, and no more; it is
// healthy again when it can.
func TestIntegrationDegradesAndRecovers(t *testing.T) {
	d := deploy(t)
	a, _ := d.run()
	managed := filepath.Join(d.state(), "managed")
	write(t, managed, []byte("in the way"))
	if got := d.assign(desired("web", "nginx", 1)); seal.Text(got, "error_code") != "adapter_unavailable" {
		t.Errorf("the integration is %s", seal.Canonical(got))
	}
	h := d.health(a)
	if !bytes.Contains(seal.Canonical(h),
		[]byte(`{"error_code":"adapter_unavailable","health":"degraded","installed":false,"kind":"nginx"}`)) ||
		seal.Text(h, "status") != "ok" {
		t.Errorf("health: %s", seal.Canonical(h))
	}
	check.Equal(t, d.refused("tx-1", 1), "integration_unavailable", "a rotation of what is degraded")
	check.Equal(t, seal.Text(d.cloud.result("request", "tx-1"), "integration_error_code"), "adapter_unavailable",
		"and why")
	must.Do(t, os.Remove(managed))
	before := d.cloud.count("integration")
	a.Wake()
	must.Eventually(t, "recovery", func() bool { return d.cloud.count("integration") > before })
	if h := d.health(a); !bytes.Contains(seal.Canonical(h),
		[]byte(`{"health":"healthy","installed":true,"kind":"nginx"}`)) {
		t.Errorf("health: %s", seal.Canonical(h))
	}
}

// A folder's name never leads elsewhere, and a node without a secret store says so.
func TestIntegrationIdsAreNames(t *testing.T) {
	d := deploy(t)
	d.run()
	for revision, id := range []string{"..", ".", "staged", "current"} {
		if got := d.assign(desired(id, "nginx", int64(revision+1))); seal.Text(got, "error_code") != "adapter_unavailable" {
			t.Errorf("%s: %s", id, seal.Canonical(got))
		}
	}
	if got := d.assign(desired("...", "nginx", 1)); seal.Text(got, "state") != "healthy" {
		t.Errorf("the near miss: %s", seal.Canonical(got))
	}
	got := d.assign(desired("store", "secret_store", 1))
	check.Equal(t, seal.Text(got, "error_code"), "secret_store_not_configured", "a store that is not configured")
}
