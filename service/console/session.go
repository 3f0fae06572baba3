package console

import (
	"crypto/rand"
	"crypto/sha256"
	"net"
	"net/http"
	"sync"
)

// A browser sends the cookies of a host to every port of it. So that no other server of this
// host is ever sent the console's, it is valid below a path that only the link names, and it
// is called after the port, so that two consoles do not replace each other's. The cookie's
// value is made for one browser: the token of the link opens the console once.

// sessions are the browsers that a console knows. It keeps digests, so that the lookup of a
// browser's token or cookie does not depend on a secret.
type sessions struct {
	base string // the path below which everything is, without a slash at its end

	mu    sync.Mutex
	token [sha256.Size]byte // of the one link that was not used yet
	open  map[[sha256.Size]byte]bool
}

func newSessions() *sessions {
	s := &sessions{base: "/" + rand.Text(), open: map[[sha256.Size]byte]bool{}}
	s.renew() // a token that no one knows
	return s
}

// renew makes the next token; one that was not used yet is of no more use.
func (s *sessions) renew() string {
	token := rand.Text()
	s.token = sha256.Sum256([]byte(token))
	return token
}

// Link is the path and the query of a link that opens the console once. It replaces the one
// before.
func (c *Console) Link() string {
	c.sessions.mu.Lock()
	defer c.sessions.mu.Unlock()
	return c.sessions.base + "/?token=" + c.sessions.renew()
}

// enter exchanges a token for the value of a new session's cookie, and reports whether it was
// the right one.
func (s *sessions) enter(token string) (value string, right bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sha256.Sum256([]byte(token)) != s.token {
		return "", false
	}
	s.renew()
	value = rand.Text()
	s.open[sha256.Sum256([]byte(value))] = true
	return value, true
}

// known reports whether a request comes with the cookie of a session.
func (s *sessions) known(r *http.Request) bool {
	c, err := r.Cookie(cookieName(r))
	if err != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[sha256.Sum256([]byte(c.Value))]
}

// cookieName is the name of the console's cookie at the port where a request came
// in.
func cookieName(r *http.Request) string {
	address, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return "svc_console"
	}
	_, port, err := net.SplitHostPort(address.String())
	if err != nil {
		return "svc_console"
	}
	return "svc_console_" + port
}

// session lets in who brings the token of the link, once, and from then on the
// cookie that was given for it.
func (c *Console) session(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := c.sessions.base + "/"
		tokens := r.URL.Query()["token"]
		opens := r.Method == http.MethodGet && r.URL.Path == page && len(tokens) == 1
		if opens {
			if value, right := c.sessions.enter(tokens[0]); right {
				http.SetCookie(w, &http.Cookie{ //nolint:gosec // loopback has no TLS
					Name: cookieName(r), Value: value, Path: page, HttpOnly: true, SameSite: http.SameSiteStrictMode,
				})
				// The token leaves the address line.
				http.Redirect(w, r, page, http.StatusSeeOther)
				if c.config.Used != nil {
					c.config.Used(c.Link())
				}
				return
			}
		}
		switch {
		case !c.sessions.known(r):
			http.Error(w, "Open the console by the link that it printed last. Each link opens it once.",
				http.StatusForbidden)
		case opens: // a link again, in a browser that is in
			http.Redirect(w, r, page, http.StatusSeeOther)
		default:
			next.ServeHTTP(w, r)
		}
	})
}
