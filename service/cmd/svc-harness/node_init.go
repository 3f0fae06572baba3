package main

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/service/agent"
	"github.com/svc-edge/svc-verify/service/form"
)

// maxNodeConfig is the size of a configuration in bytes (service/docs/node-config.md).
const maxNodeConfig = 1 << 20

// What node init writes into the state directory.
const (
	requestFile = "identity.csr"
	publicFile  = "identity.pub.pem"
)

// initNode makes what a node needs before it can have certificates. The
// configuration names certificate files that are not there yet, so that only the
// settings that matter now are looked at.
func initNode(c *cliapp.Context) (int, error) {
	settings, err := readSettings(c.Text("config"))
	if err != nil {
		return 0, fmt.Errorf("reading %s: %w", safetext.Quote(c.Text("config")), err)
	}
	if err := os.MkdirAll(settings.state, 0o700); err != nil {
		return 0, err
	}
	if err := access.Writable(filepath.Join(settings.state, requestFile), filepath.Join(settings.state,
		publicFile)); err != nil {
		return 0, err
	}
	key, err := agent.MakeIdentity(settings.state, settings.node)
	if err != nil {
		return 0, err
	}
	names := []string{"uri:spiffe://" + settings.tenant + ".example/node/" + settings.node}
	if settings.address.IsValid() && !settings.address.IsUnspecified() {
		names = append([]string{"ip:" + settings.address.String()}, names...)
	}
	request, err := pki.Request(key.Private, names)
	if err != nil {
		return 0, err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return 0, err
	}
	for _, f := range []struct {
		name, kind string
		der        []byte
	}{{requestFile, "CERTIFICATE REQUEST", request}, {publicFile, "PUBLIC KEY", public}} {
		path := filepath.Join(settings.state, f.name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: f.kind, Bytes: f.der}), 0o600); err != nil {
			return 0, err
		}
		fmt.Fprintf(c.Stdout, "%s\n", safetext.Line(path))
	}
	fmt.Fprintf(c.Stderr, "svc-harness: the key %s has the SPKI digest %s\n", safetext.Line(key.ID),
		seal.SHA256(public))
	return 0, nil
}

// nodeSettings are the settings that make an identity.
type nodeSettings struct {
	tenant, node, state string
	address             netip.Addr // the zero value if there is none
}

func readSettings(path string) (nodeSettings, error) {
	f, err := os.Open(path)
	if err != nil {
		return nodeSettings{}, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxNodeConfig+1))
	if err != nil {
		return nodeSettings{}, err
	}
	if len(content) > maxNodeConfig {
		return nodeSettings{}, fmt.Errorf("expected at most %d bytes", maxNodeConfig)
	}
	o, err := seal.Parse(content)
	if err != nil {
		return nodeSettings{}, err
	}
	s := nodeSettings{tenant: seal.Text(o, "tenant_id"), node: seal.Text(o, "node_id"),
		state: seal.Text(o, "state_directory")}
	if !form.SubjectID.Is(s.tenant) || !form.SubjectID.Is(s.node) {
		return s, errors.New("tenant_id and node_id: expected 1 to 100 characters of A-Z a-z 0-9 . _ : @ -")
	}
	if s.state == "" {
		return s, errors.New("state_directory: expected a path")
	}
	if !filepath.IsAbs(s.state) {
		s.state = filepath.Join(filepath.Dir(path), s.state)
	}
	if address, err := netip.ParseAddrPort(seal.Text(o, "local_api_address")); err == nil {
		s.address = address.Addr()
	}
	return s, nil
}
