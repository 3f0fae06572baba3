package agent_test

import (
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
)

// identity is a leaf for 127.0.0.1 with a SPIFFE id, for both ends of TLS, with
// its authority.
func identity(a *testca.Authority, path string, key crypto.Signer) tls.Certificate {
	template := testca.ClientTemplate("leaf", "spiffe://"+tenant+".example"+path)
	template.ExtKeyUsage = append(template.ExtKeyUsage, x509.ExtKeyUsageServerAuth)
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	i := a.Certify(template, key)
	i.Certificate = append(i.Certificate, a.Certificate.Raw)
	return i
}

// put writes a new identity of the node below its directory.
func (d *deployment) put(name string, a *testca.Authority) {
	testca.Write(filepath.Join(d.dir, name), identity(a, "/node/"+nodeID, testca.NewKey()))
}

func write(t testing.TB, path string, content []byte) {
	t.Helper()
	must.Do(t, os.WriteFile(path, content, 0o600))
}
