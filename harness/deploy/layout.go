package deploy

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"

	"github.com/svc-edge/svc-verify/harness/cloud/service"
	"github.com/svc-edge/svc-verify/harness/node/agent"
	"github.com/svc-edge/svc-verify/harness/wire"
)

// Who has a certificate in a deployment. Resuming after a pause takes two
// operators; the console is a third.
var (
	Operators = []string{"ada", "grace", "console"}
	Workloads = []string{"payments-api", "ledger-batch", "edge-gateway"}
	Observers = []string{"soc", "prometheus"}
)

// Plan is what a deployment is to be.
type Plan struct {
	TenantID string
	Nodes    []string // node ids
}

// NodeIDs are the ids of so many nodes, up to 9.
func NodeIDs(count int) []string {
	cities := []string{"oslo", "berlin", "lisbon", "turin", "ghent", "porto", "malmo", "brno", "riga"}
	ids := make([]string, count)
	for i := range ids {
		ids[i] = "mesh-" + cities[i] + "-1"
	}
	return ids
}

// Deployment is a deployment that was set up in a directory:
//
//	deployment.json           the plan, and every address
//	authorities/              who issues certificates: cloud, local, collector
//	clients/                  certificates and keys of operators, workloads, observers
//	cloud/                    the cloud's server certificate, and its state
//	collector/                the collector's server certificate, and its dumps
//	nodes/<node id>/          config.json with all that it names, and the state
//	trust.json                the pinned keys, as the customer collects them
//	logs/                     what the processes said
type Deployment struct {
	Plan
	Dir       string
	Cloud     string            // host:port
	Console   string            // host:port
	Collector string            // host:port
	APIs      map[string]string // of the nodes, host:port, by node id
}

func (d *Deployment) path(parts ...string) string {
	return filepath.Join(append([]string{d.Dir}, parts...)...)
}

// Client is the file of a caller's certificate; its key is beside it.
func (d *Deployment) Client(role, name string) string {
	return d.path("clients", role+"-"+name+".pem")
}

// Node is the directory of a node.
func (d *Deployment) Node(id string) string { return d.path("nodes", id) }

// id is the SPIFFE id of a caller.
func (d *Deployment) id(role, name string) *url.URL {
	return &url.URL{Scheme: "spiffe", Host: d.TenantID + ".example", Path: "/" + role + "/" + name}
}

// Open takes up the deployment of a directory.
func Open(dir string) (*Deployment, error) {
	b, err := os.ReadFile(filepath.Join(dir, planFile)) //nolint:gosec // the operator's own directory
	if err != nil {
		return nil, err
	}
	o, err := wire.Parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, planFile), err)
	}
	d := &Deployment{
		Plan: Plan{wire.Text(o, "tenant_id"), wire.Texts(o, "nodes")}, Dir: dir, APIs: map[string]string{},
		Cloud: wire.Text(o, "cloud"), Console: wire.Text(o, "console"), Collector: wire.Text(o, "collector"),
	}
	for _, id := range d.Nodes {
		d.APIs[id] = wire.Text(wire.Member(o, "apis"), id)
	}
	return d, nil
}

// planFile marks a directory as that of a deployment.
const planFile = "deployment.json"

func (d *Deployment) save() error {
	apis := wire.Object{}
	for id, address := range d.APIs {
		apis[id] = address
	}
	return writeFile(d.path(planFile), append(wire.Canonical(wire.Object{
		"tenant_id": d.TenantID, "nodes": wire.Strings(d.Nodes), "apis": apis,
		"cloud": d.Cloud, "console": d.Console, "collector": d.Collector,
	}), '\n'), 0o600)
}

// Prepare sets a deployment up in a directory, or takes up the one that is
// there: then the plan is not looked at.
func Prepare(dir string, plan Plan) (*Deployment, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if d, err := Open(dir); !errors.Is(err, fs.ErrNotExist) {
		return d, err
	}
	d := &Deployment{Plan: plan, Dir: dir, APIs: map[string]string{}}
	for _, part := range []string{"authorities", "clients", "cloud/state", "collector/dumps", "logs"} {
		if err := os.MkdirAll(d.path(part), 0o700); err != nil {
			return nil, err
		}
	}
	for _, step := range []func() error{d.addresses, d.certificates, d.configurations, d.save} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// addresses finds a free port for each server. All are held until the last is
// found, so that none is given out twice.
func (d *Deployment) addresses() error {
	var held []net.Listener
	defer func() {
		for _, l := range held {
			_ = l.Close()
		}
	}()
	free := func() (string, error) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return "", err
		}
		held = append(held, l)
		return l.Addr().String(), nil
	}
	var err error
	for _, address := range []*string{&d.Cloud, &d.Console, &d.Collector} {
		if *address, err = free(); err != nil {
			return err
		}
	}
	for _, id := range d.Nodes {
		if d.APIs[id], err = free(); err != nil {
			return err
		}
	}
	return nil
}

// certificates has the three authorities issue to everyone but the nodes.
func (d *Deployment) certificates() error {
	cloud, err := openAuthority(d.path("authorities"), "cloud")
	if err != nil {
		return err
	}
	local, err := openAuthority(d.path("authorities"), "local")
	if err != nil {
		return err
	}
	collector, err := openAuthority(d.path("authorities"), "collector")
	if err != nil {
		return err
	}
	errs := []error{
		cloud.issueTo(d.path("cloud", "server.pem"), server("cloud")),
		collector.issueTo(d.path("collector", "server.pem"), server("collector")),
	}
	for role, names := range map[string][]string{"operator": Operators, "workload": Workloads} {
		for _, name := range names {
			errs = append(errs, cloud.issueTo(d.Client(role, name), client(d.id(role, name))))
		}
	}
	for _, name := range Observers {
		errs = append(errs, local.issueTo(d.Client("observer", name), client(d.id("observer", name))))
	}
	return errors.Join(errs...)
}

// configurations writes what the nodes start with.
func (d *Deployment) configurations() error {
	keys, err := service.MakeKeys(d.path("cloud", "state"))
	if err != nil {
		return err
	}
	identity, err := tls.LoadX509KeyPair(d.path("cloud", "server.pem"), d.path("cloud", "server.key"))
	if err != nil {
		return err
	}
	pin := sha256.Sum256(identity.Leaf.RawSubjectPublicKeyInfo)
	for _, id := range d.Nodes {
		if err := d.configure(id, keys.Document(), hex.EncodeToString(pin[:])); err != nil {
			return fmt.Errorf("node %s: %w", id, err)
		}
	}
	return nil
}

// configure makes the directory of a node: its signing key, three certificates
// and config.json.
func (d *Deployment) configure(id string, keys wire.Object, pin string) error {
	if err := os.MkdirAll(d.Node(id), 0o700); err != nil {
		return err
	}
	in := func(name string) string { return filepath.Join(d.Node(id), name) }
	key, err := agent.MakeIdentity(in("state"), id)
	if err != nil {
		return err
	}
	if err := d.issueToNode(id, key.Public()); err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return err
	}
	config := d.config(id)
	config["policy_public_keys"], config["audit_public_keys"] = keys["policy_keys"], keys["audit_keys"]
	config["cloud_public_key_sha256"] = wire.Strings([]string{pin})
	return errors.Join(
		writePEM(in("public.pem"), "PUBLIC KEY", public, 0o644),
		writeFile(in("config.json"), append(wire.Canonical(config), '\n'), 0o600),
	)
}

// issueToNode issues a node's certificates: for its local API, which has the
// node's own key, towards the cloud, and towards the collector.
func (d *Deployment) issueToNode(id string, public ed25519.PublicKey) error {
	in := func(name string) string { return filepath.Join(d.Node(id), name) }
	var errs []error
	for name, file := range map[string]string{"cloud": "cloud.pem", "collector": "exporter.pem"} {
		a, err := openAuthority(d.path("authorities"), name)
		if err != nil {
			return err
		}
		errs = append(errs, a.issueTo(in(file), client(d.id("node", id))))
	}
	local, err := openAuthority(d.path("authorities"), "local")
	if err != nil {
		return err
	}
	return errors.Join(append(errs, local.certify(in("api.pem"), server(id), public, local.key))...)
}

// config is the configuration of a node, docs/node-config.md, but for the keys
// of others.
func (d *Deployment) config(id string) wire.Object {
	authority := func(name string) string { return d.path("authorities", name+".pem") }
	return wire.Object{
		"tenant_id": d.TenantID, "node_id": id, "state_directory": "state",

		"local_api_address":          d.APIs[id],
		"local_api_certificate_file": "api.pem",
		"local_api_private_key_file": "state/identity.key",
		"local_api_client_ca_file":   authority("local"),

		"trust_event_subscriber_spiffe_prefixes": wire.Strings([]string{d.id("observer", "soc").String()}),

		"cloud_url":                     "https://" + d.Cloud,
		"cloud_ca_file":                 authority("cloud"),
		"cloud_client_certificate_file": "cloud.pem",
		"cloud_client_private_key_file": "cloud.key",
		"cloud_request_timeout_seconds": int64(10),
		"cloud_poll_interval_seconds":   int64(2),

		"dependency_discovery_enabled":          true,
		"dependency_discovery_probes":           []any{wire.Object{"service": "cloud", "address": d.Cloud}},
		"dependency_discovery_interval_seconds": int64(10),
		"dependency_discovery_timeout_seconds":  int64(2),

		"otlp_audit_enabled":                 true,
		"otlp_audit_exporter_id":             "siem-1",
		"otlp_audit_endpoint":                "https://" + d.Collector + "/v1/logs",
		"otlp_audit_trust_bundle_file":       authority("collector"),
		"otlp_audit_client_certificate_file": "exporter.pem",
		"otlp_audit_client_private_key_file": "exporter.key",
		"otlp_audit_batch_size":              int64(64),
		"otlp_audit_request_timeout_seconds": int64(5),
		"otlp_audit_poll_interval_seconds":   int64(1),
	}
}
