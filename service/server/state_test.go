package server_test

import (
	"bytes"
	"crypto/tls"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/server"
)

// A server continues with its state directory; damage to it is reported.
func TestDamagedState(t *testing.T) {
	for name, damage := range map[string]func(dir string) error{
		"no damage":      func(string) error { return nil },
		"no signer keys": func(dir string) error { return os.Remove(filepath.Join(dir, "signer.keys")) },
		"other signer keys": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "signer.keys"), []byte(`{"generations":[{}]}`), 0o600)
		},
		"no audit key in it": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "audit.key"), []byte("x"),
				0o600)
		},
		"a policy key that is none": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "policy.key"),
				[]byte("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"), 0o600)
		},
		"another may read it": func(dir string) error { return os.Chmod(dir, 0o755) },
	} {
		b := start(t)
		b.publish(1)
		b.stop()
		must.Do(t, damage(b.config.Dir))
		server, err := server.New(b.config)
		check.Equal(t, err == nil, name == "no damage", "%s: %v", name, err)
		if err == nil {
			err = server.Close()
		}
		check.That(t, name != "no damage" || err == nil, "%v", err)
	}
}

func TestKeyFilesArePrivate(t *testing.T) {
	b := start(t)
	b.as(operator, "POST", "/api/v1/signer/rotation", seal.Object{})
	for _, name := range []string{"audit.key", "policy.key", "signer.keys", "state.db"} {
		info, err := os.Stat(filepath.Join(b.config.Dir, name))
		check.That(t, err == nil && info.Mode().Perm() == 0o600, "%s: %v %v", name, info, err)
	}
	left, err := filepath.Glob(filepath.Join(b.config.Dir, ".key*"))
	check.That(t, err == nil && len(left) == 0, "left behind: %v %v", left, err)
}

// No private key is in the log of the process, in the store or in the tenant
// log.
func TestKeysStayInTheirFiles(t *testing.T) {
	var log bytes.Buffer
	b := start(t, func(c *server.Config) {
		c.Log = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	b.publish(1)
	b.as(operator, "POST", "/api/v1/signer/rotation", seal.Object{})
	b.stop()
	var secrets []string
	for _, name := range []string{"audit.key", "policy.key", "signer.keys"} {
		text := must.Get(os.ReadFile(filepath.Join(b.config.Dir, name)))(t)
		secrets = append(secrets,
			regexp.MustCompile(`"(?:issuer_)?private_key":"([^"]+)"|\n([A-Za-z0-9+/=]{40,})\n`).FindAllString(string(text),
				-1)...)
	}
	must.Equal(t, len(secrets), 6, "private keys found")
	written := log.Bytes()
	for _, name := range []string{"state.db", "tenant.ndjson"} {
		text := must.Get(os.ReadFile(filepath.Join(b.config.Dir, name)))(t)
		written = append(written, text...)
	}
	for _, secret := range secrets {
		parts := strings.Split(strings.Trim(secret, "\n\""), "\"")
		check.That(t, !bytes.Contains(written, []byte(parts[len(parts)-1])), "a private key was written elsewhere")
	}
}

// A server that cannot keep its decisions answers nothing more, and ends.
func TestFailsWithItsStore(t *testing.T) {
	b := start(t)
	b.publish(1)
	must.Do(t, server.BreakStore(b.server))
	b.refused("unavailable", operator, "POST", "/api/v1/policies", seal.Object{"policy": policy(2)})
	ended := b.ended
	b.stop = func() {}
	check.That(t, <-ended != nil, "it ended without an error")
	check.That(t, check.Err(b.try(operator, http.MethodGet, "/api/v1/overview", nil)) != nil, "it still answers")
}

func TestRoom(t *testing.T) {
	b, _ := quiet(t, func(c *server.Config) { c.MaximumOpen = 2 })
	b.request("tx-1", "payments-api")
	b.request("tx-2", "payments-api")
	p := b.refused("unavailable", operator, "POST", "/api/v1/transactions",
		order(t, "tx-3", "payments-api"))
	check.That(t, p.Status == http.StatusServiceUnavailable, "status %d", p.Status)
	b.clock.pass(time.Hour)
	b.denied("tx-1", "transaction_expired")
	b.request("tx-3", "payments-api")
}

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

// http is a client of a caller, or of no one.
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
		"/pki/0.crl": "GET, HEAD", "/pki/ocsp": "POST",
		"/api/v1/integrations/x": "DELETE, PUT",
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
