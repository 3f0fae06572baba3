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
	"time"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// started is a console before a cloud that echoes its requests.
type started struct {
	*httptest.Server
	console *Console
}

// start runs a console before a server that echoes its requests.
func start(t *testing.T) started {
	t.Helper()
	return before(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/plain")
		own := len(r.Header.Values("Cookie")) + len(r.Header.Values("X-Svc-Console"))
		fmt.Fprintf(w, "%s %s %s %v", r.Method, r.URL, body, own) //nolint:gosec // plain text
	})
}

// before runs a console before a cloud.
func before(t *testing.T, cloud http.HandlerFunc, change ...func(*Config)) started {
	t.Helper()
	server := httptest.NewServer(cloud)
	t.Cleanup(server.Close)
	origin := must.Get(url.Parse(server.URL))(t)
	config := Config{Cloud: origin, Transport: http.DefaultTransport}
	for _, f := range change {
		f(&config)
	}
	made := New(config)
	s := started{httptest.NewServer(made), made}
	t.Cleanup(s.Close)
	return s
}

// follow opens a link, and returns the status and the cookies that it answers
// with.
func (s started) follow(t *testing.T, link string, cookies ...*http.Cookie) (int, []*http.Cookie, http.Header) {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+link, nil))(t)
	for _, c := range cookies {
		r.AddCookie(c)
	}
	answer := must.Get(client.Do(r))(t)
	defer answer.Body.Close()
	return answer.StatusCode, answer.Cookies(), answer.Header
}

// enter opens the link and returns the session's cookie.
func enter(t *testing.T, server started) *http.Cookie {
	t.Helper()
	link := server.console.Link()
	status, cookies, header := server.follow(t, link)
	must.That(t, status == http.StatusSeeOther && header.Get("Location") == server.base()+"/" && len(cookies) == 1,
		"%d, %s, %v", status, header, cookies)
	return cookies[0]
}

func (s started) base() string { return s.console.sessions.base }

func ask(t *testing.T, server started, method, path string, change func(*http.Request)) (int, string, http.Header) {
	t.Helper()
	var body io.Reader
	if method == http.MethodPost || method == http.MethodPut {
		body = strings.NewReader(`{"a":1}`)
	}
	if !strings.HasPrefix(path, "!") {
		path = server.base() + path
	}
	r := must.Get(http.NewRequestWithContext(t.Context(), method, server.URL+strings.TrimPrefix(path, "!"), body))(t)
	change(r)
	answer := must.Get(http.DefaultClient.Do(r))(t)
	defer answer.Body.Close()
	found, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(found), answer.Header
}

func TestPage(t *testing.T) {
	server := start(t)
	c := enter(t, server)
	pages := []string{"/"}
	entries := must.Get(files.ReadDir("page"))(t)
	for _, e := range entries {
		if e.Name() != "index.html" {
			pages = append(pages, "/"+e.Name())
		}
	}
	check.That(t, len(pages) >= 10, "the page is made of %q", pages)
	for _, path := range pages {
		status, body, header := ask(t, server, http.MethodGet, path, func(r *http.Request) { r.AddCookie(c) })
		check.That(t, status == http.StatusOK && body != "", "%s: %d", path, status)
		policy := header.Get("Content-Security-Policy")
		check.That(t, strings.HasPrefix(policy, "default-src 'none'; script-src 'self';") &&
			!strings.Contains(policy, "unsafe"), "%s: %s", path, policy)
		for _, outside := range []string{"http://", "https://", "//cdn"} {
			check.That(t, !strings.Contains(strings.ReplaceAll(body, "http://www.w3.org/2000/svg", ""), outside),
				"%s names %s", path, outside)
		}
	}
}

func TestWhoMayEnter(t *testing.T) {
	server := start(t)
	c := enter(t, server)
	with := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Cookie", name+"="+value) }
	}
	for _, k := range []struct {
		name   string
		path   string // after the console's own, unless it begins with !
		change func(*http.Request)
		want   int
	}{
		{"with the cookie", "/", func(r *http.Request) { r.AddCookie(c) }, 200},
		{"without", "/", func(r *http.Request) {}, 403},
		{"a file without", "/verify.js", func(r *http.Request) {}, 403},
		{"a call without", "/api/v1/overview", func(r *http.Request) {}, 403},
		{"another token", "/?token=other", func(r *http.Request) {}, 403},
		{"an empty token", "/?token=", func(r *http.Request) {}, 403},
		{"another cookie", "/", with(c.Name, c.Value+"A"), 403},
		{"an empty cookie", "/", with(c.Name, ""), 403},
		{"of another port", "/", with("svc_console_1", c.Value), 403},
		{"of no port", "/", with("svc_console", c.Value), 403},
		{"another path", "!/", func(r *http.Request) { r.AddCookie(c) }, 404},
		{"a call at another path", "!/api/v1/overview", func(r *http.Request) { r.AddCookie(c) }, 404},
		{"under another name", "/", func(r *http.Request) { r.AddCookie(c); r.Host = "evil.example" }, 421},
		{"under another address", "/", func(r *http.Request) { r.AddCookie(c); r.Host = "192.0.2.1:80" }, 421},
		{"as localhost", "/", func(r *http.Request) { r.AddCookie(c); r.Host = "localhost:1" }, 200},
	} {
		status, body, _ := ask(t, server, http.MethodGet, k.path, k.change)
		check.That(t, status == k.want, "%s: %d %s", k.name, status, body)
	}
}

// The cookie is not the token, and no other port or path is sent it.
func TestCookie(t *testing.T) {
	server := start(t)
	link := server.console.Link()
	_, cookies, _ := server.follow(t, link)
	must.Equal(t, len(cookies), 1, "cookies %v", cookies)
	c := cookies[0]
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	check.That(t, c.Name == "svc_console_"+port && c.Path == server.base()+"/" && len(c.Path) >= 20, "the cookie is %v", c)
	check.That(t, c.HttpOnly && c.SameSite == http.SameSiteStrictMode && c.Domain == "", "the cookie is %v", c)
	_, token, _ := strings.Cut(link, "token=")
	check.That(t, !strings.Contains(c.Raw, token) && len(c.Value) >= 20 && !strings.Contains(link, c.Value),
		"the link %s made the cookie %v", link, c)
	check.That(t, start(t).base() != server.base(), "two consoles have one path")
}

// A link opens the console once. Then Config.Used is called with the next link.
func TestLinkOpensOnce(t *testing.T) {
	var next []string
	server := before(t, func(http.ResponseWriter, *http.Request) {}, func(c *Config) {
		c.Used = func(link string) { next = append(next, link) }
	})
	stale := server.console.Link()
	link := server.console.Link()
	if status, _, _ := server.follow(t, stale); status != 403 {
		t.Errorf("a link that another took the place of: %d", status)
	}
	status, cookies, _ := server.follow(t, link)
	must.That(t, status == 303 && len(cookies) == 1 && len(next) == 1, "%d, %v, %v", status, cookies, next)
	if status, again, _ := server.follow(t, link); status != 403 || len(again) != 0 {
		t.Errorf("a second time: %d, %v", status, again)
	}
	if status, again, _ := server.follow(t, link, cookies[0]); status != 303 || len(again) != 0 {
		t.Errorf("a second time in the browser that is in: %d, %v", status, again)
	}
	if status, _, _ := server.follow(t, next[0]+"&token=x"); status != 403 {
		t.Errorf("two tokens: %d", status)
	}
	status, second, _ := server.follow(t, next[0])
	check.That(t, status == 303 && len(second) == 1 && second[0].Value != cookies[0].Value,
		"the next link: %d, %v", status, second)
	for _, c := range []*http.Cookie{cookies[0], second[0]} {
		status, _, _ := server.follow(t, server.base()+"/", c)
		check.That(t, status == 200, "the session %v: %d", c, status)
	}
	fresh := start(t)
	if status, _, _ := fresh.follow(t, fresh.base()+"/?token="); status != 403 {
		t.Errorf("before there was a link: %d", status)
	}
}

// A cloud that does not answer is not waited for without end.
func TestCloudThatIsSilent(t *testing.T) {
	ended := make(chan struct{})
	t.Cleanup(func() { close(ended) })
	server := before(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-ended:
		case <-r.Context().Done():
		}
	}, func(c *Config) { c.Patience = 50 * time.Millisecond })
	c := enter(t, server)
	status, body, _ := ask(t, server, http.MethodGet, "/api/v1/overview", func(r *http.Request) { r.AddCookie(c) })
	check.That(t, status == http.StatusServiceUnavailable && strings.Contains(body, `"unavailable"`),
		"%d %s", status, body)
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
		{"POST", "/api/v1/transactions/tx-1/cancellation", 200},
		{"PUT", "/api/v1/integrations/i-1", 200},
		{"DELETE", "/api/v1/integrations/i-1", 200},
		{"POST", "/api/v1/integrations/i-1/test", 200},
		{"POST", "/v1/managed/rotate", 200},
		{"POST", "/api/v1/issuance/resume-requests/r-1/approval", 404},
		{"POST", "/api/v1/transactions/tx-1/revocation", 404},
		{"POST", "/api/v1/transactions", 404},
		{"GET", "/api/v1/transactions/tx-1/evidence", 405},
		{"GET", "/api/v1/integrations/i-1", 405},
		{"PUT", "/api/v1/integrations/i-1/x", 404},
		{"PUT", "/api/v1/services/x", 404},
		{"DELETE", "/api/v1/transactions/tx-1", 405},
		{"POST", "/api/v1/policies", 404},
		{"POST", "/api/v1/signer/rotation", 404},
		{"POST", "/api/v1/nodes/mesh-oslo-1/sync", 404},
		{"POST", "/api/v1/transactions/a%2Fb/evidence", 404},
		{"POST", "/api/v1/transactions/a%2e/evidence", 404},
		{"GET", "/api/", 404},
	} {
		status, body, _ := ask(t, server, k.method, k.path, func(r *http.Request) {
			r.AddCookie(c)
			r.Header.Set("X-Svc-Console", "1")
		})
		check.That(t, status == k.want, "%s %s: %d %s", k.method, k.path, status, body)
		check.That(t, status != 200 || strings.HasPrefix(body, k.method+" "+k.path) && strings.HasSuffix(body, " 0"),
			"%s %s became %s", k.method, k.path, body)
	}
	for name, headers := range map[string][2]string{
		"without the page's header":   {"", "same-origin"},
		"with another header's value": {"2", "same-origin"},
		"from another server here":    {"1", "same-site"},
		"from a page somewhere":       {"1", "cross-site"},
		"typed into the address line": {"1", "none"},
	} {
		for method, path := range map[string]string{
			"POST": "/api/v1/issuance/pause", "PUT": "/api/v1/integrations/i-1", "DELETE": "/api/v1/integrations/i-1",
		} {
			status, _, _ := ask(t, server, method, path, func(r *http.Request) {
				r.AddCookie(c)
				r.Header.Set("X-Svc-Console", headers[0])
				r.Header.Set("Sec-Fetch-Site", headers[1])
			})
			check.Equal(t, status, 403, "a %s %s", method, name)
		}
	}
	if status, _, _ := ask(t, server, "POST", "/api/v1/issuance/pause", func(r *http.Request) {
		r.AddCookie(c)
		r.Header.Set("X-Svc-Console", "1")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}); status != 200 {
		t.Errorf("the page's own request: %d", status)
	}
}

// TestMethods: a method that a path lacks is refused, with the list of the path's methods.
func TestMethods(t *testing.T) {
	server := start(t)
	c := enter(t, server)
	for path, want := range map[string]string{
		"/": "GET, HEAD", "/console.js": "GET, HEAD", "/api/v1/overview": "GET, HEAD",
		"/api/v1/transactions/tx-1": "GET, HEAD",
		"/api/v1/issuance/pause":    "POST", "/api/v1/transactions/tx-1/evidence": "POST",
		"/api/v1/integrations/i-1": "DELETE, PUT",
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"} {
			status, _, header := ask(t, server, method, path, func(r *http.Request) {
				r.AddCookie(c)
				r.Header.Set("X-Svc-Console", "1")
			})
			has := slices.Contains(strings.Split(want, ", "), method)
			check.That(t, (!has || status == 200) && (has || (status == 405 && header.Get("Allow") == want)),
				"%s %s: %d, Allow: %q, want %q", method, path, status, header.Get("Allow"), want)
		}
	}
}
