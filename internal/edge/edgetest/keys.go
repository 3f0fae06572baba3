package edgetest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
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

// Authority is a certificate authority of a test.
type Authority struct {
	certificate *x509.Certificate
	key         crypto.Signer
}

// NewAuthority makes an authority and writes its certificate.
func NewAuthority(t testing.TB, path string) *Authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	a := &Authority{key: key, certificate: &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: filepath.Base(path)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		BasicConstraintsValid: true, IsCA: true, KeyUsage: x509.KeyUsageCertSign,
	}}
	der, err := x509.CreateCertificate(rand.Reader, a.certificate, a.certificate, key.Public(), key)
	check(t, err)
	a.certificate, err = x509.ParseCertificate(der)
	check(t, err)
	write(t, path, 0o644, "CERTIFICATE", der)
	return a
}

// issue makes a certificate for a key, for the loopback address or an observer.
func (a *Authority) issue(t testing.TB, key crypto.Signer, usage x509.ExtKeyUsage) tls.Certificate {
	t.Helper()
	return a.issueTo(t, key, usage, "/observer/soc")
}

func (a *Authority) issueTo(t testing.TB, key crypto.Signer, usage x509.ExtKeyUsage, path string) tls.Certificate {
	t.Helper()
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		NotBefore:    time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{usage},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	if usage == x509.ExtKeyUsageClientAuth {
		leaf.IPAddresses, leaf.URIs = nil, []*url.URL{{Scheme: "spiffe", Host: Tenant + ".example", Path: path}}
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, a.certificate, key.Public(), a.key)
	check(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// Write makes a certificate for a key, and writes both as path.pem and path.key.
func (a *Authority) Write(t testing.TB, path string, key ed25519.PrivateKey, usage x509.ExtKeyUsage) {
	t.Helper()
	writePair(t, path, a.issue(t, key, usage))
}

// WriteObserver makes the certificate of an observer with a new key.
func (a *Authority) WriteObserver(t testing.TB, path string) {
	t.Helper()
	a.WriteObserverAs(t, path, "/observer/soc")
}

// WriteObserverAs makes the certificate of a caller with the path of its SPIFFE
// id, with a new key.
func (a *Authority) WriteObserverAs(t testing.TB, path, spiffePath string) {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	check(t, err)
	writePair(t, path, a.issueTo(t, key, x509.ExtKeyUsageClientAuth, spiffePath))
}

func writePair(t testing.TB, path string, pair tls.Certificate) {
	t.Helper()
	write(t, path+".pem", 0o644, "CERTIFICATE", pair.Certificate[0])
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	check(t, err)
	write(t, path+".key", 0o600, "PRIVATE KEY", der)
}

// WritePublic writes public keys as blocks PUBLIC KEY.
func WritePublic(t testing.TB, path string, keys ...crypto.PublicKey) {
	t.Helper()
	var doc []byte
	for _, key := range keys {
		doc = append(doc, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: SPKI(t, key)})...)
	}
	check(t, os.WriteFile(path, doc, 0o600))
}

// SPKI returns a public key as a SubjectPublicKeyInfo.
func SPKI(t testing.TB, key crypto.PublicKey) []byte {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key)
	check(t, err)
	return der
}

func write(t testing.TB, path string, mode os.FileMode, kind string, der []byte) {
	t.Helper()
	check(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), mode))
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
