package httpd

import (
	"crypto/tls"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
)

// TestOtherMethods: every method that a path does not have is refused by name of
// those that it has, before anything of the request is looked at.
func TestOtherMethods(t *testing.T) {
	answer := Handle(func(*Call) (seal.Object, error) { return seal.Object{}, nil })
	refusals := OtherMethods("GET /read", "PUT /both/{id}", "DELETE /both/{id}", "POST /write")
	mux := http.NewServeMux()
	for _, pattern := range []string{"GET /read", "PUT /both/{id}", "DELETE /both/{id}", "POST /write"} {
		mux.Handle(pattern, answer)
	}
	for path, refusal := range refusals {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { WriteProblem(w, r, refusal) })
	}
	mux.Handle("/only", ReadOnly(answer))
	allow := map[string]string{"/read": "GET, HEAD", "/both/x": "DELETE, PUT", "/write": "POST", "/only": "GET, HEAD"}
	want := map[string]int{"GET /read": 200, "HEAD /read": 200, "PUT /both/x": 400, "DELETE /both/x": 200,
		"POST /write": 400, "GET /only": 200, "HEAD /only": 200}
	got := map[string]int{}
	for path, methods := range allow {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"} {
			w := httptest.NewRecorder()
			mux.ServeHTTP(w, httptest.NewRequest(method, path, nil))
			if w.Code != http.StatusMethodNotAllowed {
				got[method+" "+path] = w.Code
			} else if found := w.Header().Get("Allow"); found != methods {
				t.Errorf("%s %s: Allow: %q, want %q", method, path, found, methods)
			}
		}
	}
	check.That(t, maps.Equal(got, want), "%v, want %v", got, want)
}

// TestCrowd: clients that come to no end keep no one out, be they more than there are
// connections. An honest client is answered while they hold the others, even one with
// the certificate that they have.
func TestCrowd(t *testing.T) {
	ca := testca.New("test")
	same := ca.Client("test", oslo)
	config := &tls.Config{RootCAs: ca.Pool(), Certificates: []tls.Certificate{same}, MinVersion: tls.VersionTLS13,
		ServerName: "127.0.0.1"}
	const patient = 8 * time.Second // less than a connection without a request may stay
	const half = "POST /x HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n{"
	for name, begin := range map[string]func(net.Conn) (net.Conn, error){
		"no handshake": func(c net.Conn) (net.Conn, error) { return c, nil },
		"half a body": func(c net.Conn) (net.Conn, error) {
			over := tls.Client(c, config)
			_, err := io.WriteString(over, half)
			return over, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			base := serve(t, ServerTLS(ca.Server(), ca.Pool()), Handle(who))
			var crowd []net.Conn
			for range maxConnections + 10 {
				conn, err := net.Dial("tcp", strings.TrimPrefix(base, "https://"))
				must.Do(t, err)
				defer conn.Close()
				if conn, err = begin(conn); err != nil {
					t.Fatal(err)
				}
				crowd = append(crowd, conn)
			}
			for who, identity := range map[string]tls.Certificate{"another": ca.Client("test", oslo), "the same": same} {
				client := NewClient(ClientConfig{URL: base, Roots: ca.Pool(), Identity: identity, Timeout: patient})
				defer client.Close()
				check.OK(t, check.Err(client.Do(t.Context(), http.MethodGet, "/x", nil)), "%s", who)
			}
			if held := stillOpen(crowd); held == 0 || held > maxConnections {
				t.Errorf("%d connections are open, expected some of %d", held, maxConnections)
			}
		})
	}
}

// stillOpen counts the connections that the server has not closed.
func stillOpen(all []net.Conn) (n int) {
	for _, conn := range all {
		_ = conn.SetReadDeadline(time.Now().Add(time.Millisecond)) // fails if it is closed
		if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
			n++
		}
	}
	return n
}
