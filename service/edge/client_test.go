package edge_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/service/edge"
	"github.com/svc-edge/svc-verify/service/edge/edgetest"
)

func sha(b []byte) [sha256.Size]byte { return sha256.Sum256(b) }

// TestPeer: the authority and the pinned key must both be right, each alone is
// not enough; nor is a client that the node does not know.
func TestPeer(t *testing.T) {
	n := edgetest.Start(t)
	file := func(name string) string { return filepath.Join(n.Dir, name) }
	own := digest(t, n.Key.Public())
	for name, c := range map[string]struct {
		ca, client, pins, digest, want string
	}{
		"all right":                       {"ca.pem", "observer", "node.pem", "", ""},
		"both pins right":                 {"ca.pem", "observer", "node.pem", own, ""},
		"the digest alone":                {"ca.pem", "observer", "", own, ""},
		"right CA, wrong key":             {"ca.pem", "observer", "other-node.pem", "", "not the pinned one"},
		"right CA, wrong digest":          {"ca.pem", "observer", "", strings.Repeat("0", 64), "not the pinned one"},
		"right digest, wrong key in file": {"ca.pem", "observer", "other-node.pem", own, "not the pinned one"},
		"right key in file, wrong digest": {"ca.pem", "observer", "node.pem", strings.Repeat("0", 64), "not the pinned one"},
		"right key, wrong CA":             {"other-ca.pem", "observer", "node.pem", "", "authority"},
		"a client of another CA":          {"ca.pem", "stranger", "node.pem", "", "refused the connection"},
	} {
		t.Run(name, func(t *testing.T) {
			config := config(t, n)
			var err error
			if c.pins != "" {
				c.pins = file(c.pins)
			}
			if config.Pins, err = edge.ReadPins(c.pins, c.digest); err != nil {
				t.Fatal(err)
			}
			config.CA, config.Certificate, config.Key = file(c.ca), file(c.client+".pem"), file(c.client+".key")
			before := n.Requests()
			_, err = client(t, config).Health(t.Context())
			var passing *edge.Unreachable
			switch {
			case c.want == "":
				check.Do(t, err)
			case err == nil || !strings.Contains(err.Error(), c.want) || errors.As(err, &passing):
				t.Errorf("found %v, expected %s", err, c.want)
			case n.Requests() != before:
				t.Error("the node got a request")
			}
		})
	}
}

// body answers with a text as a media type.
func body(kind, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		fmt.Fprint(w, text)
	}
}

// hostileAnswers are answers, with the expected errors.
var hostileAnswers = map[string]struct {
	lie  http.HandlerFunc
	want string
}{
	"too large":    {body("application/json", "["+strings.Repeat(" ", 2<<20)+"]"), "at most"},
	"endless":      {endless, "at most"},
	"endless head": {endlessHead, "head of at most"},
	"a large head": {func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-More", strings.Repeat("x", 100<<10))
		edgetest.Document(w, http.StatusOK, edgetest.Healthy())
	}, "head of at most"},
	"many heads": {interim, ""},
	"a redirect": {func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://127.0.0.1:1/healthz", http.StatusFound)
	}, "redirects are not followed"},
	"another type":    {body("text/html", "{}"), "application/json"},
	"escapes in type": {body("text/\x1b]0;x\x07", "{}"), ""},
	"compressed": {func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		body("application/json", "{}")(w, r)
	}, "without an encoding"},
	"no JSON":          {body("application/json", "\x1b[2J"), "json.syntax"},
	"a member twice":   {body("application/json", `{"status":"ok","status":"ok"}`), "json.ambiguous"},
	"not the document": {body("application/json", `{"\u001b[2J\u202e":1}`), "expected"},
	"cut off": {func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		body("application/json", "{")(w, r)
	}, ""},
	"a problem": {func(w http.ResponseWriter, _ *http.Request) {
		edgetest.Problem(w, http.StatusForbidden, "identity_refused", "no \x1b[2J\u202e"+strings.Repeat("x", 9999))
	}, "identity_refused"},
	"a problem that is none":      {body("application/problem+json", "\x1b"), ""},
	"a problem that is too large": {problemTooLarge, "500"},
}

// TestHostileAnswers: whatever a node answers, there is an end and an error that
// is safe to show.
func TestHostileAnswers(t *testing.T) {
	for name, c := range hostileAnswers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := edgetest.Start(t)
			n.Lie(c.lie)
			_, err := client(t, config(t, n)).Health(t.Context())
			check.That(t, err != nil && strings.Contains(err.Error(), c.want) && len(err.Error()) <= 600 &&
				!strings.ContainsAny(err.Error(), "\x1b\u202e\n"), "found %v, expected %s", err, c.want)
			check.That(t, n.Requests() == 1 || name == "cut off", "%d requests", n.Requests())
		})
	}
}

func endless(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	for {
		if _, err := w.Write([]byte(strings.Repeat(" ", 1<<16))); err != nil {
			return
		}
	}
}

func problemTooLarge(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(http.StatusInternalServerError)
	endless(w, r)
}

// endlessHead writes a head that has no end.
func endlessHead(w http.ResponseWriter, _ *http.Request) {
	c, b, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer c.Close()
	b.WriteString("HTTP/1.1 200 OK\r\n")
	for err == nil {
		_, err = b.WriteString("X-More: " + strings.Repeat("x", 1000) + "\r\n")
	}
}

// interim answers that more is to come, without end.
func interim(w http.ResponseWriter, _ *http.Request) {
	c, b, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer c.Close()
	for err == nil {
		_, err = b.WriteString("HTTP/1.1 103 Early Hints\r\nLink: </" + strings.Repeat("x", 1000) + ">\r\n\r\n")
		if err == nil {
			err = b.Flush()
		}
	}
}

// TestNoProxy: the environment cannot put anyone in between.
func TestNoProxy(t *testing.T) {
	check.That(t, !edge.Proxies(client(t, config(t, edgetest.Start(t)))), "a proxy is asked for")
}

// TestOldTLS: nothing older than TLS 1.3 is spoken.
func TestOldTLS(t *testing.T) {
	n := edgetest.StartTLS12(t)
	_, err := client(t, config(t, n)).Health(t.Context())
	check.That(t, err != nil && n.Requests() == 0, "%v, %d requests", err, n.Requests())
}

// TestNameOfTheNode: the authority vouches for a name, and for no other.
func TestNameOfTheNode(t *testing.T) {
	n := edgetest.Start(t)
	c := config(t, n)
	c.URL = strings.Replace(c.URL, "127.0.0.1", "localhost", 1)
	_, err := client(t, c).Health(t.Context())
	check.That(t, err != nil && strings.Contains(err.Error(), "authority") && n.Requests() == 0,
		"%v, %d requests", err, n.Requests())
}

func TestUnreachable(t *testing.T) {
	n := edgetest.Start(t)
	c := config(t, n)
	c.URL = "https://127.0.0.1:1"
	var passing *edge.Unreachable
	_, err := client(t, c).Health(t.Context())
	check.That(t, errors.As(err, &passing), "found %v", err)
}
