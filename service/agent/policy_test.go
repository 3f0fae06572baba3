package agent_test

import (
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
)

// A policy or a roster that package node refuses is told, and the node goes on with
// what it has.
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
