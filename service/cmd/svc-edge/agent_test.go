//go:build unix

package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
	"github.com/svc-edge/svc-verify/service/agent"
	"github.com/svc-edge/svc-verify/service/edge/edgetest"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
)

// asker runs the program as an observer of a real node.
type asker struct {
	t     *testing.T
	flags []string
}

// ask runs the program and wants an exit code.
func (a asker) ask(want int, arguments ...string) (stdout, stderr string) {
	a.t.Helper()
	var out, faults bytes.Buffer
	if code := program().Run(append(slices.Clone(a.flags), arguments...), strings.NewReader(""), &out,
		&faults); code != want {
		a.t.Errorf("%q: exit code %d, expected %d\n%s%s", arguments, code, want, out.Bytes(), faults.Bytes())
	}
	return out.String(), faults.String()
}

// observe returns an asker with the certificate of a caller.
func observe(t *testing.T, node *agent.Agent, caller string) asker {
	return asker{t, []string{"-ca", "ca.pem", "-cert", caller + ".pem", "-key", caller + ".key", "-url",
		"https://" + node.Address().String(), "-node-spki", "node.pem"}}
}

// realEvents reads the events of a real node, with a cursor file.
var realEvents = []string{"-tenant", edgetest.Tenant, "-event-cursor-file", "cursor", "events"}

// TestRealNode asks a real node, whose cloud and collector cannot be reached,
// and reads the trust events of two rotations of its key.
func TestRealNode(t *testing.T) {
	t.Chdir(t.TempDir())
	node := runAgent(t, ".")
	soc := observe(t, node, "observer")
	awaitDegraded(t, soc)
	if table, _ := soc.ask(exitBad, "integrations"); !strings.Contains(table, "otlp_audit_transport_failed") {
		t.Errorf("found\n%s", table)
	}
	if out, _ := soc.ask(exitDone, realEvents...); out != "" {
		t.Errorf("found\n%s", out)
	}
	for range 2 {
		must.Do(t, agent.OrderRotation("state"))
		for agent.RotationOrdered("state") { // ends with the test, at the latest
			time.Sleep(10 * time.Millisecond)
		}
	}
	out, hints := soc.ask(exitDone, realEvents...)
	check.That(t, strings.Count(out, `"topic":"identity.rotated"`) == 2 && strings.Count(hints, "has a new key") == 2,
		"found\n%s%s", out, hints)
	checkCursor(t, edgetest.ID+".2\n")
	// What the node never sent, and what was another node's, has expired.
	for _, cursor := range []string{edgetest.ID + ".99", "mesh-rome-1.1"} {
		must.Do(t, os.WriteFile("cursor", []byte(cursor), 0o600))
		soc.ask(exitExpired, realEvents...)
		checkCursor(t, cursor)
	}
	// The feed is for those whom the configuration names.
	scraper := observe(t, node, "prometheus")
	scraper.ask(exitBad, "status")
	if _, fault := scraper.ask(2, realEvents...); !strings.Contains(fault, "identity_refused") {
		t.Errorf("found %q", fault)
	}
}

// awaitDegraded waits until the export has failed for the first time.
func awaitDegraded(t *testing.T, a asker) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		var out bytes.Buffer
		if code := program().Run(append(slices.Clone(a.flags), "status"), strings.NewReader(""), &out,
			&out); code == exitBad {
			return
		}
	}
	t.Fatal("the node is not degraded")
}

func checkCursor(t *testing.T, want string) {
	t.Helper()
	if found, err := os.ReadFile("cursor"); err != nil || string(found) != want {
		t.Errorf("found the cursor %q, %v; expected %q", found, err, want)
	}
}

// runAgent runs a node, and writes what its observers have.
func runAgent(t *testing.T, dir string) *agent.Agent {
	t.Helper()
	file := func(name string) string { return filepath.Join(dir, name) }
	must.Do(t, os.Mkdir(file("state"), 0o700))
	identity := must.Get(agent.MakeIdentity(file("state"), edgetest.ID))(t)
	ca := testca.New("ca")
	ca.Write(file("ca.pem"))
	testca.Write(file("api"), ca.Certify(testca.ServerTemplate(), identity.Private))
	testca.Write(file("observer"), ca.Client("soc", edgetest.Observer))
	testca.Write(file("prometheus"), ca.Client("prometheus", "spiffe://"+edgetest.Tenant+".example/metrics/prometheus"))
	edgetest.WritePublic(t, file("node.pem"), identity.Public())
	a := must.Get(agent.Open(agent.Config{Node: readConfig(t, file("config.json")),
		Log: slog.New(slog.DiscardHandler)}))(t)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- a.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		check.Do(t, <-done)
		check.Do(t, a.Close())
	})
	return a
}

// readConfig writes the node's configuration and reads it.
func readConfig(t *testing.T, path string) *nodeconfig.Config {
	t.Helper()
	doc := must.Get(json.Marshal(realConfig(t)))(t)
	must.Do(t, os.WriteFile(path, doc, 0o600))
	config, faults, err := nodeconfig.Read(path, time.Now())
	must.That(t, err == nil && len(faults) == 0, "%v %v", err, faults)
	config.LocalAPI.Address = netip.MustParseAddrPort("127.0.0.1:0") // which no configuration may say
	return config
}

// realConfig is a node with subscribers and an export; nobody listens where its
// cloud and its collector are.
func realConfig(t *testing.T) map[string]any {
	t.Helper()
	key := func() string {
		public, _ := must.Two(ed25519.GenerateKey(rand.Reader))(t)
		return seal.Base64(public)
	}
	return map[string]any{
		"tenant_id": edgetest.Tenant, "node_id": edgetest.ID, "state_directory": "state",
		"policy_public_keys": map[string]string{"policy-2026-1": key()},
		"audit_public_keys":  map[string]string{"audit-2026-1": key()},
		"local_api_address":  "127.0.0.1:8443", "local_api_certificate_file": "api.pem",
		"local_api_private_key_file": "api.key", "local_api_client_ca_file": "ca.pem",
		"trust_event_subscriber_spiffe_prefixes": []string{"spiffe://" + edgetest.Tenant + ".example/observer"},
		"cloud_url":                              "https://127.0.0.1:1", "cloud_ca_file": "ca.pem",
		"cloud_client_certificate_file": "observer.pem", "cloud_client_private_key_file": "observer.key",
		"cloud_public_key_sha256": []string{strings.Repeat("0", 64)}, "cloud_request_timeout_seconds": 2,
		"cloud_poll_interval_seconds": 1,
		"otlp_audit_enabled":          true, "otlp_audit_exporter_id": "siem-1",
		"otlp_audit_endpoint": "https://127.0.0.1:1/v1/logs", "otlp_audit_trust_bundle_file": "ca.pem",
		"otlp_audit_client_certificate_file": "observer.pem", "otlp_audit_client_private_key_file": "observer.key",
		"otlp_audit_batch_size": 64, "otlp_audit_request_timeout_seconds": 2, "otlp_audit_poll_interval_seconds": 1,
	}
}
