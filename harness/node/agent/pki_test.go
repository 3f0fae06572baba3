package agent_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// authority is a CA of a test.
type authority struct {
	t           testing.TB
	certificate *x509.Certificate
	key         crypto.Signer
}

func newAuthority(t testing.TB, name string) *authority {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		BasicConstraintsValid: true, IsCA: true, KeyUsage: x509.KeyUsageCertSign,
	}
	key := newECKey(t)
	return &authority{t, sign(t, template, template, key.Public(), key), key}
}

func newECKey(t testing.TB) crypto.Signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func sign(t testing.TB, template, parent *x509.Certificate, public crypto.PublicKey, key crypto.Signer) *x509.Certificate {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return certificate
}

// identity is a leaf for 127.0.0.1 with a SPIFFE id, for both ends of TLS. A nil
// key stands for a new one.
func (a *authority) identity(path string, key crypto.Signer) tls.Certificate {
	a.t.Helper()
	if key == nil {
		key = newECKey(a.t)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "leaf"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		URIs:        []*url.URL{{Scheme: "spiffe", Host: tenant + ".example", Path: path}},
	}
	leaf := sign(a.t, template, a.certificate, key.Public(), a.key)
	return tls.Certificate{Certificate: [][]byte{leaf.Raw, a.certificate.Raw}, PrivateKey: key, Leaf: leaf}
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return pool
}

// pemOf is a chain in PEM.
func pemOf(chain ...[]byte) []byte {
	var b []byte
	for _, der := range chain {
		b = append(b, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	return b
}

// put writes the files of an identity below a directory.
func put(t testing.TB, dir, name string, id tls.Certificate) {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(id.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, name+".pem"), pemOf(id.Certificate...))
	write(t, filepath.Join(dir, name+".key"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

func write(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
