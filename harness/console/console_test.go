package console

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
)

const token = "a+token/with=signs"

// start runs a console before a server that says what it was asked.
func start(t *testing.T) *httptest.Server {
	t.Helper()
	cloud := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprintf(w, "%s %s %s %v", r.Method, r.URL, body, len(r.Header.Values("Cookie"))+len(r.Header.Values("X-Svc-Console"))) //nolint:gosec // plain text
	}))
	t.Cleanup(cloud.Close)
	origin, err := url.Parse(cloud.URL)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(New(Config{Cloud: origin, Transport: http.DefaultTransport, Token: token}))
	t.Cleanup(server.Close)
	return server
}

// enter opens the link and returns the session's cookie.
func enter(t *testing.T, server *httptest.Server) *http.Cookie {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := client.Get(server.URL + "/?token=" + url.QueryEscape(token))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != "/" || len(r.Cookies()) != 1 {
		t.Fatalf("%s, %s, %v", r.Status, r.Header, r.Cookies())
	}
	c := r.Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode {
		t.Errorf("%v", c)
	}
	return c
}

func ask(t *testing.T, server *httptest.Server, method, path string, change func(*http.Request)) (int, string, http.Header) {
	t.Helper()
	var body io.Reader
	if method == http.MethodPost {
		body = strings.NewReader(`{"a":1}`)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, body)
	if err != nil {
		t.Fatal(err)
	}
	change(r)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	found, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(found), answer.Header
}

func TestPage(t *testing.T) {
	server := start(t)
	c := enter(t, server)
	for path, want := range map[string]string{"/": "<title>", "/console.css": "color-scheme", "/console.js": "refresh", "/verify.js": "canonical", "/rotation.js": "showRotations", "/elements.js": "stateOf", "/icon.svg": "<svg"} {
		status, body, header := ask(t, server, http.MethodGet, path, func(r *http.Request) { r.AddCookie(c) })
		if status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d", path, status)
		}
		if policy := header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; script-src 'self';") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: %s", path, policy)
		}
		for _, outside := range []string{"http://", "https://", "//cdn"} {
			if strings.Contains(strings.ReplaceAll(body, "http://www.w3.org/2000/svg", ""), outside) {
				t.Errorf("%s names %s", path, outside)
			}
		}
	}
}

func TestWhoMayEnter(t *testing.T) {
	server := start(t)
	c := enter(t, server)
	for _, k := range []struct {
		name   string
		path   string
		change func(*http.Request)
		want   int
	}{
		{"with the cookie", "/", func(r *http.Request) { r.AddCookie(c) }, 200},
		{"without", "/", func(r *http.Request) {}, 403},
		{"a file without", "/verify.js", func(r *http.Request) {}, 403},
		{"a call without", "/api/v1/overview", func(r *http.Request) {}, 403},
		{"another token", "/?token=other", func(r *http.Request) {}, 403},
		{"an empty token", "/?token=", func(r *http.Request) {}, 403},
		{"another cookie", "/", func(r *http.Request) { r.Header.Set("Cookie", cookie+"="+c.Value+"00") }, 403},
		{"no token in the cookie", "/", func(r *http.Request) { r.Header.Set("Cookie", cookie+"=") }, 403},
		{"under another name", "/", func(r *http.Request) { r.AddCookie(c); r.Host = "evil.example" }, 421},
		{"under another address", "/", func(r *http.Request) { r.AddCookie(c); r.Host = "192.0.2.1:80" }, 421},
		{"as localhost", "/", func(r *http.Request) { r.AddCookie(c); r.Host = "localhost:1" }, 200},
	} {
		if status, body, _ := ask(t, server, http.MethodGet, k.path, k.change); status != k.want {
			t.Errorf("%s: %d %s", k.name, status, body)
		}
	}
}

func TestNoTokenLetsNobodyIn(t *testing.T) {
	server := httptest.NewServer(New(Config{Cloud: &url.URL{}, Transport: http.DefaultTransport}))
	defer server.Close()
	if status, _, _ := ask(t, server, http.MethodGet, "/?token=", func(*http.Request) {}); status != 403 {
		t.Errorf("%d", status)
	}
}

func TestRoutes(t *testing.T) {
	server := start(t)
	c := enter(t, server)
	for _, k := range []struct {
		method, path string
		want         int
	}{
		{"GET", "/api/v1/overview", 200},
		{"GET", "/api/v1/audit/events?limit=5", 200},
		{"GET", "/api/v1/transactions/tx-1", 200},
		{"POST", "/api/v1/transactions/tx-1/evidence", 200},
		{"POST", "/api/v1/issuance/pause", 200},
		{"POST", "/api/v1/issuance/resume-requests", 200},
		{"POST", "/api/v1/issuance/resume-requests/r-1/approval", 404},
		{"POST", "/api/v1/transactions/tx-1/revocation", 404},
		{"POST", "/api/v1/transactions", 405},
		{"GET", "/api/v1/transactions/tx-1/evidence", 405},
		{"PUT", "/api/v1/integrations/i-1", 404},
		{"POST", "/api/v1/nodes/mesh-oslo-1/sync", 404},
		{"POST", "/api/v1/transactions/a%2Fb/evidence", 404},
		{"POST", "/api/v1/transactions/a%2e/evidence", 404},
		{"GET", "/api/", 404},
	} {
		status, body, _ := ask(t, server, k.method, k.path, func(r *http.Request) {
			r.AddCookie(c)
			r.Header.Set("X-Svc-Console", "1")
		})
		if status != k.want {
			t.Errorf("%s %s: %d %s", k.method, k.path, status, body)
		}
		if status == 200 && (!strings.HasPrefix(body, k.method+" "+k.path) || !strings.HasSuffix(body, " 0")) {
			t.Errorf("%s %s became %s", k.method, k.path, body)
		}
	}
	if status, _, _ := ask(t, server, "POST", "/api/v1/issuance/pause", func(r *http.Request) { r.AddCookie(c) }); status != 403 {
		t.Errorf("a POST without the page's header: %d", status)
	}
}

// TestMethods: what is there under another method says which methods it has.
func TestMethods(t *testing.T) {
	server := start(t)
	c := enter(t, server)
	for path, want := range map[string]string{
		"/": "GET, HEAD", "/console.js": "GET, HEAD", "/api/v1/overview": "GET, HEAD", "/api/v1/transactions/tx-1": "GET, HEAD",
		"/api/v1/issuance/pause": "POST", "/api/v1/transactions/tx-1/evidence": "POST",
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"} {
			status, _, header := ask(t, server, method, path, func(r *http.Request) {
				r.AddCookie(c)
				r.Header.Set("X-Svc-Console", "1")
			})
			has := slices.Contains(strings.Split(want, ", "), method)
			if has && status != 200 || !has && (status != 405 || header.Get("Allow") != want) {
				t.Errorf("%s %s: %d, Allow: %q, want %q", method, path, status, header.Get("Allow"), want)
			}
		}
	}
}
