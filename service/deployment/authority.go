package deployment

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"net/url"
	"path/filepath"
	"time"

	"github.com/svc-edge/svc-verify/harness/pki"
)

// How long the certificates of a deployment are valid.
const (
	authorityLifetime = 10 * 365 * 24 * time.Hour
	leafLifetime      = 365 * 24 * time.Hour
)

// authority issues the TLS certificates of one circle of callers.
type authority struct {
	certificate *x509.Certificate
	key         crypto.Signer
	file        string // of the certificate
}

// openAuthority takes up the authority <name>.pem and <name>.key of a directory,
// or makes it.
func openAuthority(dir, name string) (*authority, error) {
	a := &authority{file: filepath.Join(dir, name+".pem")}
	identity, err := tls.LoadX509KeyPair(a.file, keyFile(a.file))
	if errors.Is(err, fs.ErrNotExist) {
		template := &x509.Certificate{
			Subject: pkix.Name{CommonName: "harness " + name}, IsCA: true, BasicConstraintsValid: true,
			KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		}
		if err := a.issueTo(a.file, template); err != nil {
			return nil, err
		}
		identity, err = tls.LoadX509KeyPair(a.file, keyFile(a.file))
	}
	if err != nil {
		return nil, err
	}
	key, ok := identity.PrivateKey.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("%s: its key cannot sign", a.file)
	}
	a.certificate, a.key = identity.Leaf, key
	return a, nil
}

// keyFile is where the key of a certificate's file is.
func keyFile(certificate string) string {
	return certificate[:len(certificate)-len(filepath.Ext(certificate))] + ".key"
}

// pool is the authority as the root of a verification.
func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return pool
}

// serverTemplate is the template of a server on this machine.
func serverTemplate(name string) *x509.Certificate {
	return &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, DNSNames: []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage:    x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
	}
}

// client is the template of a caller with a SPIFFE id.
func client(id *url.URL) *x509.Certificate {
	return &x509.Certificate{
		Subject: pkix.Name{CommonName: filepath.Base(id.Path)}, URIs: []*url.URL{id},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true,
	}
}

// issueTo makes a key and its certificate, and writes both. A file that is there
// already is replaced.
func (a *authority) issueTo(file string, template *x509.Certificate) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if err := writePEM(keyFile(file), "PRIVATE KEY", der, 0o600); err != nil {
		return err
	}
	if a.key == nil {
		return a.certify(file, template, key.Public(), key)
	}
	return a.certify(file, template, key.Public(), a.key)
}

// certify signs a certificate for a key that is elsewhere, and writes it.
func (a *authority) certify(file string, template *x509.Certificate, public crypto.PublicKey,
	signer crypto.Signer) error {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return err
	}
	template.SerialNumber = serial
	template.NotBefore = time.Now().Add(-time.Hour)
	template.NotAfter = template.NotBefore.Add(leafLifetime)
	parent := a.certificate
	if parent == nil {
		parent, template.NotAfter = template, template.NotBefore.Add(authorityLifetime)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, signer)
	if err != nil {
		return err
	}
	return writePEM(file, "CERTIFICATE", der, 0o644)
}

func writePEM(file, kind string, der []byte, mode fs.FileMode) error {
	return pki.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), mode)
}
