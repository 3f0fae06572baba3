// Package configtest makes a configuration of a Mesh Node for tests. Every part is
// switched on, and all files that it names are there.
package configtest

import (
	"crypto/x509"
	"crypto/x509/pkix"
	_ "embed"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
)

// Config is a whole configuration, the example of service/docs/node-config.md.
//
//go:embed config.json
var Config []byte

// Token is the secret store's token.
const Token = "hvs.CAESIJ-secret-of-the-store" // #nosec G101 -- of no store

// reload is the executable whose digest Config pins.
const reload = "#!/bin/sh\nexec true \"$@\"\n"

// At is when all certificates are valid.
var At = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// Issued is a certificate with its key.
type Issued = testca.Authority

// Authority returns the template of a CA that is valid for a month before At
// and a month after.
func Authority() *x509.Certificate {
	t := Leaf()
	t.SerialNumber, t.Subject, t.IsCA = big.NewInt(1), pkix.Name{CommonName: "an authority"}, true
	t.KeyUsage = x509.KeyUsageCertSign
	return t
}

// Leaf returns the template of a leaf with these usages, valid as long.
func Leaf(usages ...x509.ExtKeyUsage) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "a leaf"},
		NotBefore: At.AddDate(0, -1, 0), NotAfter: At.AddDate(0, 1, 0),
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: usages,
	}
}

// Issue makes a certificate of the template with a new key. It is signed by
// itself if there is no issuer.
func Issue(template *x509.Certificate, issuer *Issued) *Issued {
	key := testca.NewKey()
	if issuer == nil {
		issuer = &Issued{Certificate: template, Key: key}
	}
	return &Issued{Certificate: issuer.Certify(template, key).Leaf, Key: key}
}

// Certificates writes certificates in PEM.
func Certificates(chain ...*Issued) []byte {
	var doc []byte
	for _, c := range chain {
		doc = append(doc, testca.Certificates(c.Certificate.Raw)...)
	}
	return doc
}

// Write writes Config and all its files below dir, and returns the path of the
// configuration.
func Write(t testing.TB, dir string) string {
	t.Helper()
	authority := Issue(Authority(), nil)
	for _, name := range []string{"observers-ca", "cloud-ca", "collector-ca", "store-ca"} {
		Put(t, dir, "pki/"+name+".pem", 0o644, Certificates(authority))
	}
	for name, usage := range map[string]x509.ExtKeyUsage{
		"api": x509.ExtKeyUsageServerAuth, "node": x509.ExtKeyUsageClientAuth, "exporter": x509.ExtKeyUsageClientAuth,
		"store-client": x509.ExtKeyUsageClientAuth, "bootstrap": x509.ExtKeyUsageServerAuth,
	} {
		leaf := Issue(Leaf(usage), authority)
		Put(t, dir, "pki/"+name+".pem", 0o644, Certificates(leaf, authority))
		Put(t, dir, "pki/"+name+".key", 0o600, testca.PrivateKey(leaf.Key))
	}
	Put(t, dir, "secrets/store-token", 0o600, []byte(Token+"\n"))
	Put(t, dir, "bin/reload", 0o755, []byte(reload))
	for name, mode := range map[string]fs.FileMode{"state": 0o700, "managed": 0o755} {
		must.Do(t, os.MkdirAll(filepath.Join(dir, name), mode))
	}
	Put(t, dir, "config.json", 0o644, Config)
	return filepath.Join(dir, "config.json")
}

// Put writes a file below dir with exactly these permissions.
func Put(t testing.TB, dir, name string, mode fs.FileMode, content []byte) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o750))
	must.Do(t, os.WriteFile(path, content, mode))
	must.Do(t, os.Chmod(path, mode))
}
