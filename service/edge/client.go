package edge

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// How long a node may take, and how much it may say.
const (
	dialTime   = 10 * time.Second // for the connection, and for its handshake
	answerTime = 20 * time.Second // for an answer, besides the requested wait
	maxHead    = 64 << 10         // bytes of the head of an answer
	maxAnswer  = 2 << 20          // bytes of its body; 256 events have 1 MiB at most
	maxProblem = 64 << 10         // bytes of the body of a refusal
)

// Client talks to one node. It is for one goroutine at a time.
type Client struct {
	base *url.URL
	http *http.Client
	pins *Pins
	leaf *x509.Certificate // of the connection that answered last
}

// NewClient reads the files of a configuration. It does not connect.
func NewClient(c Config) (*Client, error) {
	base, err := parseOrigin(c.URL)
	if err != nil {
		return nil, err
	}
	config, err := c.tls(base.Hostname())
	if err != nil {
		return nil, err
	}
	t := &http.Transport{
		Proxy:                  nil, // not even one of the environment
		DialContext:            (&net.Dialer{Timeout: dialTime}).DialContext,
		TLSClientConfig:        config,
		TLSHandshakeTimeout:    dialTime,
		MaxResponseHeaderBytes: maxHead,
		DisableCompression:     true,
		MaxConnsPerHost:        1,
		IdleConnTimeout:        time.Minute,
		Protocols:              new(http.Protocols),
	}
	t.Protocols.SetHTTP1(true)
	refuse := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{base: base, pins: c.Pins, http: &http.Client{Transport: t, CheckRedirect: refuse}}, nil
}

// Close gives up the connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// request is one GET.
type request struct {
	path  string
	query url.Values
	wait  time.Duration // how long the node was asked to wait
}

// get asks the node for a document. An error is a [Refused] if the node answered with a
// refusal, and otherwise describes the fault of the connection or answer.
func (c *Client) get(ctx context.Context, r request) (*ijson.Value, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime+answerTime+r.wait)
	defer cancel()
	target := *c.base
	target.Path, target.RawQuery = r.path, r.query.Encode()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), http.NoBody)
	if err != nil {
		return nil, err
	}
	q.Header.Set("Accept", "application/json, application/problem+json")
	q.Header.Set("User-Agent", "svc-edge")
	answer, err := c.http.Do(q)
	if err != nil {
		return nil, connectionError(c.base.Host, err)
	}
	defer func() { _ = answer.Body.Close() }() // it was read, or is given up
	c.leaf = answer.TLS.PeerCertificates[0]
	if answer.StatusCode != http.StatusOK {
		return nil, readRefusal(answer)
	}
	return readDocument(c.base.Host, answer)
}

// readDocument reads the body of an answer.
func readDocument(host string, answer *http.Response) (*ijson.Value, error) {
	if kind := mediaType(answer); kind != "application/json" || answer.Header.Get("Content-Encoding") != "" {
		return nil, fmt.Errorf("the answer of %s: expected application/json without an encoding, found %s",
			safetext.Quote(host), safetext.Quote(kind))
	}
	b, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	if err != nil {
		return nil, connectionError(host, err)
	}
	if len(b) > maxAnswer {
		return nil, fmt.Errorf("the answer of %s: expected at most %d bytes, found more", safetext.Quote(host),
			maxAnswer)
	}
	v, fault := ijson.Parse(b)
	if fault != nil {
		return nil, fmt.Errorf("the answer of %s: %w", safetext.Quote(host), fault)
	}
	return v, nil
}

func mediaType(answer *http.Response) string {
	header := answer.Header.Get("Content-Type")
	if kind, _, err := mime.ParseMediaType(header); err == nil {
		return kind
	}
	return header
}

// Refused is an answer of the node that is not the requested document. Its texts are the
// node's, quoted and cut.
type Refused struct {
	Status int    // of HTTP
	Code   string // of service/docs/service.md; "" if the answer has none
	Detail string // one sentence of the node
}

// Error returns the node's answer, safe to show.
func (r *Refused) Error() string {
	text := fmt.Sprintf("the node answered %d %s", r.Status, http.StatusText(r.Status))
	if r.Status >= 300 && r.Status < 400 {
		text += ", and redirects are not followed"
	}
	if r.Code != "" {
		text += fmt.Sprintf(" (%s: %s)", r.Code, r.Detail)
	}
	return text
}

// readRefusal reads an answer that is no success. Of a problem document (RFC 9457) it reads code
// and detail, and cuts them.
func readRefusal(answer *http.Response) error {
	r := &Refused{Status: answer.StatusCode}
	if mediaType(answer) != "application/problem+json" {
		return r
	}
	b, err := io.ReadAll(io.LimitReader(answer.Body, maxProblem))
	if err != nil {
		return r
	}
	v, fault := ijson.Parse(b)
	if fault != nil {
		return r
	}
	text := func(name string) string {
		m, ok := v.Member(name)
		if !ok {
			return ""
		}
		const most = 200
		return columns.Cut(m.Text(), most)
	}
	r.Code, r.Detail = text("code"), text("detail")
	return r
}

// Unreachable reports that there was no whole answer, for a cause that may pass: no listener,
// a lost connection, a time limit.
type Unreachable struct{ cause error }

// Error returns the text of the cause, safe to show.
func (u *Unreachable) Error() string { return u.cause.Error() }

// Unwrap returns the cause.
func (u *Unreachable) Unwrap() error { return u.cause }

// connectionError sorts out why there was no answer: a peer that is not the pinned
// one, or that refuses us, does not become another by waiting.
func connectionError(host string, err error) error {
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	var pin *PinError
	var network *net.OpError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &pin):
		return fmt.Errorf("%s: %w", safetext.Quote(host), pin)
	case errors.As(err, &certificate):
		return fmt.Errorf("%s: the authority does not vouch for the node: %s", safetext.Quote(host),
			safetext.Line(certificate.Err.Error()))
	case errors.As(err, &network) && network.Op == "remote error":
		return fmt.Errorf("%s: the node refused the connection, its certificate or ours: %s", safetext.Quote(host),
			safetext.Line(network.Err.Error()))
	case strings.Contains(err.Error(), "server response headers exceeded"):
		return fmt.Errorf("the answer of %s: expected a head of at most %d bytes, found more", safetext.Quote(host),
			maxHead)
	}
	return &Unreachable{fmt.Errorf("%s: %s", safetext.Quote(host), safetext.Line(err.Error()))}
}
