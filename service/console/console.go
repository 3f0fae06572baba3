// Package console serves the console. Its page shows the state of a tenant, and
// recomputes the hashes of its audit events in the browser.
//
// The console is a client of the cloud like any other, and acts as one operator:
// the one whose certificate its transport presents. The page can reach only the
// calls listed in routes. It is served on a loopback address, to anyone who opens
// its link (session.go).
package console

import (
	"context"
	"embed"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/httpd"
)

//go:embed page
var files embed.FS

// Config is how the console reaches the cloud.
type Config struct {
	Cloud *url.URL // the cloud's origin
	// Transport presents the certificate of the operator as whom the console acts.
	Transport http.RoundTripper
	// Patience is how long the cloud may take for an answer; 10 s if it is 0.
	Patience time.Duration
	// Used is called with the next link when one was used; it may be nil.
	Used func(link string)
}

// evidenceWait is how long the cloud waits for witnesses before it answers.
const evidenceWait = 15 * time.Second

// routes are all calls that the page may make, each with how long the cloud may hold it, besides
// its patience. The page cannot approve a resume: that needs another operator than the one as
// whom the console acts.
var routes = map[string]time.Duration{
	"GET /api/v1/overview":                        0,
	"GET /api/v1/audit/events":                    0,
	"GET /api/v1/transactions/{id}":               0,
	"POST /api/v1/transactions/{id}/evidence":     evidenceWait,
	"POST /api/v1/transactions/{id}/promotion":    0,
	"POST /api/v1/transactions/{id}/cancellation": 0,
	"POST /api/v1/issuance/pause":                 0,
	"POST /api/v1/issuance/resume-requests":       0,
	"PUT /api/v1/integrations/{id}":               0,
	"DELETE /api/v1/integrations/{id}":            0,
	"POST /api/v1/integrations/{id}/test":         0,
	"POST /v1/managed/rotate":                     0,
}

// Console is the console of one operator.
type Console struct {
	config   Config
	sessions *sessions
	handler  http.Handler
}

// New returns a console that no one has opened yet.
func New(c Config) *Console {
	if c.Patience == 0 {
		c.Patience = 10 * time.Second
	}
	page := seal.Must(fs.Sub(files, "page")) // it is embedded
	made := &Console{config: c, sessions: newSessions()}
	proxy := made.passOn()
	mux := http.NewServeMux()
	mux.Handle("/", httpd.ReadOnly(http.FileServerFS(page)))
	mux.Handle("/api/", proxy)
	mux.Handle("/v1/", proxy)
	made.handler = withHeaders(requireLoopback(made.session(http.StripPrefix(made.sessions.base, mux))))
	return made
}

// ServeHTTP answers as the console.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.handler.ServeHTTP(w, r) }

// passOn passes the calls in routes on to the cloud.
func (c *Console) passOn() http.Handler {
	proxy := &httputil.ReverseProxy{
		Transport: c.config.Transport,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(c.config.Cloud)
			for _, name := range []string{"Cookie", "Origin", "Referer", "X-Svc-Console"} {
				r.Out.Header.Del(name)
			}
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, _ error) {
			httpd.WriteProblem(w, r, httpd.Refuse(http.StatusServiceUnavailable, "unavailable",
				"the cloud does not answer"))
		},
	}
	mux := http.NewServeMux()
	for pattern, waits := range routes {
		mux.Handle(pattern, c.allowed(proxy, waits))
	}
	for path, refusal := range httpd.OtherMethods(slices.Collect(maps.Keys(routes))...) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { httpd.WriteProblem(w, r, refusal) })
	}
	mux.HandleFunc("/", refuseUnknown)
	return mux
}

func refuseUnknown(w http.ResponseWriter, r *http.Request) {
	httpd.WriteProblem(w, r, httpd.Refuse(http.StatusNotFound, "not_found", "the console has no such call"))
}

// allowed lets through a call from the console's own page, for as long as the cloud may need. No
// name in its path has characters that need an escape.
func (c *Console) allowed(next http.Handler, waits time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != r.URL.EscapedPath():
			refuseUnknown(w, r)
		case !ownPage(r):
			httpd.WriteProblem(w, r, httpd.Forbidden("expected a request of the console's own page"))
		default:
			ctx, cancel := context.WithTimeout(r.Context(), c.config.Patience+waits)
			defer cancel()
			r.Body = http.MaxBytesReader(w, r.Body, httpd.MaxRequest)
			next.ServeHTTP(w, r.WithContext(ctx))
		}
	})
}

// ownPage reports whether a request comes from the console's own page. Another
// server on this host is of the same site, and not of this origin.
func ownPage(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return (site == "" || site == "same-origin") && (httpd.Reads(r) || r.Header.Get("X-Svc-Console") == "1")
}

// requireLoopback refuses a request that came under another name: a page elsewhere may
// have made its own name lead here.
func requireLoopback(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if address, err := netip.ParseAddr(host); host != "localhost" && (err != nil || !address.IsLoopback()) {
			http.Error(w, "The console answers under its loopback address only.", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// withHeaders forbids the page everything that it does not need.
func withHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; "+
			"img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}
