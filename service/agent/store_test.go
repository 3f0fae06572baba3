package agent_test

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
	"github.com/svc-edge/svc-verify/service/agent"
	"github.com/svc-edge/svc-verify/service/kv"
	"github.com/svc-edge/svc-verify/service/kv/kvtest"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
	"github.com/svc-edge/svc-verify/service/secretstore"
	"github.com/svc-edge/svc-verify/service/secretstore/consumer"
)

// vault is a node's secret store, and the workload that uses it.
type vault struct {
	d     *deployment
	b     kvtest.Backend
	admin *kvtest.Client
}

const storeBase = "edge/payments"

// keeps gives a node the settings of a secret store, and a workload that follows
// the consumer rule.
func keeps(t *testing.T, b kvtest.Backend) *vault {
	t.Helper()
	d := deploy(t)
	v := &vault{d: d, b: b, admin: kvtest.Admin(t, b)}
	v.token(kv.AdapterRules(b.Mount, storeBase)...)
	b.Authority.Write(filepath.Join(d.dir, "store-ca.pem"))
	must.Do(t, os.Mkdir(filepath.Join(d.dir, "managed"), 0o700))
	testca.Write(filepath.Join(d.dir, "bootstrap"), testca.New("bootstrap").Server())
	for name, value := range map[string]any{
		"enabled": true, "adapter_reference": "local/web", "profile_id": "payments-tls", "address": b.Address,
		"token_file":          "store-token",
		"ca_certificate_file": "store-ca.pem", "kv_mount": b.Mount, "kv_base_path": storeBase,
		"managed_directory":          "managed",
		"bootstrap_certificate_file": "bootstrap.pem", "bootstrap_private_key_file": "bootstrap.key",
		"health_url":              v.workload(),
		"request_timeout_seconds": 10, "rollback_window_seconds": 60,
	} {
		d.settings["secret_store_"+name] = value
	}
	return v
}

// token gives the node a token that is bound to these rules.
func (v *vault) token(rules ...kv.Rule) {
	v.d.t.Helper()
	write(v.d.t, filepath.Join(v.d.dir, "store-token"), []byte(v.b.Token(v.d.t, rules...)+"\n"))
}

// workload serves the generation that the pointer names, and returns its health URL.
func (v *vault) workload() string {
	settings := &nodeconfig.SecretStore{
		Address: v.b.Address, Mount: v.b.Mount, BasePath: storeBase, RequestTimeout: 10 * time.Second,
		TokenFile: nodeconfig.File{Path: filepath.Join(v.d.dir, "consumer-token")},
		Authorities: nodeconfig.Authorities{File: nodeconfig.File{Path: filepath.Join(v.d.dir, "store-ca.pem")},
			Certificates: nil},
	}
	write(v.d.t, settings.TokenFile.Path, []byte(v.b.Token(v.d.t, kv.ConsumerRules(v.b.Mount, storeBase)...)))
	settings.Authorities.Certificates = append(settings.Authorities.Certificates, v.b.Authority.Certificate)
	store := secretstore.NewClient(settings)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			generation, err := consumer.Read(context.Background(), store)
			if err != nil {
				return nil, err
			}
			pair, err := generation.Certificate()
			return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}, err
		}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	v.d.t.Cleanup(server.Close)
	return server.URL + "/healthz"
}

// assigned runs the node with policy 3, and assigns it the store.
func (v *vault) assigned() (a *agent.Agent, stop func(), state seal.Object) {
	v.d.t.Helper()
	v.d.cloud.publish(policy(3))
	a, stop = v.d.run()
	must.Eventually(v.d.t, "the policy", func() bool { return seal.Integer(v.d.health(a), "policy_version") == 3 })
	return a, stop, v.d.assign(desired("web", "secret_store", 1))
}

func ofStore(change func(seal.Object)) func(seal.Object) {
	return func(statement seal.Object) { statement["kind"] = "secret_store"; change(statement) }
}

// stages has a rotation delivered.
func (v *vault) delivers(transaction string, change func(seal.Object)) {
	d := v.d
	d.t.Helper()
	intent := d.intent(transaction, 1, ofStore(change))
	d.cloud.ask(deliverWork(transaction, 1, chainFor(d.t, issuer(d.t), d.rotationOf(transaction, intent), names...)))
}

// pointer returns the content of the pointer.
func (v *vault) pointer() map[string]any {
	v.d.t.Helper()
	data, _, _ := v.admin.Read(storeBase+"/pointer", 0)
	return data
}

func TestRotatesASecretStore(t *testing.T) {
	kvtest.Each(t, func(t *testing.T, b kvtest.Backend) {
		v := keeps(t, b)
		d := v.d
		a, stop, state := v.assigned()
		must.That(t, seal.Text(state, "state") == "healthy" && v.pointer()["active"] == "slot-000001",
			"the integration is %s\n%s", seal.Canonical(state), d.logs)
		h := string(seal.Canonical(d.health(a)))
		check.That(t, strings.Contains(h,
			`{"health":"healthy","installed":true,"kind":"secret_store"}`), "health: %s", h)
		v.delivers("tx-auto", automatic)
		if got := d.cloud.result("deliver", "tx-auto"); seal.Text(got, "status") != "promoted" ||
			v.pointer()["active"] != "slot-000002" {
			t.Errorf("tx-auto: %s, %v\n%s", seal.Canonical(got), v.pointer(), d.logs)
		}
		v.delivers("tx-manual", same)
		if got := d.cloud.result("deliver", "tx-manual"); seal.Text(got, "status") != "staged" ||
			v.pointer()["standby"] != "slot-000003" || v.pointer()["active"] != "slot-000002" {
			t.Errorf("tx-manual: %s, %v", seal.Canonical(got), v.pointer())
		}
		d.cloud.ask(promoteWork("tx-manual", 1))
		must.Eventually(t, "the promotion",
			func() bool { return seal.Text(d.cloud.result("deliver", "tx-manual"), "status") == "promoted" })
		check.That(t, v.pointer()["active"] == "slot-000003", "after the promotion: %v", v.pointer())
		check.Equal(t, d.metric(a, "svc_node_rotations_promoted_total"), "2", "promotions counted")
		tombstone := desired("web", "secret_store", 2)
		tombstone["enabled"] = false
		if got := d.assign(tombstone); seal.Text(got, "state") != "healthy" {
			t.Errorf("the tombstone: %s", seal.Canonical(got))
		}
		stop()
		got := types(d.checkJournal())
		for name, n := range map[string]int{"store.bootstrapped": 1, "rotation.requested": 2, "rotation.staged": 2,
			"rotation.pointer_moved": 2, "rotation.promoted": 2, "store.withdrawn": 1} {
			check.Equal(t, got[name], n, "%s: in the journal: %v", name, got)
		}
	})
}
