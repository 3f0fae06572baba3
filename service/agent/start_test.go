package agent_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/agent"
	"github.com/svc-edge/svc-verify/service/kv/kvtest"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
)

func TestRefusesToStart(t *testing.T) {
	ran := func(spoil func(d *deployment, key string)) func(*deployment) {
		return func(d *deployment) {
			_, stop := d.run()
			stop()
			d.configure = func(*nodeconfig.Config) { spoil(d, filepath.Join(d.state(), "identity.key")) }
		}
	}
	for name, c := range map[string]struct {
		prepare func(*deployment)
		want    string
	}{
		"API key that is not its own": {func(d *deployment) { d.put("api", d.local) }, "a key that the node signs with"},
		"the state of another node": {func(d *deployment) {
			_, stop := d.run()
			stop()
			d.settings["node_id"] = "mesh-rome-1"
		}, "is that of node"},
		"a key that others may read": {ran(func(d *deployment, key string) { must.Do(d.t, os.Chmod(key, 0o640)) }),
			"permissions"},
		"another key": {ran(func(d *deployment, key string) {
			must.Do(d.t, os.Remove(key))
			must.Get(agent.MakeIdentity(d.state(), nodeID))(d.t)
		}), "found another"},
		"a key that is gone": {ran(func(d *deployment, key string) { must.Do(d.t, os.Remove(key)) }),
			"no such file"},
		"a process that has the state": {func(d *deployment) { d.run() }, "another process"},
	} {
		t.Run(name, func(t *testing.T) {
			d := deploy(t)
			c.prepare(d)
			a, err := d.open()
			if err == nil {
				a.Close()
			}
			check.That(t, err != nil && strings.Contains(err.Error(), c.want),
				"expected an error with %q, found %v", c.want, err)
		})
	}
}

// Without subscribers the API may have a key of its own, and there is no feed.
func TestWithoutSubscribers(t *testing.T) {
	d := deploy(t)
	delete(d.settings, "trust_event_subscriber_spiffe_prefixes")
	d.put("api", d.local)
	a, _ := d.run()
	status, _ := d.get(a, "/v1/trust-events")
	check.That(t, status == http.StatusNotFound, "the feed answers %d", status)
	d.health(a)
}

// The journal records each change of the export.
func TestJournalsTheExport(t *testing.T) {
	d := deploy(t)
	configured := func() int {
		_, stop := d.run()
		stop()
		return types(d.journal())["export.configured"]
	}
	check.Equal(t, configured(), 0, "never on: events")
	d.busy()
	for range 2 {
		check.Equal(t, configured(), 1, "switched on: events")
	}
	d.configure = nil
	for range 2 {
		check.Equal(t, configured(), 2, "switched off: events")
	}
}

// No log, no answer and no file for others holds a private key, or the token of
// the secret store.
func TestTellsNoSecret(t *testing.T) {
	v := keeps(t, kvtest.Embedded(t))
	d := v.d
	a, stop, _ := v.assigned()
	v.delivers("tx-1", automatic)
	d.cloud.result("deliver", "tx-1")
	token := func() []byte { return bytes.TrimSpace(must.Get(os.ReadFile(filepath.Join(d.dir, "store-token")))(t)) }
	keys := [][]byte{token()}
	v.token() // may do nothing
	keys = append(keys, token())
	a.Wake()
	must.Eventually(t, "a refusal", func() bool { return strings.Contains(d.logs.String(), adapter.StoreUnavailable) })
	must.Do(t, a.RotateIdentity())
	_, health := d.get(a, "/healthz")
	_, metrics := d.get(a, "/metrics")
	_, events := d.get(a, "/v1/trust-events")
	stop()
	err := filepath.WalkDir(d.dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.Contains(filepath.Base(path), "key") {
			return err
		}
		content, err := os.ReadFile(path)
		if block, _ := pem.Decode(content); block != nil {
			keys = append(keys, block.Bytes, secretOf(t, block.Bytes))
		}
		return err
	})
	must.That(t, err == nil && len(keys) >= 10, "%d keys, %v", len(keys), err)
	journal := must.Get(os.ReadFile(filepath.Join(d.state(), "journal.ndjson")))(t)
	var sent []byte
	d.cloud.change(func() { // a call that the node has given up may be under way still
		for _, o := range slices.Concat(d.cloud.results, d.cloud.syncs) {
			sent = append(sent, seal.Canonical(o)...)
		}
	})
	for name, text := range map[string][]byte{
		"logs": []byte(d.logs.String()), "/healthz": health, "/metrics": metrics, "trust events": events, "journal": journal,
		"to the cloud": sent,
	} {
		check.That(t, !bytes.Contains(text, []byte("PRIVATE KEY")), "%s: a PEM block", name)
		for _, key := range keys {
			for _, form := range []string{string(key), base64.StdEncoding.EncodeToString(key), seal.Base64(key)} {
				check.That(t, !bytes.Contains(text, []byte(form)), "%s: a private key", name)
			}
		}
	}
}

// secretOf is the secret part of a key.
func secretOf(t *testing.T, der []byte) []byte {
	t.Helper()
	key := must.Get(x509.ParsePKCS8PrivateKey(der))(t)
	if k, ok := key.(ed25519.PrivateKey); ok {
		return k.Seed()
	}
	return der[len(der)-40:]
}
