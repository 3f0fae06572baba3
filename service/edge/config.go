package edge

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// maxAuthorities is how many authorities a file may hold.
const maxAuthorities = 64

// Config says how to reach a node.
type Config struct {
	URL         string // https://host[:port]
	CA          string // PEM file of the authorities that vouch for the node
	Certificate string // PEM file of the client's certificate, leaf first
	Key         string // PEM file of its private key, for its owner alone
	Pins        *Pins
}

// origin reads the URL of a node: scheme, host and port, and nothing else.
func origin(text string) (*url.URL, error) {
	const want = "https://host or https://host:port"
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" || u.Host == "" || text != "https://"+u.Host {
		found := safetext.Quote(text)
		if strings.ContainsAny(text, "@?#") {
			found = "one with other parts" // which may hold a secret
		}
		return nil, fmt.Errorf("expected a URL %s, found %s", want, found)
	}
	if port := u.Port(); port != "" || strings.HasSuffix(u.Host, ":") {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || strconv.FormatUint(n, 10) != port {
			return nil, fmt.Errorf("expected a port from 1 to 65535, found %s", safetext.Quote(port))
		}
	}
	if addr, err := netip.ParseAddr(u.Hostname()); err == nil && addr.Zone() != "" {
		return nil, fmt.Errorf("expected a URL %s without a zone, found %s", want, safetext.Quote(text))
	}
	return u, nil
}

// tls makes the configuration of the connections.
func (c Config) tls(host string) (*tls.Config, error) {
	roots, err := readAuthorities(c.CA)
	if err != nil {
		return nil, err
	}
	own, err := readIdentity(c.Certificate, c.Key)
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion:   tls.VersionTLS13,
		ServerName:   host,
		RootCAs:      roots,
		Certificates: []tls.Certificate{own},
		VerifyConnection: func(state tls.ConnectionState) error {
			return c.Pins.admit(state.PeerCertificates[0])
		},
	}, nil
}

// readAuthorities reads certificates of authorities.
func readAuthorities(name string) (*x509.CertPool, error) {
	blocks, err := readBlocks(name, "CERTIFICATE", maxAuthorities)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	for _, block := range blocks {
		certificate, err := x509.ParseCertificate(block)
		if err != nil {
			return nil, fmt.Errorf("%s: %s", safetext.Quote(name), safetext.Line(err.Error()))
		}
		if !certificate.IsCA {
			return nil, fmt.Errorf("%s: expected certificates of authorities, found that of %s, which is none",
				safetext.Quote(name), safetext.Quote(certificate.Subject.String()))
		}
		pool.AddCert(certificate)
	}
	return pool, nil
}

// readIdentity reads the client's certificate and key.
func readIdentity(certificate, key string) (tls.Certificate, error) {
	chain, err := readFile(certificate, maxFile)
	if err != nil {
		return tls.Certificate{}, err
	}
	private, err := readPrivate(key)
	if err != nil {
		return tls.Certificate{}, err
	}
	pair, err := tls.X509KeyPair(chain, private)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("%s and %s: %w", safetext.Quote(certificate), safetext.Quote(key), err)
	}
	return pair, nil
}
