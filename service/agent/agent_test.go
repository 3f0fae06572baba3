package agent_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
	"github.com/svc-edge/svc-verify/service/agent"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
)

// deployment is a node's files, and the cloud that it talks with.
type deployment struct {
	t         testing.TB
	dir       string
	cloud     *testCloud
	local     *testca.Authority
	observer  tls.Certificate
	asks      *http.Client // the local API, as the observer
	logs      *must.Text
	settings  map[string]any
	lifetime  time.Duration
	configure func(*nodeconfig.Config)
	adapt     func(*agent.Agent)
}

func deploy(t testing.TB) *deployment {
	t.Helper()
	d := &deployment{t: t, dir: t.TempDir(), cloud: newCloud(t), local: testca.New("local CA"), logs: new(must.Text)}
	d.observer = identity(d.local, "/observer/pager", testca.NewKey())
	d.asks = d.local.HTTP(d.observer)
	d.asks.Timeout = time.Minute
	t.Cleanup(d.asks.CloseIdleConnections)
	key := must.Get(agent.MakeIdentity(d.state(), nodeID))(t)
	testca.Write(filepath.Join(d.dir, "api"), identity(d.local, "/node/"+nodeID, key.Private))
	d.put("node", d.cloud.authority)
	d.local.Write(filepath.Join(d.dir, "observers-ca.pem"))
	d.cloud.authority.Write(filepath.Join(d.dir, "cloud-ca.pem"))
	d.settings = map[string]any{
		"tenant_id": tenant, "node_id": nodeID, "state_directory": "state",
		"policy_public_keys": map[string]any{policyID: seal.Base64(d.cloud.policyKey.Public())},
		"audit_public_keys":  map[string]any{auditID: seal.Base64(d.cloud.audit.Public())},
		"local_api_address":  "127.0.0.1:1", "local_api_certificate_file": "api.pem", "local_api_private_key_file": "api.key",
		"local_api_client_ca_file":               "observers-ca.pem",
		"trust_event_subscriber_spiffe_prefixes": []string{"spiffe://" + tenant + ".example/observer"},
		"cloud_url":                              d.cloud.url, "cloud_ca_file": "cloud-ca.pem",
		"cloud_client_certificate_file": "node.pem", "cloud_client_private_key_file": "node.key",
		"cloud_public_key_sha256":       []string{fmt.Sprintf("%x", d.cloud.pin())},
		"cloud_request_timeout_seconds": 30, "cloud_poll_interval_seconds": 1,
	}
	return d
}

func (d *deployment) state() string  { return filepath.Join(d.dir, "state") }
func (d *deployment) config() string { return filepath.Join(d.dir, "config.json") }

// read writes config.json and reads it as a node does; it listens on any port.
func (d *deployment) read() *nodeconfig.Config {
	d.t.Helper()
	content := must.Get(json.Marshal(d.settings))(d.t)
	write(d.t, d.config(), content)
	c, faults, err := nodeconfig.Read(d.config(), time.Now())
	must.That(d.t, err == nil && len(faults) == 0, "%v %v", err, faults)
	c.LocalAPI.Address = anyPort(c.LocalAPI.Address)
	c.Cloud.PollInterval = 50 * time.Millisecond
	if d.configure != nil {
		d.configure(c)
	}
	return c
}

func (d *deployment) open() (*agent.Agent, error) {
	d.t.Helper()
	a, err := agent.Open(agent.Config{
		Node: d.read(), CapabilityLifetime: d.lifetime,
		Log: slog.New(slog.NewJSONHandler(d.logs, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err == nil && d.adapt != nil {
		d.adapt(a)
	}
	return a, err
}

// run runs the node until the returned function is called or the test ends.
func (d *deployment) run() (a *agent.Agent, stop func()) {
	d.t.Helper()
	a = must.Get(d.open())(d.t)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			check.Do(d.t, <-ended)
			check.Do(d.t, a.Close())
		})
	}
	d.t.Cleanup(stop)
	return a, stop
}

// get asks the node's local API, over one connection as long as that is open.
func (d *deployment) get(a *agent.Agent, path string) (int, []byte) {
	d.t.Helper()
	response := must.Get(d.asks.Get("https://" + a.Address().String() + path))(d.t)
	defer response.Body.Close()
	return response.StatusCode, must.Get(io.ReadAll(response.Body))(d.t)
}

func (d *deployment) health(a *agent.Agent) seal.Object {
	d.t.Helper()
	status, b := d.get(a, "/healthz")
	o, err := seal.Parse(b)
	must.That(d.t, status == http.StatusOK && err == nil, "/healthz: %d %s %v", status, b, err)
	return o
}

// metric is the value of a series of /metrics, empty if it is not there.
func (d *deployment) metric(a *agent.Agent, series string) string {
	d.t.Helper()
	_, b := d.get(a, "/metrics")
	for line := range strings.Lines(string(b)) {
		if value, ok := strings.CutPrefix(line, series+" "); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// journal is the file that the node leaves.
func (d *deployment) journal() []seal.Object {
	d.t.Helper()
	content := must.Get(os.ReadFile(filepath.Join(d.state(), "journal.ndjson")))(d.t)
	var events []seal.Object
	for line := range bytes.Lines(content) {
		event := must.Get(seal.Parse(bytes.TrimSuffix(line, []byte("\n"))))(d.t)
		events = append(events, event)
	}
	return events
}

// checkJournal checks the journal against a fresh spine, and every signature against the keys
// of the node.
func (d *deployment) checkJournal() []seal.Object {
	d.t.Helper()
	events := d.journal()
	d.cloud.mu.Lock() // a call that the node has given up may be under way still
	defer d.cloud.mu.Unlock()
	log := seal.NewLog(tenant, "node/"+nodeID)
	for _, event := range events {
		must.Do(d.t, log.Resume(event))
		head := log.Head()
		public := d.cloud.roster.Nodes[seal.Text(event, "key_id")]
		must.That(d.t, seal.Signed(seal.EventProtocol, head[:], public, seal.Text(event, "signature")),
			"event %d is not signed by %s", log.Sequence(), seal.Text(event, "key_id"))
	}
	return events
}

func types(events []seal.Object) map[string]int {
	n := map[string]int{}
	for _, event := range events {
		n[seal.Text(seal.Member(event, "body"), "type")]++
	}
	return n
}

// following is a running node, and the policy of its cloud.
func following(t *testing.T) (d *deployment, a *agent.Agent, stop func(), p seal.Object) {
	t.Helper()
	d, p = deploy(t), policy(7)
	a, stop = d.run()
	d.cloud.publish(p)
	return d, a, stop, p
}

func TestFollowsTheCloud(t *testing.T) {
	d, a, stop, p := following(t)
	d.cloud.ask(approveWork("tx-1", terms(p, same)),
		approveWork("tx-2", terms(p, func(o seal.Object) { o["algorithm"] = "rsa-2048" })))
	check.Equal(t, decisionOf(d.cloud.result("approve", "tx-1"), "approval"), "allow", "tx-1")
	check.Equal(t, decisionOf(d.cloud.result("approve", "tx-2"), "approval"), "deny", "tx-2")
	checkpoint := d.cloud.grow(200)
	receipt := seal.Member(d.cloud.result("witness", ""), "receipt")
	check.Equal(t, seal.Text(seal.Member(receipt, "statement"), "checkpoint_sha256"), seal.StatementDigest(checkpoint),
		"another checkpoint was witnessed")
	check.Equal(t, d.cloud.linkPages, 4, "pages of links")
	h := d.health(a)
	check.That(t, seal.Integer(h, "policy_version") == 7 && seal.Text(h, "status") == "ok" &&
		seal.Integer(h, "audit_sequence") == 5, "health: %s", seal.Canonical(h))
	stop()
	got := types(d.checkJournal())
	want := map[string]int{"policy.synced": 1, "approval.signed": 2, "approval.denied": 1, "checkpoint.witnessed": 1}
	for name, n := range want {
		check.Equal(t, got[name], n, "journal: %v, want %v", got, want)
	}
}
