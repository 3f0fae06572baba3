// Package receivetest makes what a test of the sink needs of TLS: an authority,
// certificates, the files of the sink, and clients. Nothing of it is for any
// other use: keys are made anew each time and kept by nobody.
package receivetest

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
	"time"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Authority is a certificate authority.
type Authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// NewAuthority makes an authority.
func NewAuthority(name string) *Authority {
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	t := Template(name)
	t.IsCA, t.BasicConstraintsValid, t.KeyUsage = true, true, x509.KeyUsageCertSign
	der := must(x509.CreateCertificate(rand.Reader, t, t, &key.PublicKey, key))
	return &Authority{must(x509.ParseCertificate(der)), key}
}

// Template is a certificate with a common name, from 2020 to 2120.
func Template(name string) *x509.Certificate {
	serial := must(rand.Int(rand.Reader, big.NewInt(1<<62)))
	return &x509.Certificate{SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		NotBefore: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2120, 1, 1, 0, 0, 0, 0, time.UTC)}
}

// Issue makes a certificate for the loopback, with its key.
func (a *Authority) Issue(t *x509.Certificate, usages ...x509.ExtKeyUsage) *tls.Certificate {
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	t.ExtKeyUsage = usages
	t.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	der := must(x509.CreateCertificate(rand.Reader, t, a.certificate, &key.PublicKey, a.key))
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// Client makes a certificate of a client.
func (a *Authority) Client(name string) *tls.Certificate {
	return a.Issue(Template(name), x509.ExtKeyUsageClientAuth)
}

// Files writes a new certificate of a server, its key, and the authority's own
// certificate.
func (a *Authority) Files(dir string) (certificate, key, authority string) {
	own := a.Issue(Template("sink"), x509.ExtKeyUsageServerAuth)
	certificate, key, authority = filepath.Join(dir, "tls.pem"), filepath.Join(dir, "tls.key"), filepath.Join(dir, "ca.pem")
	for name, block := range map[string]*pem.Block{
		certificate: {Type: "CERTIFICATE", Bytes: own.Certificate[0]},
		key:         {Type: "PRIVATE KEY", Bytes: must(x509.MarshalPKCS8PrivateKey(own.PrivateKey))},
		authority:   {Type: "CERTIFICATE", Bytes: a.certificate.Raw},
	} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			panic(err)
		}
	}
	return certificate, key, authority
}

// HTTP returns a client that trusts the authority and shows a certificate, even
// if the server does not ask for its authority; nil is none.
func (a *Authority) HTTP(certificate *tls.Certificate) *http.Client {
	roots := x509.NewCertPool()
	roots.AddCert(a.certificate)
	c := &tls.Config{RootCAs: roots}
	if certificate != nil {
		c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return certificate, nil }
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: c}}
}
