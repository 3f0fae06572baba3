package agent_test

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"flag"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		must.Do(t, os.WriteFile(path, got, 0o600))
	}
	want := must.Get(os.ReadFile(path))(t)
	check.That(t, bytes.Equal(got, want), "%s:\n%s\nwant\n%s", name, got, want)
}

// busy configures every part of a node: discovery of a dependency that is there
// and one that is not, an exporter whose collector is not there, and a secret
// store that the console has not assigned.
func (d *deployment) busy() {
	d.t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(d.t)
	d.t.Cleanup(func() { l.Close() })
	d.put("exporter", d.local)
	d.configure = func(c *nodeconfig.Config) {
		c.Discovery = &nodeconfig.Discovery{
			Probes: []nodeconfig.Probe{{Service: "billing", Address: l.Addr().String()},
				{Service: "ledger", Address: "127.0.0.1:1"}},
			Interval: 50 * time.Millisecond, Timeout: 20 * time.Second,
		}
		c.Export = &nodeconfig.Export{
			ExporterID: "siem-1", Endpoint: "https://127.0.0.1:1/v1/logs", Authorities: c.LocalAPI.Clients, BatchSize: 8,
			Identity: nodeconfig.Identity{
				CertificateFile: nodeconfig.File{Path: filepath.Join(d.dir, "exporter.pem")},
				PrivateKeyFile:  nodeconfig.File{Path: filepath.Join(d.dir, "exporter.key")},
			},
			RequestTimeout: 20 * time.Second, PollInterval: 50 * time.Millisecond,
		}
		c.Store = &nodeconfig.SecretStore{AdapterReference: "local/web", ProfileID: "payments-tls"}
	}
}

// varies matches the text that differs from run to run.
var varies = regexp.MustCompile(`[0-9a-f]{64}|\d{4}-\d\d-\d\dT[0-9:.]+Z`)

func TestHealthzAsTheInterfaceSays(t *testing.T) {
	d := deploy(t)
	quiet, stop := d.run()
	golden(t, "healthz-new.json", indented(t, d.health(quiet)))
	d.cloud.publish(policy(7))
	d.assign(desired("web", "nginx", 1))
	must.Eventually(t, "the policy", func() bool { return seal.Integer(d.health(quiet), "policy_version") == 7 })
	golden(t, "healthz.json", indented(t, d.health(quiet)))
	stop()

	d.busy()
	busy, _ := d.run()
	must.Eventually(t, "every part", func() bool {
		text := string(seal.Canonical(d.health(busy)))
		return strings.Contains(text, `"failed":1,"queued":0,"successful":1`) &&
			strings.Contains(text, "otlp_audit_transport_failed") && strings.Contains(text, `"installed":true`)
	})
	golden(t, "healthz-degraded.json", indented(t, d.health(busy)))
	must.Eventually(t, "that the cloud is told", func() bool {
		return seal.Text(seal.Member(d.cloud.lastSync(), "health"), "status") == "degraded"
	})
}

func indented(t *testing.T, o seal.Object) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, json.Indent(&b, seal.Canonical(o), "", "  "))
	return varies.ReplaceAll(append(b.Bytes(), '\n'), []byte("…"))
}

// Observations that a sync reports do not make the node a degraded one in the eyes of the
// cloud.
func TestDiscoveryRecovers(t *testing.T) {
	d := deploy(t)
	free := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	address := free.Addr().String()
	free.Close()
	d.configure = func(c *nodeconfig.Config) {
		c.Discovery = &nodeconfig.Discovery{Probes: []nodeconfig.Probe{{Service: "billing", Address: address}},
			Interval: 20 * time.Millisecond, Timeout: 20 * time.Second}
	}
	a, _ := d.run()
	is := func(status string) func() bool {
		return func() bool {
			return seal.Text(d.health(a), "status") == status &&
				seal.Text(seal.Member(d.cloud.lastSync(), "health"), "status") == status
		}
	}
	must.Eventually(t, "a failed probe", is("degraded"))
	var l net.Listener
	must.Eventually(t, "the port", func() (free bool) {
		var err error
		l, err = net.Listen("tcp", address)
		return err == nil
	})
	must.Eventually(t, "a probe that succeeds", is("ok"))
	l.Close()
	must.Eventually(t, "a failed probe again", is("degraded"))
	must.Eventually(t, "more probes than changes", func() bool {
		probes, err := strconv.Atoi(d.metric(a, "svc_node_dependency_probes_total"))
		return err == nil && probes > 5
	})
	check.Equal(t, d.metric(a, "svc_node_dependency_observations_total"), "3", "observations, want the 3 changes")
}

// value matches the value behind a series' name.
var value = regexp.MustCompile(`(?m) [0-9.e+-]+$`)

func TestMetricsAsTheInterfaceSays(t *testing.T) {
	d := deploy(t)
	a, stop := d.run()
	_, plain := d.get(a, "/metrics")
	golden(t, "metrics.txt", value.ReplaceAll(plain, []byte(" N")))
	check.That(t, !bytes.Contains(plain, []byte("otlp")), "series of the export while it is off")
	stop()
	d.busy()
	a, _ = d.run()
	_, all := d.get(a, "/metrics")
	golden(t, "metrics-otlp.txt", value.ReplaceAll(all, []byte(" N")))
	for line := range strings.Lines(string(all)) {
		check.That(t, strings.HasPrefix(line, "#") || strings.HasPrefix(line, "svc_node_"),
			"a series of another name: %s", line)
	}
}

// The local API answers over TLS 1.3, to callers with a certificate.
func TestLocalAPINeedsACertificate(t *testing.T) {
	d := deploy(t)
	a, _ := d.run()
	stranger := identity(testca.New("local CA"), "/observer/pager", testca.NewKey())
	for name, c := range map[string]*tls.Config{
		"no certificate":       {RootCAs: d.local.Pool()},
		"of another authority": {RootCAs: d.local.Pool(), Certificates: []tls.Certificate{stranger}},
		"TLS 1.2": {RootCAs: d.local.Pool(), Certificates: []tls.Certificate{d.observer},
			MaxVersion: tls.VersionTLS12},
		"the near miss, as it must": {RootCAs: d.local.Pool(), Certificates: []tls.Certificate{d.observer}},
	} {
		for _, path := range []string{"/healthz", "/metrics", "/v1/trust-events"} {
			transport := &http.Transport{TLSClientConfig: c}
			response, err := (&http.Client{Transport: transport}).Get("https://" + a.Address().String() + path)
			check.Equal(t, err == nil, strings.HasPrefix(name, "the near miss"), "%s: %s: %v", name, path, err)
			if err == nil {
				response.Body.Close()
			}
			transport.CloseIdleConnections()
		}
	}
	status, b := d.get(a, "/other")
	check.That(t, status == http.StatusNotFound && bytes.Contains(b, []byte(`"not_found"`)), "/other: %d %s", status, b)
	for _, path := range []string{"/healthz", "/metrics"} {
		answer := must.Get(d.asks.Post("https://"+a.Address().String()+path, "application/json", nil))(t)
		answer.Body.Close()
		check.That(t, answer.StatusCode == http.StatusMethodNotAllowed && answer.Header.Get("Allow") == "GET, HEAD",
			"POST %s: %d, Allow: %q", path, answer.StatusCode, answer.Header.Get("Allow"))
	}
}

// The node talks to no cloud but the pinned one.
func TestPinsTheCloud(t *testing.T) {
	d := deploy(t)
	d.configure = func(c *nodeconfig.Config) { c.Cloud.Pins[0][0] ^= 1 }
	d.run()
	must.Eventually(t, "the refusal", func() bool { return strings.Contains(d.logs.String(), "is not pinned") })
	check.That(t, len(d.cloud.enrolled) == 0, "it enrolled with another cloud")
}
