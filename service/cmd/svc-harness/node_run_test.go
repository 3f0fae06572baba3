//go:build unix

package main

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

const freshNode = `{"tenant_id":"acme-corp","node_id":"mesh-oslo-1","state_directory":"state","local_api_address":"127.0.0.1:8443"}`

// block is the one PEM block of a file.
func block(t *testing.T, kind string, path ...string) []byte {
	t.Helper()
	b, rest := pem.Decode([]byte(read(t, path...)))
	must.That(t, b != nil && b.Type == kind && len(rest) <= 0,
		"%s: expected one block %s", filepath.Join(path...), kind)
	return b.Bytes
}

// init makes a key once, and a request and a public key that belong to it.
func TestNodeInit(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "config.json")
	must.Do(t, os.WriteFile(config, []byte(freshNode), 0o600))
	var key string
	for range 2 {
		code, stdout, stderr := run("node", "init", "--config", config)
		must.That(t, code == 0 && strings.Count(stdout, "\n") == 2 && strings.Contains(stderr, "mesh-oslo-1"),
			"exit code %d, stdout %q, stderr %q", code, stdout, stderr)
		if now := read(t, dir, "state", "identity.key"); key != "" && now != key {
			t.Error("another key the second time")
		} else {
			key = now
		}
	}
	private := must.Get(x509.ParsePKCS8PrivateKey(block(t, "PRIVATE KEY", dir, "state", "identity.key")))(t)
	own := private.(ed25519.PrivateKey).Public().(ed25519.PublicKey)
	public, err := x509.ParsePKIXPublicKey(block(t, "PUBLIC KEY", dir, "state", "identity.pub.pem"))
	check.That(t, err == nil && own.Equal(public), "the public key is another one: %v", err)
	request, err := x509.ParseCertificateRequest(block(t, "CERTIFICATE REQUEST", dir, "state", "identity.csr"))
	must.That(t, err == nil && request.CheckSignature() == nil && own.Equal(request.PublicKey),
		"the request is for another key: %v", err)
	check.That(t, len(request.URIs) == 1 &&
		request.URIs[0].String() == "spiffe://acme-corp.example/node/mesh-oslo-1" && len(request.IPAddresses) == 1,
		"it asks for %v %v", request.URIs, request.IPAddresses)
	info, err := os.Stat(filepath.Join(dir, "state"))
	check.That(t, err == nil && info.Mode().Perm() == 0o700, "the state directory: %v %v", info.Mode(), err)
}

func TestNodeInitRefuses(t *testing.T) {
	for name, content := range map[string]string{
		"no document": "{",
		"no node":     strings.Replace(freshNode, "node_id", "node", 1),
		"a path":      strings.Replace(freshNode, "mesh-oslo-1", "../mesh", 1),
		"no state":    strings.Replace(freshNode, "state_directory", "state", 1),
		"twice":       strings.Replace(freshNode, "local_api_address", "node_id", 1),
		"too long":    freshNode + strings.Repeat(" ", maxNodeConfig),
	} {
		dir := t.TempDir()
		config := filepath.Join(dir, "config.json")
		must.Do(t, os.WriteFile(config, []byte(content), 0o600))
		if code, stdout, stderr := run("node", "init", "--config", config); code != 2 || stdout != "" || stderr == "" {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", name, code, stdout, stderr)
		}
		entries, err := os.ReadDir(dir)
		check.That(t, err == nil && len(entries) == 1, "%s: it left %v", name, entries)
	}
}

// A node with a fault in its configuration does not start, and no order is left
// for it.
func TestNodeRunNeedsASoundConfiguration(t *testing.T) {
	node(t, `"cloud_poll_interval_seconds": 10`, `"cloud_poll_interval_seconds": 0`)
	for _, command := range []string{"run", "rotate-identity"} {
		code, stdout, stderr := run("node", command, "config.json")
		check.That(t, code == exitFaults && stdout == "" && strings.Contains(stderr, "/cloud_poll_interval_seconds"),
			"%s: exit code %d, stdout %q, stderr %q", command, code, stdout, stderr)
		if code, _, stderr := run("node", command, "none.json"); code != 2 || !strings.Contains(stderr, "none.json") {
			t.Errorf("%s: exit code %d, stderr %q", command, code, stderr)
		}
	}
	entries, err := os.ReadDir("state")
	check.That(t, err == nil && len(entries) == 0, "something was left: %v %v", entries, err)
}
