package server_test

import (
	"crypto/tls"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/server"
)

// ask makes a request as an operator, or as nobody, and returns its status, the
// header Allow and the body.
func (b *bench) ask(operator bool, method, path string) (int, string, string) {
	b.t.Helper()
	c := &tls.Config{RootCAs: b.ca.Pool(), MinVersion: tls.VersionTLS13}
	if operator {
		c.Certificates = []tls.Certificate{b.ca.Client("caller", "spiffe://"+tenant+".example/operator/ada")}
	}
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: c}}
	defer client.CloseIdleConnections()
	r := must.Get(http.NewRequest(method, b.url+path, nil))(b.t)
	answer := must.Get(client.Do(r))(b.t)
	defer func() { _ = answer.Body.Close() }()
	body, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, answer.Header.Get("Allow"), string(body)
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
	must.That(t, len(allow) >= 20, "%d paths", len(allow))
	for path, want := range allow {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"} {
			status, found, body := b.ask(true, method, path)
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
		if status, _, _ := b.ask(false, http.MethodPut, path); status != want {
			t.Errorf("PUT %s by nobody: %d, want %d", path, status, want)
		}
	}
	if status, _, _ := b.ask(true, http.MethodPut, "/api/v1/none"); status != http.StatusNotFound {
		t.Errorf("PUT /api/v1/none: %d", status)
	}
	if status, _, body := b.ask(true, http.MethodHead, "/api/v1/overview"); status != http.StatusOK || body != "" {
		t.Errorf("HEAD /api/v1/overview: %d %q", status, body)
	}
}
