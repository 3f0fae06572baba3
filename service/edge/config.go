package edge

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// maxAuthorities is how many authorities a file may hold.
const maxAuthorities = 64

// Config describes how to reach a node.
type Config struct {
	URL         string // https://host[:port]
	CA          string // PEM file of the authorities that vouch for the node
	Certificate string // PEM file of the client's certificate, leaf first
	Key         string // PEM file of its private key, for its owner alone
	Pins        *Pins
}

// parseOrigin reads the URL of a node: scheme, host and port, and nothing else.
func parseOrigin(text string) (*url.URL, error) {
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
	private, err := readFile(key, maxFile, checkPrivate)
	if err != nil {
		return tls.Certificate{}, err
	}
	pair, err := tls.X509KeyPair(chain, private)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("%s and %s: %w", safetext.Quote(certificate), safetext.Quote(key), err)
	}
	return pair, nil
}

// maxFile bounds a file of keys or certificates in bytes.
const maxFile = 1 << 20

// readFile reads a regular file of at most limit bytes. It judges the file that it has opened, and
// so do the checks.
func readFile(name string, limit int64, checks ...func(*os.File) error) ([]byte, error) {
	f, err := access.OpenRegular(name)
	if err != nil {
		return nil, quotedPath(name, err)
	}
	defer f.Close()
	for _, check := range checks {
		if err := check(f); err != nil {
			return nil, err
		}
	}
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	switch {
	case err != nil:
		return nil, quotedPath(name, err)
	case int64(len(b)) > limit:
		return nil, fmt.Errorf("%s: expected at most %d bytes, found more", safetext.Quote(name), limit)
	}
	return b, nil
}

// checkPrivate refuses a file that others than its owner may read.
func checkPrivate(f *os.File) error {
	if err := access.Check(f, access.Nothing); err != nil {
		return fmt.Errorf("%s: expected a key that its owner alone may read, found %w", safetext.Quote(f.Name()),
			quotedPath(f.Name(), err))
	}
	return nil
}

// quotedPath returns the error of a file with its name quoted.
func quotedPath(name string, err error) error {
	return fmt.Errorf("%s: %w", safetext.Quote(name), access.WithoutPath(err))
}

// readBlocks returns the contents of a file's PEM blocks: 1 to most of one
// type, and nothing else but white space around them. A block that is damaged
// is no other text to be passed over.
func readBlocks(name, kind string, most int) ([][]byte, error) {
	doc, err := readFile(name, maxFile)
	if err != nil {
		return nil, err
	}
	wrong := func(found string) error {
		return fmt.Errorf("%s: expected 1 to %d PEM blocks %s and nothing else, found %s", safetext.Quote(name), most,
			kind, found)
	}
	var all [][]byte
	for doc = bytes.TrimSpace(doc); len(doc) > 0; doc = bytes.TrimSpace(doc) {
		block, rest := pem.Decode(doc)
		switch read := doc[:len(doc)-len(rest)]; {
		case block == nil || !bytes.HasPrefix(doc, []byte("-----BEGIN ")) ||
			bytes.Count(read, []byte("-----BEGIN ")) != 1:
			return nil, wrong("other text or a damaged block")
		case block.Type != kind:
			return nil, wrong("a block " + safetext.Quote(block.Type))
		case len(all) == most:
			return nil, wrong("more")
		}
		all = append(all, block.Bytes)
		doc = rest
	}
	if len(all) == 0 {
		return nil, wrong("none")
	}
	return all, nil
}
