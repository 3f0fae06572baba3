// Package console is the console: a page that shows the state of a tenant and
// hashes its audit events anew in the browser (interface 3.3 and 3.4), and the
// way from that page to the cloud.
//
// The console is a client of the cloud like any other and holds the certificate
// of an operator. What a page may ask for is listed in routes; everything else
// of the cloud's API is out of its reach. It is served on a loopback address, to
// whoever brings the token of its link.
package console

import (
	"crypto/sha256"
	"crypto/subtle"
	"embed"
	"encoding/hex"
	"io/fs"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"regexp"
	"slices"

	"github.com/svc-edge/svc-verify/harness/api"
)

//go:embed page
var files embed.FS

// Config is how the console reaches the cloud, and who may use it.
type Config struct {
	Cloud *url.URL // the cloud's origin
	// Transport presents the operator's certificate to the cloud.
	Transport http.RoundTripper
	// Token opens the console: a link ends with ?token=<token>.
	Token string
}

// route is a call that the page may make.
type route struct {
	method string
	path   *regexp.Regexp // of the cloud
}

// id is an identifier in a path (SPEC 1.5, without a slash).
const id = `[A-Za-z0-9._:@-]{1,100}`

// routes are all calls that the page may make: it reads, exports proofs,
// promotes, pauses and asks for a resume. It cannot approve a resume, which
// takes another operator.
var routes = []route{
	{http.MethodGet, regexp.MustCompile(`^/api/v1/overview$`)},
	{http.MethodGet, regexp.MustCompile(`^/api/v1/audit/events$`)},
	{http.MethodGet, regexp.MustCompile(`^/api/v1/transactions(/` + id + `)?$`)},
	{http.MethodPost, regexp.MustCompile(`^/api/v1/transactions/` + id + `/(evidence|promotion)$`)},
	{http.MethodPost, regexp.MustCompile(`^/api/v1/issuance/(pause|resume-requests)$`)},
}

// New returns the handler of the console.
func New(c Config) http.Handler {
	page, err := fs.Sub(files, "page")
	if err != nil {
		panic(err) // the folder is embedded
	}
	proxy := &httputil.ReverseProxy{
		Transport: c.Transport,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(c.Cloud)
			for _, name := range []string{"Cookie", "Origin", "Referer", "X-Svc-Console"} {
				r.Out.Header.Del(name)
			}
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, _ error) {
			api.WriteProblem(w, r, api.Refuse(http.StatusServiceUnavailable, "unavailable", "the cloud does not answer"))
		},
	}
	mux := http.NewServeMux()
	mux.Handle("/", api.ReadOnly(http.FileServerFS(page)))
	mux.Handle("/api/", allowed(proxy))
	return headers(loopback(session(c.Token, mux)))
}

// allowed passes on what routes lists.
func allowed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		methods := methodsOf(r.URL)
		switch {
		case len(methods) == 0:
			api.WriteProblem(w, r, api.Refuse(http.StatusNotFound, "not_found", "the console has no such call"))
		case !slices.Contains(methods, r.Method):
			api.WriteProblem(w, r, api.MethodNotAllowed(methods...))
		case !api.Reads(r) && r.Header.Get("X-Svc-Console") != "1":
			api.WriteProblem(w, r, api.Refuse(http.StatusForbidden, "identity_refused", "expected a request of the console's own page"))
		default:
			r.Body = http.MaxBytesReader(w, r.Body, api.MaxRequest)
			next.ServeHTTP(w, r)
		}
	})
}

// methodsOf are the methods that the page may use for a path of the cloud.
func methodsOf(u *url.URL) []string {
	var methods []string
	for _, route := range routes {
		if u.Path != u.EscapedPath() || !route.path.MatchString(u.Path) {
			continue
		}
		methods = append(methods, route.method)
		if route.method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
	}
	return methods
}

// cookie holds the token of a session.
const cookie = "svc_console"

// session lets in who brings the token: once in the link, then as a cookie.
func session(token string, next http.Handler) http.Handler {
	same := func(given string) bool {
		a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(token))
		return token != "" && subtle.ConstantTimeCompare(a[:], b[:]) == 1
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if given := r.URL.Query().Get("token"); r.Method == http.MethodGet && r.URL.Path == "/" && same(given) {
			http.SetCookie(w, &http.Cookie{Name: cookie, Value: hex.EncodeToString([]byte(given)), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode}) //nolint:gosec // loopback has no TLS
			// The token leaves the address line.
			http.Redirect(w, r, "/", http.StatusSeeOther)
			return
		}
		if c, err := r.Cookie(cookie); err == nil {
			if given, err := hex.DecodeString(c.Value); err == nil && same(string(given)) {
				next.ServeHTTP(w, r)
				return
			}
		}
		http.Error(w, "Open the console by the link that was printed at its start.", http.StatusForbidden)
	})
}

// loopback refuses a request that came under another name: a page elsewhere may
// have made its own name lead here.
func loopback(next http.Handler) http.Handler {
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

// headers forbids the page everything that it does not need.
func headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}
