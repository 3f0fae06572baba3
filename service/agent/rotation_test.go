package agent_test

import (
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
)

// issuer issues certificates for the requests of rotations.
func issuer(t testing.TB) *pki.Issuer {
	t.Helper()
	return pki.NewIssuer("issuer", "ecdsa-p256", time.Now(), chance.New(3).Stream("issuer"))
}

// chainFor is the chain for a request, with other names if there are any.
func chainFor(t testing.TB, i *pki.Issuer, csr *x509.CertificateRequest, names ...string) []any {
	t.Helper()
	return chainFrom(t, i, csr, time.Now(), names...)
}

// chainFrom is such a chain that is valid for an hour from a time on.
func chainFrom(t testing.TB, i *pki.Issuer, csr *x509.CertificateRequest, from time.Time, names ...string) []any {
	t.Helper()
	template := must.Get(pki.Leaf(seal.Object{
		"names": seal.SortedStrings(names), "lifetime_seconds": int64(3600),
		"extended_key_usages": seal.Strings([]string{"serverAuth"}),
	}, big.NewInt(77), from))(t)
	der := must.Get(i.Sign(template, csr.PublicKey))(t)
	return seal.Strings([]string{seal.Base64(der), seal.Base64(i.Certificate.Raw)})
}

// intent is the signed intent of a rotation under the policy that the cloud
// offers; the node has taken it over.
func (d *deployment) intent(transaction string, revision int64, change func(statement seal.Object)) seal.Object {
	d.t.Helper()
	d.cloud.mu.Lock()
	offered, _ := d.cloud.offers["policy"].(seal.Object)
	d.cloud.mu.Unlock()
	if offered == nil {
		offered = d.cloud.publish(policy(7))
	}
	p := seal.Member(seal.Member(offered, "statement"), "policy")
	must.Eventually(d.t, "the policy", func() bool {
		return seal.Integer(d.cloud.lastSync(), "policy_version") == seal.Integer(p, "version")
	})
	statement := seal.Object{
		"protocol": "svc.rotation-intent.v1", "tenant_id": tenant, "node_id": nodeID, "transaction_id": transaction,
		"integration_id": "web", "kind": "nginx", "adapter_reference": "local/web", "profile_id": "payments-tls",
		"revision": revision,
		"names":    seal.Strings(names), "algorithm": "ecdsa-p256", "promotion": "manual",
		"policy_version": p["version"], "policy_sha256": seal.Digest(p), "issued_at": seal.Time(time.Now()),
	}
	change(statement)
	return seal.Seal(statement, d.cloud.policyKey)
}

func requestWork(transaction string, intent seal.Object) seal.Object {
	return seal.Object{"kind": "request", "transaction_id": transaction, "intent": intent}
}

func automatic(statement seal.Object) { statement["promotion"] = "automatic_after_health" }

// rotation asks for a request of a transaction.
func (d *deployment) rotation(transaction string, revision int64) *x509.CertificateRequest {
	d.t.Helper()
	return d.rotationOf(transaction, d.intent(transaction, revision, same))
}

func (d *deployment) rotationOf(transaction string, intent seal.Object) *x509.CertificateRequest {
	d.t.Helper()
	d.cloud.ask(requestWork(transaction, intent))
	der := must.Get(seal.Unbase64(seal.Text(d.cloud.result("request", transaction), "csr")))(d.t)
	return must.Get(pki.ReadRequest(der))(d.t)
}

// refused asks for a request, and returns why there is none.
func (d *deployment) refused(transaction string, revision int64) string {
	d.t.Helper()
	d.cloud.ask(requestWork(transaction, d.intent(transaction, revision, same)))
	return seal.Text(d.cloud.result("request", transaction), "error_code")
}

func deliverWork(transaction string, revision int64, chain []any) seal.Object {
	return seal.Object{
		"kind": "deliver", "transaction_id": transaction, "integration_id": "web", "revision": revision,
		"certificates": chain,
	}
}

func promoteWork(transaction string, revision int64) seal.Object {
	return seal.Object{"kind": "promote", "transaction_id": transaction, "integration_id": "web", "revision": revision}
}

var names = []string{"dns:a.example", "dns:web.example"}

func TestRotatesAnNginxCertificate(t *testing.T) {
	d := deploy(t)
	a, stop := d.run()
	if got := d.assign(desired("web", "nginx", 1)); seal.Text(got, "state") != "healthy" {
		t.Fatalf("the integration is %s", seal.Canonical(got))
	}
	i := issuer(t)
	current := filepath.Join(d.state(), "managed", "nginx", "web", "current")

	chain := chainFor(t, i, d.rotationOf("tx-auto", d.intent("tx-auto", 1, automatic)), names...)
	d.cloud.ask(deliverWork("tx-auto", 1, chain))
	if got := seal.Text(d.cloud.result("deliver", "tx-auto"), "status"); got != "promoted" {
		t.Fatalf("tx-auto is %s: %s", got, d.logs)
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(current, "certificate.pem"), filepath.Join(current, "private-key.pem"))
	must.That(t, err == nil && len(pair.Certificate) == 2, "what the server reads: %v", err)

	chain = chainFor(t, i, d.rotation("tx-manual", 1), names...)
	d.cloud.ask(deliverWork("tx-manual", 1, chain))
	must.Equal(t, seal.Text(d.cloud.result("deliver", "tx-manual"), "status"), "staged", "tx-manual")
	if before, err := os.Readlink(current); err != nil || before != "tx-auto" {
		t.Errorf("current before the promotion: %s %v", before, err)
	}
	stop()
	a, stop = d.run()
	must.Eventually(t, "health",
		func() bool { return strings.Contains(string(seal.Canonical(d.health(a))), `"installed":true`) })
	d.cloud.ask(promoteWork("tx-manual", 1))
	must.Eventually(t, "the promotion",
		func() bool { return seal.Text(d.cloud.result("deliver", "tx-manual"), "status") == "promoted" })
	if after, err := os.Readlink(current); err != nil || after != "tx-manual" {
		t.Errorf("current after the promotion: %s %v", after, err)
	}
	check.That(t, os.IsNotExist(check.Err(os.Stat(filepath.Join(current, "..", "tx-auto")))), "the old key is still there")
	d.told(a, "certificate.staged", 2)
	promoted := seal.Member(d.told(a, "certificate.promoted", 2), "data")
	check.Equal(t, seal.Text(promoted, "transaction_id"), "tx-manual", "promoted: %s", seal.Canonical(promoted))
	if n := d.metric(a, "svc_node_rotations_promoted_total"); n != "1" { // since the restart
		t.Errorf("%s promotions counted", n)
	}
	stop()
	got := types(d.checkJournal())
	check.That(t, got["rotation.requested"] == 2 && got["rotation.staged"] == 2 && got["rotation.promoted"] == 2,
		"journal: %v", got)
}

// A rotation is bound to integration and revision, and a delivery to its
// request.
func TestRefusesRotations(t *testing.T) {
	d := deploy(t)
	d.run()
	check.Equal(t, d.refused("tx-early", 1), "integration_unavailable", "before it was assigned")
	d.assign(desired("web", "nginx", 4))
	check.Equal(t, d.refused("tx-old", 3), "integration_binding_mismatch", "of another revision")
	chain := chainFor(t, issuer(t), d.rotation("tx-late", 4), names...)
	// The console changed its mind between request and delivery.
	d.assign(desired("web", "nginx", 5))
	d.cloud.ask(deliverWork("tx-late", 5, chain))
	check.Equal(t, seal.Text(d.cloud.result("deliver", "tx-late"), "error_code"), "integration_binding_mismatch",
		"after a change of the integration")
	chain = chainFor(t, issuer(t), d.rotation("tx-stale", 5), names...)
	d.cloud.ask(deliverWork("tx-stale", 4, chain))
	check.Equal(t, seal.Text(d.cloud.result("deliver", "tx-stale"), "error_code"), "integration_binding_mismatch",
		"a delivery of the old revision")
	d.refusesDeliveries(chainFor(t, issuer(t), d.rotation("tx-unstaged", 5), names...))
	// The console's revisions only go forward.
	d.cloud.change(func() { d.cloud.offers["integrations"] = seal.Objects([]seal.Object{desired("web", "nginx", 3)}) })
	must.Eventually(t, "the refusal",
		func() bool { return strings.Contains(d.logs.String(), "revision: expected 5 or more, found 3") })
	if got := d.assign(func() seal.Object {
		o := desired("web", "nginx",
			6)
		o["enabled"] = false
		return o
	}()); seal.Integer(got, "revision") != 6 {
		t.Errorf("the tombstone was answered with %s", seal.Canonical(got))
	}
	check.Equal(t, d.refused("tx-gone", 6), "integration_unavailable", "after it was unassigned")
}

// A delivery is a chain, for the key and the names of the request.
func TestRefusesCertificates(t *testing.T) {
	d := deploy(t)
	d.run()
	d.assign(desired("web", "nginx", 4))
	i, other := issuer(t), testca.NewKey()
	for transaction, c := range map[string]struct {
		want  string
		chain func(*x509.CertificateRequest) []any
	}{
		"tx-names": {"delivery_invalid",
			func(r *x509.CertificateRequest) []any { return chainFor(t, i, r, "dns:evil.example") }},
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
			return []any{chain[0], seal.Base64(testca.New("other").Certificate.Raw)}
		}},
		"tx-past": {"delivery_invalid", func(r *x509.CertificateRequest) []any {
			return chainFrom(t, i, r, time.Now().Add(-2*time.Hour), names...)
		}},
		"tx-near": {"", func(r *x509.CertificateRequest) []any { return chainFor(t, i, r, names...) }},
	} {
		d.cloud.ask(deliverWork(transaction, 4, c.chain(d.rotationOf(transaction, d.intent(transaction, 4, automatic)))))
		check.Equal(t, seal.Text(d.cloud.result("deliver", transaction), "error_code"), c.want, "%s", transaction)
	}
}

// refusesDeliveries checks that a rotation that was not staged is not promoted, and that a
// delivery is for the requested integration.
func (d *deployment) refusesDeliveries(chain []any) {
	d.t.Helper()
	other := deliverWork("tx-unstaged", 5, chain)
	other["integration_id"] = "other"
	for _, piece := range []seal.Object{
		promoteWork("tx-unstaged", 5), promoteWork("tx-unknown", 5),
		deliverWork("tx-unknown", 5, chain), other,
	} {
		d.refuses(seal.Text(piece, "kind"), piece)
	}
	d.cloud.ask(deliverWork("tx-unstaged", 5, chain))
	check.Equal(d.t, seal.Text(d.cloud.result("deliver", "tx-unstaged"), "status"), "staged", "the near miss")
}
