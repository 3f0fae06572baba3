package httpd

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// ClientConfig is how a client reaches its server.
type ClientConfig struct {
	URL      string // an origin, without a slash at its end
	Roots    *x509.CertPool
	Identity tls.Certificate
	// Pins are the SHA-256 digests of the SubjectPublicKeyInfos that the
	// server's leaf may have; any if there are none.
	Pins    [][sha256.Size]byte
	Timeout time.Duration // of one call; a poll may take its wait longer
}

// Client calls one server: TLS 1.3, no proxy, no redirect.
type Client struct {
	url     string
	timeout time.Duration
	http    *http.Client
}

// NewClient returns a client. It connects with the first call.
func NewClient(c ClientConfig) *Client {
	transport := Transport(&tls.Config{
		MinVersion:       tls.VersionTLS13,
		RootCAs:          c.Roots,
		Certificates:     []tls.Certificate{c.Identity},
		VerifyConnection: func(s tls.ConnectionState) error { return checkPin(s, c.Pins) },
	}, c.Timeout)
	transport.MaxIdleConnsPerHost, transport.ForceAttemptHTTP2 = 4, true
	return &Client{c.URL, c.Timeout, &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Transport makes connections, with so long a time for a handshake; the context of a request bounds
// all of it. There is no proxy, whatever the environment sets, and without ForceAttemptHTTP2 no HTTP/2.
func Transport(c *tls.Config, handshake time.Duration) *http.Transport {
	return &http.Transport{
		TLSClientConfig:        c,
		TLSHandshakeTimeout:    handshake,
		MaxResponseHeaderBytes: maxHeader,
		IdleConnTimeout:        idleTimeout,
		DisableCompression:     true,
	}
}

func checkPin(s tls.ConnectionState, pins [][sha256.Size]byte) error {
	if len(pins) == 0 {
		return nil
	}
	if found := sha256.Sum256(s.PeerCertificates[0].RawSubjectPublicKeyInfo); !slices.Contains(pins, found) {
		return fmt.Errorf("the server's public key has the digest %x, which is not pinned", found)
	}
	return nil
}

// Do makes a call that is answered at once. A body of nil sends none. If the
// server answers with an error it is a [*Problem].
func (c *Client) Do(ctx context.Context, method, path string, body seal.Object) (seal.Object, error) {
	return c.Poll(ctx, 0, method, path, body)
}

// Poll is [Client.Do] for a call that the server may hold for so long.
func (c *Client) Poll(ctx context.Context, wait time.Duration, method, path string, body seal.Object) (seal.Object,
	error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout+wait)
	defer cancel()
	var content io.Reader
	if body != nil {
		content = bytes.NewReader(seal.Canonical(body))
	}
	request, err := http.NewRequestWithContext(ctx, method, c.url+path, content)
	if err != nil {
		return nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", typeDocument)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	return readAnswer(response)
}

func readAnswer(r *http.Response) (seal.Object, error) {
	b, err := io.ReadAll(io.LimitReader(r.Body, MaxAnswer+1))
	if err != nil {
		return nil, err
	}
	if len(b) > MaxAnswer {
		return nil, fmt.Errorf("expected an answer of at most %d bytes", MaxAnswer)
	}
	if r.StatusCode < 200 || r.StatusCode > 299 {
		return nil, problemOf(r.StatusCode, b)
	}
	return seal.Parse(b)
}

// Close ends idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Pause waits for a time, until it is woken, or until the context ends. Then it
// returns the cause of that end.
func Pause(ctx context.Context, d time.Duration, wake <-chan struct{}) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-wake:
	case <-ctx.Done():
	}
	return context.Cause(ctx)
}
