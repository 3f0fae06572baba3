package receive

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/svc-edge/svc-verify/bundle/certificate"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// mostPEM bounds a file of keys or certificates.
const mostPEM = 4 << 20

// TLS returns the TLS configuration of the server, from PEM files with its
// certificates, its key, and the authorities for clients. It accepts TLS 1.3 only,
// and only certificates for client authentication.
func TLS(certificate, key, clientCA string) (*tls.Config, error) {
	chain, err := readPEM(certificate, false)
	if err != nil {
		return nil, err
	}
	private, err := readPEM(key, true)
	if err != nil {
		return nil, err
	}
	own, err := tls.X509KeyPair(chain, private)
	if err != nil {
		return nil, fmt.Errorf("%s and %s: %w", safetext.Quote(certificate), safetext.Quote(key), err)
	}
	authorities, err := readPEM(clientCA, false)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(authorities) {
		return nil, fmt.Errorf("%s: expected certificates in PEM, found none", safetext.Quote(clientCA))
	}
	return &tls.Config{
		MinVersion:             tls.VersionTLS13,
		Certificates:           []tls.Certificate{own},
		ClientAuth:             tls.RequireAndVerifyClientCert,
		ClientCAs:              pool,
		SessionTicketsDisabled: true, // every connection shows its certificate anew
		VerifyConnection:       forClients,
	}, nil
}

// forClients refuses a certificate that does not say that it is for clients.
// One without any such statement would do for crypto/tls.
func forClients(state tls.ConnectionState) error {
	usages := state.PeerCertificates[0].ExtKeyUsage
	if !slices.Contains(usages, x509.ExtKeyUsageClientAuth) {
		return errors.New("the client's certificate is not for clients: expected the extended key usage clientAuth")
	}
	return nil
}

// clientOf names the client at the other end: the subject of its certificate,
// or its first name where there is no subject.
func clientOf(state *tls.ConnectionState) string {
	if state == nil || len(state.PeerCertificates) == 0 {
		return ""
	}
	leaf := state.PeerCertificates[0]
	name := leaf.Subject.String()
	switch {
	case name != "":
	case len(leaf.URIs) > 0:
		name = uriOf(leaf)
	case len(leaf.DNSNames) > 0:
		name = leaf.DNSNames[0]
	default:
		name = "serial " + leaf.SerialNumber.Text(16)
	}
	const most = 256
	return name[:min(len(name), most)]
}

// uriOf is the first URI name of a certificate as it is there: net/url would
// make one spelling of several.
func uriOf(leaf *x509.Certificate) string {
	parsed, err := certificate.Parse(leaf.Raw)
	if err != nil {
		return leaf.URIs[0].String()
	}
	for _, name := range parsed.AltNames {
		if name.Tag == tagURI {
			return string(name.Value)
		}
	}
	return ""
}

// tagURI is the tag of a URI in subjectAltName (RFC 5280, 4.2.1.6).
const tagURI = 6

// readPEM reads a file. An error has its name quoted. A private one is refused if others than
// its owner may use it.
func readPEM(name string, private bool) ([]byte, error) {
	f, err := access.OpenRegular(name)
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		err = fmt.Errorf("%s: %w", safetext.Quote(name), at.Err)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if private {
		if err := access.Check(f, access.Nothing); err != nil {
			return nil, fmt.Errorf("%s: expected a key that its owner alone may read, found %w", safetext.Quote(name), err)
		}
	}
	return io.ReadAll(io.LimitReader(f, mostPEM))
}
