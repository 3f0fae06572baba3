package server_test

import (
	"bytes"
	"crypto/tls"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/server"
)

// send makes a request, and returns the answer and its body.
func (b *bench) send(client *http.Client, method, path string, body []byte) (*http.Response, string) {
	b.t.Helper()
	r := must.Get(http.NewRequest(method, b.url+path, bytes.NewReader(body)))(b.t)
	r.Header.Set("Content-Type", "application/json")
	answer := must.Get(client.Do(r))(b.t)
	defer func() { _ = answer.Body.Close() }()
	text, _ := io.ReadAll(answer.Body)
	return answer, string(text)
}

// http is a client of a caller, or of nobody.
func (b *bench) http(caller ...string) *http.Client {
	var identity []tls.Certificate
	for _, path := range caller {
		identity = append(identity, b.identity(path))
	}
	client := b.ca.HTTP(identity...)
	b.t.Cleanup(client.CloseIdleConnections)
	return client
}

// TestMethods: every path of the API refuses every method that it does not have,
// and names those that it has.
func TestMethods(t *testing.T) {
	t.Parallel()
	b := start(t)
	allow := map[string]string{
		"/pki/0.crl": "GET, HEAD", "/pki/ocsp": "POST", "/pki/ocsp/AAAA": "GET, HEAD",
		"/api/v1/integrations/x": "DELETE, PUT", "/api/v1/transactions": "GET, HEAD, POST",
	}
	for _, pattern := range server.Patterns(b.server) {
		method, path, _ := strings.Cut(pattern, " ")
		path = strings.NewReplacer("{id}", "x", "{service...}", "x").Replace(path)
		if method == "GET" {
			method = "GET, HEAD"
		}
		if allow[path] == "" {
			allow[path] = method
		}
	}
	ada, nobody := b.http(operator), b.http()
	must.That(t, len(allow) >= 20, "%d paths", len(allow))
	for path, want := range allow {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"} {
			answer, body := b.send(ada, method, path, nil)
			status, found := answer.StatusCode, answer.Header.Get("Allow")
			switch has := slices.Contains(strings.Split(want, ", "), method); {
			case has && (status == http.StatusMethodNotAllowed || found != ""):
				t.Errorf("%s %s: %d", method, path, status)
			case !has && (status != http.StatusMethodNotAllowed || found != want):
				t.Errorf("%s %s: %d, Allow: %q, want %q", method, path, status, found, want)
			case !has && method != "HEAD" && !strings.Contains(body, `"method_not_allowed"`):
				t.Errorf("%s %s: %s", method, path, body)
			}
		}
	}
	for path, want := range map[string]int{"/api/v1/overview": 403, "/pki/ocsp": 405, "/pki/other": 404,
		"/api/v1/none": 403} {
		answer, _ := b.send(nobody, http.MethodPut, path, nil)
		check.Equal(t, answer.StatusCode, want, "PUT %s by nobody: status", path)
	}
	answer, _ := b.send(ada, http.MethodPut, "/api/v1/none", nil)
	check.Equal(t, answer.StatusCode, http.StatusNotFound, "PUT /api/v1/none: status")
	answer, body := b.send(ada, http.MethodHead, "/api/v1/overview", nil)
	check.That(t, answer.StatusCode == http.StatusOK && body == "", "HEAD /api/v1/overview: %s %q", answer.Status, body)
}
