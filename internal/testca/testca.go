// Package testca makes the TLS certificates of tests. They are an authority, the certificates
// that it issues, and the files of both. Nothing of it is for any other use: keys are made
// anew each time and never kept. A failure to make one is a fault of the test, and panics.
package testca

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"time"
)

// Authority is a certificate authority.
type Authority struct {
	Certificate *x509.Certificate
	Key         crypto.Signer
}

// New makes an authority with a common name. It signs certificates and CRLs. An
// untrusted authority needs the name of the one that is trusted: a client
// keeps back a certificate whose issuer the server has not named.
func New(name string) *Authority {
	t := certificateTemplate(name)
	t.IsCA, t.KeyUsage = true, x509.KeyUsageCertSign|x509.KeyUsageCRLSign
	key := NewKey()
	a := &Authority{Certificate: t, Key: key}
	a.Certificate = a.Certify(t, key).Leaf
	return a
}

// NewKey makes a key on P-256.
func NewKey() crypto.Signer { return must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)) }

// certificateTemplate is a certificate for nothing yet, from an hour ago until tomorrow.
func certificateTemplate(name string) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: must(rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))), Subject: pkix.Name{CommonName: name},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour), BasicConstraintsValid: true,
	}
}

// ServerTemplate is the certificate of a server on 127.0.0.1, for a test to
// change before it is issued.
func ServerTemplate() *x509.Certificate {
	t := certificateTemplate("server")
	t.KeyUsage, t.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	t.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	return t
}

// ClientTemplate is the certificate of a client with a common name and these
// URIs, such as SPIFFE ids, for a test to change before it is issued.
func ClientTemplate(name string, ids ...string) *x509.Certificate {
	t := certificateTemplate(name)
	t.KeyUsage, t.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	for _, id := range ids {
		t.URIs = append(t.URIs, must(url.Parse(id)))
	}
	return t
}

// SpeltTemplate is [ClientTemplate] with URIs that stand in the certificate as
// they are spelt here: net/url would fold some spellings into others.
func SpeltTemplate(name string, ids ...string) *x509.Certificate {
	t := ClientTemplate(name)
	if len(ids) == 0 {
		return t
	}
	var names []asn1.RawValue
	for _, id := range ids {
		names = append(names, asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 6, Bytes: []byte(id)})
	}
	t.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 17}, Value: must(asn1.Marshal(names))}}
	return t
}

// Server issues the certificate of a server on 127.0.0.1.
func (a *Authority) Server() tls.Certificate { return a.Issue(ServerTemplate()) }

// Client issues the certificate of a client with a common name and these URIs.
func (a *Authority) Client(name string, ids ...string) tls.Certificate {
	return a.Issue(ClientTemplate(name, ids...))
}

// Issue issues a certificate for a new key.
func (a *Authority) Issue(template *x509.Certificate) tls.Certificate {
	return a.Certify(template, NewKey())
}

// Certify issues a certificate for a key that is there. The authority's own is
// not part of the chain.
func (a *Authority) Certify(template *x509.Certificate, key crypto.Signer) tls.Certificate {
	der := must(x509.CreateCertificate(rand.Reader, template, a.Certificate, key.Public(), a.Key))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: must(x509.ParseCertificate(der))}
}

// Pool is the authority as the only root of a verification.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.Certificate)
	return pool
}

// HTTP returns a client that trusts the authority. It shows the certificate that
// it is given, if any, even if the server does not ask for its authority.
func (a *Authority) HTTP(identity ...tls.Certificate) *http.Client {
	c := &tls.Config{RootCAs: a.Pool(), MinVersion: tls.VersionTLS12}
	if len(identity) > 0 {
		c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &identity[0], nil }
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: c}}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
