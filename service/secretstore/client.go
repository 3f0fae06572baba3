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
	"net/url"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/httpd"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
)

// Client is the secrets engine behind the address of the settings
// (service/docs/secret-store.md, Token and connection). It may be used by many at a time,
// and needs no end. No error of it holds a part of the token or of a record.
type Client struct {
	settings *nodeconfig.SecretStore
	over     http.RoundTripper // nil for a connection for each request
}

var _ Store = (*Client)(nil)

// NewClient returns a client with these settings. It uses the address, the
// namespace, mount, base path and request timeout, the authorities, and the files
// of the token and the client identity.
func NewClient(s *nodeconfig.SecretStore) *Client { return &Client{settings: s} }

// Metadata implements [Store]. It reads no record.
func (c *Client) Metadata(ctx context.Context, path string) (Metadata, error) {
	a, err := c.exchange(ctx, request{http.MethodGet, c.url("metadata", path), nil})
	if err != nil {
		return Metadata{}, err
	}
	switch {
	case a.status == http.StatusOK:
		return currentVersion(a.document)
	case a.absent():
		return Metadata{}, ErrAbsent
	}
	return Metadata{}, a.refusal()
}

// Read implements [Store]. A record that is no document of SPEC 1, with a null or
// a fraction for example, is read as an empty one.
func (c *Client) Read(ctx context.Context, path string) (seal.Object, Metadata, error) {
	a, err := c.exchange(ctx, request{http.MethodGet, c.url("data", path), nil})
	if err != nil {
		return nil, Metadata{}, err
	}
	switch {
	case a.status == http.StatusOK:
		return readVersion(a.document)
	case a.absent():
		return nil, Metadata{}, ErrAbsent
	case a.status == http.StatusNotFound && a.document != nil:
		if m, err := goneVersion(a.document); err == nil {
			return nil, m, nil
		}
	}
	return nil, Metadata{}, a.refusal()
}

// Write implements [Store].
func (c *Client) Write(ctx context.Context, path string, cas int64, record seal.Object) (Metadata, error) {
	body := seal.Canonical(seal.Object{"options": seal.Object{"cas": cas}, "data": record})
	a, err := c.exchange(ctx, request{http.MethodPost, c.url("data", path), body})
	if err != nil {
		return Metadata{}, err
	}
	switch {
	case a.status == http.StatusOK:
		return writtenVersion(a.document, cas+1)
	case a.conflict():
		return Metadata{}, ErrConflict
	}
	return Metadata{}, a.refusal()
}

// url is where the engine keeps data or metadata of a path.
func (c *Client) url(kind, path string) string {
	s := c.settings
	segments := append([]string{"v1", s.Mount, kind}, strings.Split(s.BasePath+"/"+path, "/")...)
	for i := range segments {
		segments[i] = url.PathEscape(segments[i])
	}
	return s.Address + "/" + strings.Join(segments, "/")
}

// maxAnswer is how long the body of an answer is in bytes.
const maxAnswer = 1 << 20

const jsonType = "application/json"

// request is a request to the engine.
type request struct {
	method, url string
	body        []byte // nil if there is none
}

// answer is an answer of the engine.
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
		return answer{}, connectionError(ctx, "no answer of the store", err, token)
	}
	defer func() { _ = response.Body.Close() }()
	a := answer{status: response.StatusCode, token: token}
	document, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return answer{}, connectionError(ctx, "the answer of the store did not arrive whole", err, token)
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

const userAgent = "svc-edge-node"

// singleTransport makes a connection for each request, by TLS 1.2 or later. It speaks HTTP/1.1
// alone, which never makes a request twice on a new connection.
func singleTransport(timeout time.Duration) *http.Transport {
	t := httpd.Transport(&tls.Config{MinVersion: tls.VersionTLS12}, timeout)
	t.DisableKeepAlives = true
	return t
}
