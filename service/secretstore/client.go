package secretstore

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/svc-edge/svc-verify/harness/seal"
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
