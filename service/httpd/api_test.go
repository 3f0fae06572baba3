package httpd

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
)

// serve runs a server until the test ends, and returns its origin.
func serve(t *testing.T, c *tls.Config, h http.Handler) string {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, l, c, h) }()
	t.Cleanup(func() {
		cancel()
		check.Do(t, <-ended)
	})
	return "https://" + l.Addr().String()
}

// who answers with the caller and the body.
func who(c *Call) (seal.Object, error) {
	id, err := c.Caller()
	if err != nil {
		return nil, err
	}
	o := seal.Object{"role": id.Role, "name": id.Name, "domain": id.TrustDomain}
	if c.Body != nil {
		o["body"] = c.Body
	}
	return o, nil
}

const oslo = "spiffe://acme.example/node/mesh-oslo-1"

func TestCaller(t *testing.T) {
	ca := testca.New("test")
	base := serve(t, ServerTLS(ca.Server(), ca.Pool()), Handle(who))
	for _, c := range []struct {
		name string
		ids  []string
		want string
	}{
		{"a node", []string{oslo}, "acme.example node mesh-oslo-1"},
		{"a longer name", []string{"spiffe://acme.example/observer/a/b"}, "acme.example observer a/b"},
		{"no id", nil, "identity_refused"},
		{"two ids", []string{oslo, oslo + "x"}, "identity_refused"},
		{"no SPIFFE id", []string{"https://acme.example/node/x"}, "identity_refused"},
		{"no name", []string{"spiffe://acme.example/node"}, "identity_refused"},
		{"a scheme in capitals", []string{"SPIFFE://acme.example/node/x"}, "identity_refused"},
		{"a scheme with one capital", []string{"spiffE://acme.example/node/x"}, "identity_refused"},
		{"a domain in capitals", []string{"spiffe://ACME.example/node/x"}, "identity_refused"},
		{"a fragment", []string{oslo + "#x"}, "identity_refused"},
		{"an empty fragment", []string{oslo + "#"}, "identity_refused"},
		{"a query", []string{oslo + "?x"}, "identity_refused"},
		{"an empty query", []string{oslo + "?"}, "identity_refused"},
		{"a character that is escaped", []string{"spiffe://acme.example/node/%6desh"}, "identity_refused"},
		{"an escaped slash", []string{"spiffe://acme.example/node%2Fx"}, "identity_refused"},
		{"an empty segment", []string{"spiffe://acme.example/node//x"}, "identity_refused"},
		{"an empty first segment", []string{"spiffe://acme.example//node/x"}, "identity_refused"},
		{"a slash at its end", []string{oslo + "/"}, "identity_refused"},
		{"a dot", []string{"spiffe://acme.example/./node/x"}, "identity_refused"},
		{"two dots", []string{"spiffe://acme.example/a/../node/x"}, "identity_refused"},
		{"a port", []string{"spiffe://acme.example:443/node/x"}, "identity_refused"},
		{"an empty port", []string{"spiffe://acme.example:/node/x"}, "identity_refused"},
		{"a user", []string{"spiffe://u@acme.example/node/x"}, "identity_refused"},
		{"an empty user", []string{"spiffe://@acme.example/node/x"}, "identity_refused"},
		{"a small difference", []string{"spiffe://acme.example/node/X_1.y-z"}, "acme.example node X_1.y-z"},
	} {
		identity := ca.Issue(testca.SpeltTemplate("test", c.ids...))
		client := NewClient(ClientConfig{URL: base, Roots: ca.Pool(), Identity: identity, Timeout: 10 * time.Second})
		got, err := client.Do(t.Context(), http.MethodPost, "/x", seal.Object{"a": int64(1)})
		text := fmt.Sprint(seal.Text(got, "domain"), " ", seal.Text(got, "role"), " ", seal.Text(got, "name"))
		var p *Problem
		if errors.As(err, &p) {
			text = p.Code
		}
		check.That(t, text == c.want, "%s: %s, %v", c.name, text, err)
		client.Close()
	}
}

func TestConnection(t *testing.T) {
	ca, other := testca.New("test"), testca.New("test") // of one name, and two keys
	identity := ca.Server()
	pin := sha256.Sum256(identity.Leaf.RawSubjectPublicKeyInfo)
	base := serve(t, ServerTLS(identity, ca.Pool()), Handle(who))
	for _, c := range []struct {
		name   string
		config ClientConfig
		want   bool
	}{
		{"as it should be", ClientConfig{Roots: ca.Pool(), Identity: ca.Client("test", oslo)}, true},
		{"pinned", ClientConfig{Roots: ca.Pool(), Identity: ca.Client("test", oslo), Pins: [][32]byte{{1}, pin}}, true},
		{"another key", ClientConfig{Roots: ca.Pool(), Identity: ca.Client("test", oslo), Pins: [][32]byte{{1}}}, false},
		{"the key, another authority", ClientConfig{Roots: other.Pool(), Identity: ca.Client("test", oslo),
			Pins: [][32]byte{pin}}, false},
		{"a client of another authority", ClientConfig{Roots: ca.Pool(), Identity: other.Client("test", oslo)}, false},
		{"a client without certificate", ClientConfig{Roots: ca.Pool()}, false},
		{"a server's certificate", ClientConfig{Roots: ca.Pool(), Identity: ca.Server()}, false},
	} {
		c.config.URL, c.config.Timeout = base, 10*time.Second
		client := NewClient(c.config)
		_, err := client.Do(t.Context(), http.MethodGet, "/x", nil)
		check.Equal(t, err == nil, c.want, "%s: %v", c.name, err)
		client.Close()
	}
	old := &tls.Config{RootCAs: ca.Pool(), Certificates: []tls.Certificate{ca.Client("test", oslo)}}
	old.MaxVersion = tls.VersionTLS12
	if conn, err := tls.Dial("tcp", strings.TrimPrefix(base, "https://"), old); err == nil {
		conn.Close()
		t.Error("TLS 1.2 was taken")
	}
}

func TestBody(t *testing.T) {
	h := Handle(func(c *Call) (seal.Object, error) { return seal.Object{"body": c.Body}, nil })
	for _, c := range []struct {
		name, method, kind, body string
		want                     int
	}{
		{"a document", "POST", "application/json; charset=utf-8", ` {"b":1,"a":[]} `, 200},
		{"empty", "POST", typeDocument, "", 400},
		{"a list", "POST", typeDocument, "[]", 400},
		{"twice", "POST", typeDocument, `{"a":1,"a":2}`, 400},
		{"no kind", "POST", "", `{}`, 400},
		{"another kind", "POST", "text/plain", `{}`, 400},
		{"a body of GET", "GET", typeDocument, `{}`, 400},
		{"the longest", "POST", typeDocument, `{"a":"` + strings.Repeat("a", MaxRequest-8) + `"}`, 200},
		{"too long", "POST", typeDocument, `{"a":"` + strings.Repeat("a", MaxRequest-7) + `"}`, 413},
	} {
		r := httptest.NewRequest(c.method, "/", strings.NewReader(c.body))
		r.Header.Set("Content-Type", c.kind)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		check.That(t, w.Code == c.want, "%s: %d %s", c.name, w.Code, w.Body)
		check.That(t, c.want == 200 || w.Header().Get("Content-Type") == typeProblem, "%s: %s", c.name, w.Header())
	}
}

func TestProblems(t *testing.T) {
	pending := &Problem{Status: 503, Code: "audit_customer_witness_pending", Detail: "witnesses (1/2)", Received: 1,
		Required: 2, IntegrationCode: "store_unavailable"}
	for _, err := range []error{pending, fmt.Errorf("wrapped: %w", pending)} {
		w := httptest.NewRecorder()
		WriteProblem(w, httptest.NewRequest(http.MethodGet, "/", nil), err)
		b, _ := io.ReadAll(w.Body)
		if got := problemOf(w.Code, b); *got != *pending || w.Header().Get("Retry-After") == "" {
			t.Errorf("%v, %s", got, w.Header())
		}
	}
	w := httptest.NewRecorder()
	WriteProblem(w, httptest.NewRequest(http.MethodGet, "/", nil), errors.New("the key is 0123"))
	check.That(t, w.Code == 500 && !strings.Contains(w.Body.String(), "0123"), "%d %s", w.Code, w.Body)
	got := problemOf(502, []byte("<html>"))
	check.That(t, got.Status == 502 && got.Code == "unavailable", "%v", got)
}

func TestNumber(t *testing.T) {
	for query, want := range map[string]int64{"": 7, "n=0": 0, "n=30": 30, "n=31": -1, "n=-1": -1, "n=": -1, "n=03": -1,
		"n=1&n=2": -1, "n=%2B1": -1} {
		c := &Call{Request: httptest.NewRequest(http.MethodGet, "/?"+query, nil)}
		got, err := c.Number("n", 0, 30, 7)
		if err != nil {
			got = -1
		}
		check.Equal(t, got, want, "%q", query)
	}
}

func TestNoRedirectNoProxy(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	ca := testca.New("test")
	base := serve(t, ServerTLS(ca.Server(), ca.Pool()), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/from" {
			http.Redirect(w, r, "/to", http.StatusTemporaryRedirect)
			return
		}
		w.Write([]byte("{}"))
	}))
	client := NewClient(ClientConfig{URL: base, Roots: ca.Pool(), Identity: ca.Client("test", oslo),
		Timeout: 10 * time.Second})
	check.Do(t, check.Err(client.Do(t.Context(), http.MethodGet, "/to", nil)))
	var p *Problem
	_, err := client.Do(t.Context(), http.MethodGet, "/from", nil)
	check.That(t, errors.As(err, &p) &&
		p.Status == http.StatusTemporaryRedirect, "%v", err)
}

func TestLongAnswer(t *testing.T) {
	ca := testca.New("test")
	base := serve(t, ServerTLS(ca.Server(), ca.Pool()), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		piece := []byte(strings.Repeat(" ", 1<<20))
		for range 9 {
			w.Write(piece)
		}
		w.Write([]byte("{}"))
	}))
	client := NewClient(ClientConfig{URL: base, Roots: ca.Pool(), Identity: ca.Client("test", oslo),
		Timeout: 20 * time.Second})
	_, err := client.Do(t.Context(), http.MethodGet, "/", nil)
	check.That(t, err != nil &&
		strings.Contains(err.Error(), "at most"), "%v", err)
}

// TestServeEnds: a poll that waits does not hold up the end of a server.
func TestServeEnds(t *testing.T) {
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	ctx, cancel := context.WithCancel(t.Context())
	arrived := make(chan struct{})
	h := Handle(func(c *Call) (seal.Object, error) {
		close(arrived)
		<-c.Context().Done()
		return seal.Object{"late": true}, nil
	})
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, l, nil, h) }()
	answered := make(chan string, 1)
	go func() {
		r, err := http.Get("http://" + l.Addr().String())
		if err != nil {
			answered <- err.Error()
			return
		}
		defer r.Body.Close()
		b, _ := io.ReadAll(r.Body)
		answered <- string(b)
	}()
	<-arrived
	cancel()
	check.Do(t, <-ended)
	got := <-answered
	check.That(t, strings.Contains(got, "late"), "%v", got)
}
