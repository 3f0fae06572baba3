package edge

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
)

// Through has a watch ask something else than the network.
func Through(w *Watch, t http.RoundTripper) { w.Client.http.Transport = t }

// Backoff is how long a watch waits after so many failures.
var Backoff = backoffTime

// Origin reads the URL of a node.
func Origin(text string) error {
	_, err := parseOrigin(text)
	return err
}

// Proxies reports whether a client would ask the environment for a proxy: that
// never names one for a loopback address, so no test could see it.
func Proxies(c *Client) bool { return c.http.Transport.(*http.Transport).Proxy != nil }

// Leaf is the certificate of the connection that answered last.
func Leaf(w *Watch) *x509.Certificate { return w.Client.leaf }

// FuzzAnswer reads any document as an answer of the feed and as a health report: there is an
// error or a whole answer, and an event is shown as one line of canonical JSON.
func FuzzAnswer(f *testing.F) {
	f.Add(
		[]byte(`{"events":[{"key_id":"n",` +
			`"signature":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",` +
			`"statement":{"data":{"x":"\u001b\u009b"},"node_id":"n","occurred_at":"2026-03-02T09:30:00.000Z",` +
			`"protocol":"svc.trust-event.v1","sequence":1,"tenant_id":"t","topic":"identity.rotated"}}],"cursor":"n.1"}`))
	f.Add([]byte(`{"events":[],"cursor":"n.0"}`))
	f.Add(
		[]byte(`{"audit_head":"","audit_sequence":0,"dependency_discovery":{"configured_probes":0,"enabled":false,` +
			`"failed":0,"queued":0,"successful":0},"integrations":[{"enabled":false,"health":"healthy",` +
			`"kind":"otlp_audit"}],"node_id":"n","policy_last_synced_at":"","policy_sha256":"","policy_version":0,` +
			`"status":"ok"}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		v, fault := ijson.Parse(doc)
		if fault != nil {
			return
		}
		if a, err := readAnswer(v); err == nil {
			for _, e := range a.events {
				line := e.line()
				check.That(t, bytes.IndexByte(line, '\n') == len(line)-1 && ijson.IsCanonical(bytes.TrimSuffix(line, []byte("\n"))),
					"line %q", line)
				id, _, err := e.successor()
				check.That(t, err != nil || id != "", "a successor without a name")
			}
		}
		r := healthReader{form.Reader{}}
		h := r.health(v)
		check.That(t, len(r.Faults()) != 0 || json.Valid(h.Document), "document %q", h.Document)
	})
}
