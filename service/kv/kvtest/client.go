package kvtest

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
)

// Answer is a server's answer.
type Answer struct {
	Status   int
	Header   http.Header
	Document map[string]any // nil if there is none; its numbers are float64
}

// Data is the member data of the document, nil if it is no object.
func (a Answer) Data() map[string]any {
	data, _ := a.Document["data"].(map[string]any)
	return data
}

// Errors is the member errors of the document.
func (a Answer) Errors() []string {
	var texts []string
	list, _ := a.Document["errors"].([]any)
	for _, one := range list {
		text, _ := one.(string)
		texts = append(texts, text)
	}
	return texts
}

// Client makes requests with a token. A request that gets no answer, or one that
// is no JSON, ends the test.
type Client struct {
	t       testing.TB
	http    *http.Client
	address string
	mount   string
	token   string
}

// As returns a client with a token, "" for none.
func As(t testing.TB, b Backend, token string) *Client {
	c := clientOf(t, b.Authority, b.Address, token)
	c.mount = b.Mount
	return c
}

// Admin returns a client that may do everything.
func Admin(t testing.TB, b Backend) *Client { return As(t, b, b.RootToken) }

// clientOf returns a client for the server's own operations.
func clientOf(t testing.TB, authority *testca.Authority, address, token string) *Client {
	c := &Client{t: t, http: authority.HTTP(), address: address, token: token}
	t.Cleanup(c.http.CloseIdleConnections)
	return c
}

// Do makes a request, with a path after /v1/ and the query. The body is sent as
// it is if it is a text, and as JSON otherwise; nil is none.
func (c *Client) Do(method, path string, body any) Answer {
	c.t.Helper()
	text, is := body.(string)
	if !is && body != nil {
		text = string(must.Get(json.Marshal(body))(c.t))
	}
	r := must.Get(http.NewRequestWithContext(c.t.Context(), method, c.address+"/v1/"+path, strings.NewReader(text)))(c.t)
	if c.token != "" {
		r.Header.Set("X-Vault-Token", c.token)
	}
	r.Header.Set("Content-Type", "application/json")
	return c.send(r)
}

// send sends a request and reads the answer.
func (c *Client) send(r *http.Request) Answer {
	c.t.Helper()
	response := must.Get(c.http.Do(r))(c.t)
	b, err := io.ReadAll(response.Body)
	err = errors.Join(err, response.Body.Close())
	a := Answer{Status: response.StatusCode, Header: response.Header}
	if err == nil && len(b) > 0 {
		err = json.Unmarshal(b, &a.Document)
	}
	must.OK(c.t, err, "%s %s", r.Method, r.URL.Path)
	return a
}

// Read returns a version of a secret, the current one with 0, with its metadata
// and the status. The path is below the mount, as of all that follow.
func (c *Client) Read(path string, version int) (data, metadata map[string]any, status int) {
	c.t.Helper()
	a := c.Do(http.MethodGet, c.mount+"/data/"+path+"?version="+strconv.Itoa(version), nil)
	data, _ = a.Data()["data"].(map[string]any)
	metadata, _ = a.Data()["metadata"].(map[string]any)
	return data, metadata, a.Status
}

// Write writes a version, by check-and-set unless cas is nil, and returns its
// metadata and the status.
func (c *Client) Write(path string, data map[string]any, cas *int) (metadata map[string]any, status int) {
	c.t.Helper()
	body := map[string]any{"data": data}
	if cas != nil {
		body["options"] = map[string]any{"cas": *cas}
	}
	a := c.Do(http.MethodPost, c.mount+"/data/"+path, body)
	return a.Data(), a.Status
}

// Metadata returns the engine's metadata of all versions, and the status.
func (c *Client) Metadata(path string) (metadata map[string]any, status int) {
	c.t.Helper()
	a := c.Do(http.MethodGet, c.mount+"/metadata/"+path, nil)
	return a.Data(), a.Status
}

// Delete deletes the current version, so that it can come back.
func (c *Client) Delete(path string) {
	c.t.Helper()
	c.must(http.MethodDelete, "data/"+path, nil)
}

// Undelete brings deleted versions back.
func (c *Client) Undelete(path string, versions ...int) {
	c.t.Helper()
	c.must(http.MethodPost, "undelete/"+path, map[string]any{"versions": versions})
}

// Destroy removes versions for good; their metadata stay.
func (c *Client) Destroy(path string, versions ...int) {
	c.t.Helper()
	c.must(http.MethodPost, "destroy/"+path, map[string]any{"versions": versions})
}

// DeleteMetadata removes all that there is of a path.
func (c *Client) DeleteMetadata(path string) {
	c.t.Helper()
	c.must(http.MethodDelete, "metadata/"+path, nil)
}

// must ends the test unless the engine carried out the request.
func (c *Client) must(method, path string, body any) {
	c.t.Helper()
	a := c.Do(method, c.mount+"/"+path, body)
	must.That(c.t, a.Status == http.StatusNoContent, "%s %s: status %d, %q", method, path, a.Status, a.Errors())
}
