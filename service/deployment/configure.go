package deployment

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/agent"
	"github.com/svc-edge/svc-verify/service/server"
)

// setup makes everything that a deployment begins with.
type setup struct{ *Layout }

// configurations writes what the nodes start with.
func (s setup) configurations() error {
	keys, err := server.MakeKeys(s.path("cloud", "state"))
	if err != nil {
		return err
	}
	identity, err := tls.LoadX509KeyPair(s.path("cloud", "server.pem"), s.path("cloud", "server.key"))
	if err != nil {
		return err
	}
	pin := sha256.Sum256(identity.Leaf.RawSubjectPublicKeyInfo)
	for _, id := range s.Nodes {
		if err := s.configure(id, keys.Document(), hex.EncodeToString(pin[:])); err != nil {
			return fmt.Errorf("node %s: %w", id, err)
		}
	}
	return nil
}

// configure makes the directory of a node: its signing key, three certificates
// and config.json.
func (s setup) configure(id string, keys seal.Object, pin string) error {
	if err := os.MkdirAll(s.Node(id), 0o700); err != nil {
		return err
	}
	in := func(name string) string { return filepath.Join(s.Node(id), name) }
	key, err := agent.MakeIdentity(in("state"), id)
	if err != nil {
		return err
	}
	if err := s.issueToNode(id, key.Public()); err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return err
	}
	config := s.config(id)
	if s.delivers(id) {
		bootstrap, err := s.bootstrap(id)
		if err != nil {
			return err
		}
		maps.Copy(config, bootstrap)
	}
	config["policy_public_keys"], config["audit_public_keys"] = keys["policy_keys"], keys["audit_keys"]
	config["cloud_public_key_sha256"] = seal.Strings([]string{pin})
	return errors.Join(
		writePEM(in("public.pem"), "PUBLIC KEY", public, 0o644),
		pki.WriteFile(in("config.json"), seal.Line(config), 0o600),
	)
}

// issueToNode issues a node's certificates: for its local API, which has the
// node's own key, towards the cloud, and towards the collector.
func (s setup) issueToNode(id string, public ed25519.PublicKey) error {
	in := func(name string) string { return filepath.Join(s.Node(id), name) }
	var errs []error
	for name, file := range map[string]string{"cloud": "cloud.pem", "collector": "exporter.pem"} {
		a, err := openAuthority(s.path("authorities"), name)
		if err != nil {
			return err
		}
		errs = append(errs, a.issueTo(in(file), client(s.id("node", id))))
	}
	local, err := openAuthority(s.path("authorities"), "local")
	if err != nil {
		return err
	}
	return errors.Join(append(errs, local.certify(in("api.pem"), serverTemplate(id), public, local.key))...)
}

// config is the configuration of a node, service/docs/node-config.md, but for the keys
// of others.
func (s setup) config(id string) seal.Object {
	authority := func(name string) string { return s.fromNode(id, s.path("authorities", name+".pem")) }
	return seal.Object{
		"tenant_id": s.TenantID, "node_id": id, "state_directory": "state",

		"local_api_address":          s.APIs[id],
		"local_api_certificate_file": "api.pem",
		"local_api_private_key_file": "state/identity.key",
		"local_api_client_ca_file":   authority("local"),

		"trust_event_subscriber_spiffe_prefixes": seal.Strings([]string{s.id("observer", "soc").String()}),

		"cloud_url":                     "https://" + s.Cloud,
		"cloud_ca_file":                 authority("cloud"),
		"cloud_client_certificate_file": "cloud.pem",
		"cloud_client_private_key_file": "cloud.key",
		"cloud_request_timeout_seconds": int64(10),
		"cloud_poll_interval_seconds":   int64(2),

		"dependency_discovery_enabled":          true,
		"dependency_discovery_probes":           []any{seal.Object{"service": "cloud", "address": s.Cloud}},
		"dependency_discovery_interval_seconds": int64(10),
		"dependency_discovery_timeout_seconds":  int64(2),

		"otlp_audit_enabled":                 true,
		"otlp_audit_exporter_id":             "siem-1",
		"otlp_audit_endpoint":                "https://" + s.Collector + "/v1/logs",
		"otlp_audit_trust_bundle_file":       authority("collector"),
		"otlp_audit_client_certificate_file": "exporter.pem",
		"otlp_audit_client_private_key_file": "exporter.key",
		"otlp_audit_batch_size":              int64(64),
		"otlp_audit_request_timeout_seconds": int64(5),
		"otlp_audit_poll_interval_seconds":   int64(1),
	}
}

// fromNode is the path of a file as the configuration of a node names it: it
// starts from there, so that the deployment can be moved.
func (l *Layout) fromNode(id, file string) string {
	relative, err := filepath.Rel(l.Node(id), file)
	if err != nil {
		panic(err) // both are below the directory of the deployment
	}
	return filepath.ToSlash(relative)
}
