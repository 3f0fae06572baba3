package agent_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seed"
	"github.com/svc-edge/svc-verify/harness/wire"
	"github.com/svc-edge/svc-verify/internal/nodeconfig"
)

func desired(id, kind string, revision int64) wire.Object {
	return wire.Object{
		"integration_id": id, "kind": kind, "adapter_reference": "local/web", "profile_id": "payments-tls", "revision": revision, "enabled": true,
	}
}

// assign gives the node the desired state of an integration, and waits for its
// answer.
func (d *deployment) assign(o wire.Object) wire.Object {
	d.t.Helper()
	before := d.cloud.count("integration")
	d.cloud.change(func() { d.cloud.offers["integrations"] = wire.Objects([]wire.Object{o}) })
	eventually(d.t, "the state of the integration", func() bool { return d.cloud.count("integration") > before })
	d.cloud.mu.Lock()
	defer d.cloud.mu.Unlock()
	for i := len(d.cloud.results) - 1; ; i-- {
		if wire.Text(d.cloud.results[i], "kind") == "integration" {
			return d.cloud.results[i]
		}
	}
}

// issuer issues certificates for the requests of rotations.
func issuer(t *testing.T) *pki.Issuer {
	t.Helper()
	i, err := pki.NewIssuer("issuer", "ecdsa-p256", time.Now(), seed.New(3).Stream("issuer"))
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// chainFor is the chain for a request, with other names if there are any.
func chainFor(t *testing.T, i *pki.Issuer, csr *x509.CertificateRequest, names ...string) []any {
	t.Helper()
	template, err := pki.Leaf(wire.Object{
		"names": wire.SortedStrings(names), "lifetime_seconds": int64(3600), "extended_key_usages": wire.Strings([]string{"serverAuth"}),
	}, big.NewInt(77), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	der, err := i.Sign(template, csr.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	return wire.Strings([]string{wire.Base64(der), wire.Base64(i.Certificate.Raw)})
}

// rotation asks for a request of a transaction.
func (d *deployment) rotation(transaction string, revision int64) *x509.CertificateRequest {
	d.t.Helper()
	d.cloud.ask(wire.Object{
		"kind": "request", "transaction_id": transaction, "integration_id": "web", "revision": revision,
		"names": wire.Strings([]string{"dns:web.example", "dns:a.example"}), "algorithm": "ecdsa-p256",
	})
	der, err := wire.Unbase64(wire.Text(d.cloud.result("request", transaction), "csr"))
	if err != nil {
		d.t.Fatal(err)
	}
	request, err := pki.ReadRequest(der)
	if err != nil {
		d.t.Fatal(err)
	}
	return request
}

func deliverWork(transaction string, revision int64, promotion string, chain []any) wire.Object {
	return wire.Object{
		"kind": "deliver", "transaction_id": transaction, "integration_id": "web", "revision": revision,
		"certificates": chain, "promotion": promotion,
	}
}

var names = []string{"dns:a.example", "dns:web.example"}

func TestRotatesAnNginxCertificate(t *testing.T) {
	d := deploy(t)
	a, stop := d.run()
	if got := d.assign(desired("web", "nginx", 1)); wire.Text(got, "state") != "healthy" {
		t.Fatalf("the integration is %s", wire.Canonical(got))
	}
	i := issuer(t)
	current := filepath.Join(d.state(), "managed", "nginx", "web", "current")

	chain := chainFor(t, i, d.rotation("tx-auto", 1), names...)
	d.cloud.ask(deliverWork("tx-auto", 1, "automatic_after_health", chain))
	if got := wire.Text(d.cloud.result("deliver", "tx-auto"), "status"); got != "promoted" {
		t.Fatalf("tx-auto is %s: %s", got, d.logs)
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(current, "certificate.pem"), filepath.Join(current, "private-key.pem"))
	if err != nil || len(pair.Certificate) != 2 {
		t.Fatalf("what the server reads: %v", err)
	}

	chain = chainFor(t, i, d.rotation("tx-manual", 1), names...)
	d.cloud.ask(deliverWork("tx-manual", 1, "manual", chain))
	if got := wire.Text(d.cloud.result("deliver", "tx-manual"), "status"); got != "staged" {
		t.Fatalf("tx-manual is %s", got)
	}
	if before, err := os.Readlink(current); err != nil || before != "tx-auto" {
		t.Errorf("current before the promotion: %s %v", before, err)
	}
	stop()
	a, stop = d.run()
	eventually(t, "health", func() bool { return strings.Contains(string(wire.Canonical(d.health(a))), `"installed":true`) })
	d.cloud.change(func() { d.cloud.results = nil })
	d.cloud.ask(wire.Object{"kind": "promote", "transaction_id": "tx-manual", "integration_id": "web", "revision": int64(1)})
	if got := wire.Text(d.cloud.result("deliver", "tx-manual"), "status"); got != "promoted" {
		t.Fatalf("tx-manual is %s: %s", got, d.logs)
	}
	if after, err := os.Readlink(current); err != nil || after != "tx-manual" {
		t.Errorf("current after the promotion: %s %v", after, err)
	}
	if _, err := os.Stat(filepath.Join(current, "..", "tx-auto")); !os.IsNotExist(err) {
		t.Error("the old key is still there")
	}
	d.told(a, "certificate.staged", 2)
	promoted := wire.Member(d.told(a, "certificate.promoted", 2), "data")
	if wire.Text(promoted, "transaction_id") != "tx-manual" {
		t.Errorf("promoted: %s", wire.Canonical(promoted))
	}
	if n := d.metric(a, "svc_node_rotations_promoted_total"); n != "1" { // since the restart
		t.Errorf("%s promotions counted", n)
	}
	stop()
	got := types(d.checkJournal())
	if got["rotation.requested"] != 2 || got["rotation.staged"] != 2 || got["rotation.promoted"] != 2 {
		t.Errorf("journal: %v", got)
	}
}

// A rotation is bound to integration and revision, and a delivery to its
// request.
func TestRefusesRotations(t *testing.T) {
	d := deploy(t)
	d.run()
	refused := func(transaction string, revision int64) string {
		d.cloud.ask(wire.Object{
			"kind": "request", "transaction_id": transaction, "integration_id": "web", "revision": revision,
			"names": wire.Strings([]string{"dns:web.example"}), "algorithm": "ecdsa-p256",
		})
		return wire.Text(d.cloud.result("request", transaction), "error_code")
	}
	if got := refused("tx-early", 1); got != "integration_unavailable" {
		t.Errorf("before it was assigned: %q", got)
	}
	d.assign(desired("web", "nginx", 4))
	if got := refused("tx-old", 3); got != "integration_binding_mismatch" {
		t.Errorf("of another revision: %q", got)
	}
	i := issuer(t)
	other := newECKey(t)
	for transaction, c := range map[string]struct {
		want  string
		chain func(*x509.CertificateRequest) []any
	}{
		"tx-names": {"delivery_invalid", func(r *x509.CertificateRequest) []any { return chainFor(t, i, r, "dns:evil.example") }},
		"tx-key": {"delivery_invalid", func(r *x509.CertificateRequest) []any {
			r.PublicKey = other.Public()
			return chainFor(t, i, r, names...)
		}},
		"tx-none":   {"delivery_invalid", func(*x509.CertificateRequest) []any { return []any{} }},
		"tx-base64": {"delivery_invalid", func(*x509.CertificateRequest) []any { return []any{"*"} }},
		"tx-order": {"delivery_invalid", func(r *x509.CertificateRequest) []any {
			chain := chainFor(t, i, r, names...)
			return []any{chain[1], chain[0]}
		}},
		"tx-issuer": {"delivery_invalid", func(r *x509.CertificateRequest) []any {
			chain := chainFor(t, i, r, names...)
			return []any{chain[0], wire.Base64(newAuthority(t, "other").certificate.Raw)}
		}},
		"tx-near": {"", func(r *x509.CertificateRequest) []any { return chainFor(t, i, r, names...) }},
	} {
		d.cloud.ask(deliverWork(transaction, 4, "automatic_after_health", c.chain(d.rotation(transaction, 4))))
		if got := wire.Text(d.cloud.result("deliver", transaction), "error_code"); got != c.want {
			t.Errorf("%s: %q, want %q", transaction, got, c.want)
		}
	}
	// The console changed its mind between request and delivery.
	chain := chainFor(t, i, d.rotation("tx-late", 4), names...)
	d.assign(desired("web", "nginx", 5))
	d.cloud.ask(deliverWork("tx-late", 5, "manual", chain))
	if got := wire.Text(d.cloud.result("deliver", "tx-late"), "error_code"); got != "integration_binding_mismatch" {
		t.Errorf("after a change of the integration: %q", got)
	}
	if got := d.assign(func() wire.Object { o := desired("web", "nginx", 6); o["enabled"] = false; return o }()); wire.Integer(got, "revision") != 6 {
		t.Errorf("the tombstone was answered with %s", wire.Canonical(got))
	}
	if got := refused("tx-gone", 6); got != "integration_unavailable" {
		t.Errorf("after it was unassigned: %q", got)
	}
}

// An adapter that cannot write degrades its integration, and no more; it is
// healthy again when it can.
func TestIntegrationDegradesAndRecovers(t *testing.T) {
	d := deploy(t)
	a, _ := d.run()
	managed := filepath.Join(d.state(), "managed")
	write(t, managed, []byte("in the way"))
	if got := d.assign(desired("web", "nginx", 1)); wire.Text(got, "error_code") != "adapter_unavailable" {
		t.Errorf("the integration is %s", wire.Canonical(got))
	}
	h := d.health(a)
	if !bytes.Contains(wire.Canonical(h), []byte(`{"error_code":"adapter_unavailable","health":"degraded","installed":false,"kind":"nginx"}`)) || wire.Text(h, "status") != "ok" {
		t.Errorf("health: %s", wire.Canonical(h))
	}
	if err := os.Remove(managed); err != nil {
		t.Fatal(err)
	}
	before := d.cloud.count("integration")
	a.Wake()
	eventually(t, "recovery", func() bool { return d.cloud.count("integration") > before })
	if h := d.health(a); !bytes.Contains(wire.Canonical(h), []byte(`{"health":"healthy","installed":true,"kind":"nginx"}`)) {
		t.Errorf("health: %s", wire.Canonical(h))
	}
}

// A folder's name never leads elsewhere.
func TestIntegrationIdsAreNames(t *testing.T) {
	d := deploy(t)
	d.run()
	for revision, id := range []string{"..", ".", "staged", "current"} {
		if got := d.assign(desired(id, "nginx", int64(revision+1))); wire.Text(got, "error_code") != "adapter_unavailable" {
			t.Errorf("%s: %s", id, wire.Canonical(got))
		}
	}
	if got := d.assign(desired("...", "nginx", 1)); wire.Text(got, "state") != "healthy" {
		t.Errorf("the near miss: %s", wire.Canonical(got))
	}
}

func TestSecretStoreMatchesTheConfiguration(t *testing.T) {
	settings := nodeconfig.SecretStore{AdapterReference: "local/web", ProfileID: "payments-tls"}
	for name, c := range map[string]struct {
		settings *nodeconfig.SecretStore
		change   func(wire.Object)
		want     string
	}{
		"not configured":    {nil, same, "secret_store_not_configured"},
		"another reference": {&settings, func(o wire.Object) { o["adapter_reference"] = "local/other" }, "adapter_reference_invalid"},
		"another profile":   {&settings, func(o wire.Object) { o["profile_id"] = "other" }, "profile_not_mapped"},
		"no adapter":        {&settings, same, "store_unavailable"},
	} {
		d := deploy(t)
		d.configure = func(n *nodeconfig.Config) { n.Store = c.settings }
		a, stop := d.run()
		before := `{"error_code":"store_awaiting_desired_state","health":"degraded","installed":false,"kind":"secret_store"}`
		if found := strings.Contains(string(wire.Canonical(d.health(a))), before); found != (c.settings != nil) {
			t.Errorf("%s: before it was assigned: %s", name, wire.Canonical(d.health(a)))
		}
		o := desired("store", "secret_store", 1)
		c.change(o)
		if got := wire.Text(d.assign(o), "error_code"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		h := wire.Canonical(d.health(a))
		if !bytes.Contains(h, []byte(c.want)) || bytes.Contains(h, []byte("awaiting")) {
			t.Errorf("%s: %s", name, h)
		}
		stop()
	}
}
