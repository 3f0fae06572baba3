package secretstore

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"
)

// maxAnswer is how long the body of an answer is in bytes.
const maxAnswer = 1 << 20

const jsonType = "application/json"

// request is a request to the engine.
type request struct {
	method, url string
	body        []byte // nil for none
}

// answer is what the engine answers.
type answer struct {
	status   int
	document []byte // of the type JSON, nil if it is of another
	token    string // that was shown
}

// exchange makes one request over a connection of its own. A connection that is
// used again might be dead, and net/http would then send the request twice; and
// the rest of an earlier answer would be taken for the next one.
func (c *Client) exchange(ctx context.Context, r request) (answer, error) {
	token, err := c.settings.Token()
	if err != nil {
		return answer{}, fmt.Errorf("the token file: %w", err)
	}
	over := c.over
	if over == nil {
		if over, err = c.transport(); err != nil {
			return answer{}, err
		}
	}
	limited, cancel := context.WithTimeout(ctx, c.settings.RequestTimeout)
	defer cancel()
	asked, err := http.NewRequestWithContext(limited, r.method, r.url, bytes.NewReader(r.body))
	if err != nil {
		return answer{}, errors.New("expected an address that requests can be made of, found another")
	}
	c.mark(asked, token)
	// The transport itself follows no redirect and keeps no cookie.
	response, err := over.RoundTrip(asked)
	if err != nil {
		return answer{}, broken(ctx, "no answer of the store", err, token)
	}
	defer func() { _ = response.Body.Close() }()
	a := answer{status: response.StatusCode, token: token}
	document, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return answer{}, broken(ctx, "the answer of the store did not arrive whole", err, token)
	}
	if len(document) > maxAnswer {
		return answer{}, fmt.Errorf("expected an answer of at most %d bytes, found more", maxAnswer)
	}
	if kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type")); err == nil && kind == jsonType {
		a.document = document
	}
	return a, nil
}

// mark puts the headers on a request.
func (c *Client) mark(r *http.Request, token string) {
	r.Header.Set("X-Vault-Token", token)
	r.Header.Set("X-Vault-Request", "true")
	if c.settings.Namespace != "" {
		r.Header.Set("X-Vault-Namespace", c.settings.Namespace)
	}
	if r.ContentLength > 0 {
		r.Header.Set("Content-Type", jsonType)
	}
	r.Header.Set("User-Agent", userAgent)
}

// transport makes one connection, as the client identity that the files hold now.
func (c *Client) transport() (*http.Transport, error) {
	s := c.settings
	t := singleTransport(s.RequestTimeout)
	if len(s.Authorities.Certificates) > 0 {
		t.TLSClientConfig.RootCAs = s.Authorities.Pool()
	}
	if s.Identity.CertificateFile.Path == "" {
		return t, nil
	}
	identity, faults := s.Identity.ReadClient(time.Now())
	if len(faults) > 0 {
		return nil, fmt.Errorf("the client identity: %w", faults)
	}
	t.TLSClientConfig.Certificates = []tls.Certificate{identity.Pair()}
	return t, nil
}
