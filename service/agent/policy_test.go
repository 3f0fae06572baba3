package agent_test

import (
	"bytes"
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
)

// A policy or a roster that package node refuses is logged, and the node continues with the
// one that it has.
func TestPolicyByPolicyKeys(t *testing.T) {
	d := deploy(t)
	a, stop := d.run()
	must.Eventually(t, "enrolment", d.cloud.sees(func() bool { return len(d.cloud.enrolled) == 1 }))
	p := policy(7)
	for member, forged := range map[string]seal.Object{
		"policy": seal.Seal(seal.Object{
			"protocol": "svc.policy.v1", "tenant_id": tenant, "policy_version": int64(7),
			"published_at": seal.Time(time.Now()), "policy": p,
		}, d.cloud.audit),
		"roster": seal.Seal(seal.Object{
			"protocol": "svc.node-roster.v1", "tenant_id": tenant, "roster_version": int64(2),
			"published_at": seal.Time(time.Now()), "nodes": seal.Object{nodeID: seal.Base64(peer("x").Public())},
		}, d.cloud.policyKey),
	} {
		// Offered in a way that the cloud does not hold back.
		d.cloud.change(func() { d.cloud.forced = seal.Object{member: forged} })
		must.Eventually(t, "the refusal of the "+member,
			func() bool { return strings.Contains(d.logs.String(), `"member":"`+member+`"`) })
	}
	d.cloud.change(func() { d.cloud.forced = nil })
	check.Equal(t, seal.Integer(d.health(a), "policy_version"), 0, "the policy that was taken over")
	check.Equal(t, seal.Integer(d.cloud.lastSync(), "roster_version"), 0, "the roster that was taken over")
	check.That(t, d.metric(a, `svc_node_policy_sync_total{result="failure"}`) != "0", "no failure is counted")
	d.cloud.publish(p)
	must.Eventually(t, "the true policy", func() bool { return seal.Integer(d.health(a), "policy_version") == 7 })
	stop()
	check.Equal(t, types(d.checkJournal())["policy.synced"], 1, "policies in the journal")
}

// identity is a leaf for 127.0.0.1 with a SPIFFE id, for both ends of TLS, with
// its authority.
func identity(a *testca.Authority, path string, key crypto.Signer) tls.Certificate {
	template := testca.ClientTemplate("leaf", "spiffe://"+tenant+".example"+path)
	template.ExtKeyUsage = append(template.ExtKeyUsage, x509.ExtKeyUsageServerAuth)
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	i := a.Certify(template, key)
	i.Certificate = append(i.Certificate, a.Certificate.Raw)
	return i
}

// put writes a new identity of the node below its directory.
func (d *deployment) put(name string, a *testca.Authority) {
	testca.Write(filepath.Join(d.dir, name), identity(a, "/node/"+nodeID, testca.NewKey()))
}

func write(t testing.TB, path string, content []byte) {
	t.Helper()
	must.Do(t, os.WriteFile(path, content, 0o600))
}

// publish offers a policy.
func (c *testCloud) publish(policy seal.Object) seal.Object {
	envelope := seal.Seal(seal.Object{
		"protocol": "svc.policy.v1", "tenant_id": tenant, "policy_version": policy["version"],
		"published_at": seal.Time(time.Now()), "policy": policy,
	}, c.policyKey)
	c.change(func() { c.offers["policy"] = envelope })
	return envelope
}

// names offers a roster of these keys and the node's.
func (c *testCloud) names(keys ...seal.Key) {
	c.change(func() {
		for _, key := range keys {
			c.roster.Nodes[key.ID] = key.Public()
		}
		nodes := seal.Object{}
		for id, public := range c.roster.Nodes {
			nodes[id] = seal.Base64(public)
		}
		c.rosterAt++
		c.offers["roster"] = seal.Seal(seal.Object{
			"protocol": "svc.node-roster.v1", "tenant_id": tenant, "roster_version": c.rosterAt,
			"published_at": seal.Time(time.Now()), "nodes": nodes,
		}, c.policyKey)
	})
}

// grow adds events to the tenant log, and offers a checkpoint of its head.
func (c *testCloud) grow(events int) (checkpoint seal.Object) {
	c.change(func() {
		for range events {
			c.log.Append(seal.Entry{Type: "integration.changed", OccurredAt: time.Now(), Data: seal.Object{}}, c.audit)
		}
		checkpoint = seal.Seal(seal.Object{
			"protocol": "svc.audit-checkpoint.v1", "tenant_id": tenant, "log_id": c.log.ID(),
			"sequence": int64(c.log.Sequence()), "head_hash": c.log.Head().String(),
			"required_witnesses": int64(1), "created_at": seal.Time(time.Now()),
		}, c.audit)
		c.offers["checkpoint"] = checkpoint
	})
	return checkpoint
}

// ask gives the node work.
func (c *testCloud) ask(pieces ...seal.Object) {
	c.change(func() {
		c.work = append(c.work, pieces...)
		for _, piece := range pieces {
			if seal.Text(seal.Member(seal.Member(piece, "intent"), "statement"), "promotion") == "automatic_after_health" {
				c.ordered[seal.Text(piece, "transaction_id")] = false
			}
		}
	})
}

// terms are terms of a case that the policy of [policy] allows.
func terms(version seal.Object, change func(seal.Object)) seal.Object {
	o := seal.Object{
		"workload_profile": "payments-api", "algorithm": "ecdsa-p256", "lifetime_seconds": int64(3600),
		"policy_version": version["version"], "policy_sha256": seal.Digest(version), "required_approvals": int64(2),
		"names": seal.Strings([]string{"dns:a.example"}), "extended_key_usages": seal.Strings([]string{"serverAuth"}),
		"public_key_sha256": strings.Repeat("ab", 32),
	}
	change(o)
	return o
}

func same(seal.Object) {}

// policy is a version of the policy.
func policy(version int64) seal.Object {
	return consent.Policy(version,
		consent.Profile{Name: "payments-api", Algorithms: []string{"ecdsa-p256"}, MaximumLifetime: 24 * time.Hour,
			RequiredApprovals: 2},
		consent.Profile{Name: "payments-tls", Algorithms: []string{"ecdsa-p256"}, MaximumLifetime: 24 * time.Hour,
			RequiredApprovals: 2, Names: names},
		consent.Profile{Name: "edge-gateway", Algorithms: []string{"ecdsa-p256"}, MaximumLifetime: 24 * time.Hour,
			RequiredApprovals: 2, Capability: "attested-boot"},
	)
}

// approveWork asks for an approval.
func approveWork(transaction string, terms seal.Object, evidence ...seal.Object) seal.Object {
	return seal.Object{"kind": "approve", "transaction_id": transaction, "terms": terms,
		"capability_evidence": seal.Objects(evidence)}
}

// decisionOf is the decision of a result's statement.
func decisionOf(result seal.Object, name string) string {
	return seal.Text(seal.Member(seal.Member(result, name), "statement"), "decision")
}

func number(i int) string { return fmt.Sprintf("tx-%04d", i) }

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
	got := d.assign(desired("web", "nginx", 1))
	check.That(t, seal.Text(got, "error_code") == "adapter_unavailable", "the integration is %s", seal.Canonical(got))
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

// A folder's name never leads elsewhere, and a node without a secret store reports that it has
// none.
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
