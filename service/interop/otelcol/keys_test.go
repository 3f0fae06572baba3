package otelcol

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// writeKeys writes a CA and a certificate for each side into a directory, and
// returns a client that has one of them.
func writeKeys(t *testing.T, directory string) *http.Client {
	now := time.Now()
	ca := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ca"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	caKey := newKey(t)
	writeCertificate(t, filepath.Join(directory, "ca"), ca, ca, caKey, caKey)
	for i, name := range []string{"server", "client"} {
		leaf := &x509.Certificate{SerialNumber: big.NewInt(int64(i + 2)), Subject: pkix.Name{CommonName: name},
			NotBefore: ca.NotBefore, NotAfter: ca.NotAfter,
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
			IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
		writeCertificate(t, filepath.Join(directory, name), leaf, ca, newKey(t), caKey)
	}
	pair := get(tls.LoadX509KeyPair(filepath.Join(directory, "client.pem"), filepath.Join(directory, "client.key")))(t)
	roots := x509.NewCertPool()
	pool, err := os.ReadFile(filepath.Join(directory, "ca.pem"))
	if err != nil || !roots.AppendCertsFromPEM(pool) {
		t.Fatal("no CA", err)
	}
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13}}}
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	key := get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	return key
}

func writeCertificate(t *testing.T, path string, template, issuer *x509.Certificate, key, issuerKey *ecdsa.PrivateKey) {
	der := get(x509.CreateCertificate(rand.Reader, template, issuer, &key.PublicKey, issuerKey))(t)
	private := get(x509.MarshalPKCS8PrivateKey(key))(t)
	writePEM(t, path+".pem", "CERTIFICATE", der)
	writePEM(t, path+".key", "PRIVATE KEY", private)
}

func writePEM(t *testing.T, path, kind string, der []byte) {
	do(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
}
