package secretstore

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
)

// errLeaf says that the health URL shows another certificate.
var errLeaf = errors.New("expected the new leaf at the health URL, found another")

// Probe implements [Workload], over a connection of its own each time
// (service/docs/secret-store.md, Health check).
func (w workload) Probe(ctx context.Context, leaf []byte) error {
	limited, cancel := context.WithTimeout(ctx, w.settings.RequestTimeout)
	defer cancel()
	asked, err := http.NewRequestWithContext(limited, http.MethodGet, w.settings.HealthURL, nil)
	if err != nil {
		return errors.New("expected a health URL that can be asked, found another")
	}
	asked.Header.Set("User-Agent", userAgent)
	transport := singleTransport(w.settings.RequestTimeout)
	// Not the authority decides here but the leaf itself, whose key the server
	// must have: the handshake shows that, whatever authority signed the certificate.
	transport.TLSClientConfig.InsecureSkipVerify = true // #nosec G402 -- VerifyConnection is stricter
	transport.TLSClientConfig.VerifyConnection = func(s tls.ConnectionState) error {
		if len(s.PeerCertificates) == 0 || !bytes.Equal(s.PeerCertificates[0].Raw, leaf) {
			return errLeaf
		}
		return nil
	}
	answer, err := transport.RoundTrip(asked)
	if err != nil {
		return broken(ctx, "no answer at the health URL", err, "")
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("expected the status 200 at the health URL, found %d", answer.StatusCode)
	}
	return nil
}
