package secretstore

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
)

// TestClientTLS: only the store that the settings name is talked to, only by TLS 1.2 or later,
// and only as who the store knows. A server that is refused has not seen the token; the near
// miss is accepted.
func TestClientTLS(t *testing.T) {
	stranger := testca.New("store CA") // only by name
	at := func(r *rig, change func(*x509.Certificate)) func(*tls.Config) {
		return func(c *tls.Config) {
			template := testca.ServerTemplate()
			change(template)
			c.Certificates = []tls.Certificate{r.authority.Issue(template)}
		}
	}
	versions := func(low, high uint16) func(*rig) func(*tls.Config) {
		return func(*rig) func(*tls.Config) {
			return func(c *tls.Config) { c.MinVersion, c.MaxVersion = low, high }
		}
	}
	clients := func(r *rig) func(*tls.Config) {
		return func(c *tls.Config) { c.ClientCAs, c.ClientAuth = r.authority.Pool(), tls.RequireAndVerifyClientCert }
	}
	for name, c := range map[string]struct {
		prepare func(*rig) func(*tls.Config)
		why     string // "" if it is taken, "*" for any reason
	}{
		"TLS 1.1": {versions(tls.VersionTLS10, tls.VersionTLS11), "protocol version"},
		"TLS 1.2": {versions(tls.VersionTLS12, tls.VersionTLS12), ""},
		"TLS 1.3": {versions(tls.VersionTLS13, tls.VersionTLS13), ""},
		"another authority": {func(r *rig) func(*tls.Config) {
			return func(c *tls.Config) { c.Certificates = []tls.Certificate{stranger.Server()} }
		}, "signed by unknown authority"},
		"another host": {func(r *rig) func(*tls.Config) {
			return at(r, func(c *x509.Certificate) { c.IPAddresses = []net.IP{net.IPv4(192, 0, 2, 1)} })
		}, "certificate is valid for 192.0.2.1"},
		"a client's certificate": {func(r *rig) func(*tls.Config) {
			return at(r, func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} })
		}, "incompatible key usage"},
		"expired": {func(r *rig) func(*tls.Config) {
			return at(r, func(c *x509.Certificate) { c.NotAfter = c.NotBefore.Add(1) })
		}, "expired"},
		"no client identity": {clients, "*"},
		"a client identity": {func(r *rig) func(*tls.Config) {
			r.identify(r.authority.Client("node"))
			return clients(r)
		}, ""},
		"a client identity that nobody knows": {func(r *rig) func(*tls.Config) {
			r.identify(stranger.Client("node"))
			return clients(r)
		}, "*"},
		"a server's identity": {func(r *rig) func(*tls.Config) {
			r.identify(r.authority.Server())
			return clients(r)
		}, "extended key usage clientAuth"},
		"a client key for the group to read": {func(r *rig) func(*tls.Config) {
			r.identify(r.authority.Client("node"))
			must.Do(r, os.Chmod(r.settings.Identity.PrivateKeyFile.Path, 0o640))
			return clients(r)
		}, "the client identity"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			var seen counter
			r.serve(func(w http.ResponseWriter, q *http.Request) {
				seen.add(q.Header.Get("X-Vault-Token"))
				reply(http.StatusOK, readText)(w, q)
			}, c.prepare(r))
			_, _, err := r.Read(t.Context(), "pointer")
			switch refused := c.why != ""; {
			case refused && (err == nil || c.why != "*" && !strings.Contains(err.Error(), c.why)):
				t.Errorf("expected %q, found %v", c.why, err)
			case refused && len(seen.all()) > 0:
				t.Error("the request was sent")
			case !refused && (err != nil || len(seen.all()) != 1):
				t.Error(err)
			}
		})
	}
}

// TestClientTakesUpFiles: token and client identity are read for each request, and
// nothing is sent with a token that is not private.
func TestClientTakesUpFiles(t *testing.T) {
	r := newRig(t)
	var seen, connections counter
	r.serve(func(w http.ResponseWriter, q *http.Request) {
		seen.add(q.Header.Get("X-Vault-Token") + " " + q.TLS.PeerCertificates[0].Subject.CommonName)
		reply(http.StatusOK, readText)(w, q)
	}, func(c *tls.Config) {
		c.ClientAuth = tls.RequireAnyClientCert
		c.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
			connections.add("")
			return nil, nil
		}
	})
	for i := range 3 {
		r.put("token", 0o600, fmt.Sprint("token-", i))
		r.identify(r.authority.Client(fmt.Sprint("node ", i)))
		must.Two(r.Read(t.Context(), "pointer"))(r)
	}
	found := fmt.Sprint(seen.all())
	check.That(t, found == "[token-0 node 0 token-1 node 1 token-2 node 2]", "%v", found)
	before := len(connections.all())
	for name, spoil := range map[string]func(){
		"readable by the group": func() { r.put("token", 0o640, testToken) },
		"readable by others":    func() { r.put("token", 0o604, testToken) },
		"a symbolic link": func() {
			must.Do(r, os.Symlink(r.put("real", 0o600, testToken),
				filepath.Join(r.dir, "token")))
		},
		"two lines": func() { r.put("token", 0o600, testToken+"\n\n") },
		"absent":    func() {},
	} {
		must.Do(r, os.Remove(filepath.Join(r.dir, "token")))
		spoil()
		_, _, err := r.Read(t.Context(), "pointer")
		check.That(t, err != nil && strings.Contains(err.Error(), "the token file: expected") &&
			!strings.Contains(err.Error(), testToken), "%s: %v", name, err)
		_ = os.Remove(filepath.Join(r.dir, "token"))
		r.put("token", 0o600, testToken)
	}
	check.Equal(t, len(connections.all())-before, 0, "connections")
}

// TestClientFollowsNoRedirect: the token goes to the origin alone.
func TestClientFollowsNoRedirect(t *testing.T) {
	r := newRig(t)
	var asked, elsewhere counter
	other := serve(t, r.authority, func(w http.ResponseWriter, q *http.Request) {
		elsewhere.add(q.URL.Path)
		reply(http.StatusOK, readText)(w, q)
	})
	for _, status := range []int{301, 302, 303, 307, 308} {
		r.serve(func(w http.ResponseWriter, q *http.Request) {
			asked.add(q.URL.Path)
			http.Redirect(w, q, other+q.URL.Path, status) // #nosec G710 -- to another server of this test
		})
		_, _, err := r.Read(t.Context(), "pointer")
		check.That(t, err != nil && strings.Contains(err.Error(), fmt.Sprint("status ", status)), "%d: %v", status, err)
		check.That(t, check.Err(r.Write(t.Context(), "pointer", 0, testRecord("a"))) != nil, "%d: written", status)
	}
	check.That(t, len(asked.all()) == 10 && len(elsewhere.all()) == 0,
		"%d requests, %d elsewhere", len(asked.all()), len(elsewhere.all()))
}

// TestClientAsksOnce: a request is sent once, even if the connection of an earlier
// one was left open and is dead by now.
func TestClientAsksOnce(t *testing.T) {
	r := newRig(t)
	var asked counter
	r.serve(func(w http.ResponseWriter, q *http.Request) {
		asked.add(q.Method)
		if len(asked.all()) == 1 {
			reply(http.StatusOK, readText)(w, q)
			return
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	})
	must.Two(r.Read(t.Context(), "pointer"))(r)
	_, _, err := r.Read(t.Context(), "pointer")
	check.That(t, err != nil, "an answer")
	check.That(t, check.Err(r.Write(t.Context(), "pointer", 0, testRecord("a"))) != nil, "an answer")
	found := fmt.Sprint(asked.all())
	check.That(t, found == "[GET GET POST]", "%v", found)
}

// TestEnvironment: the system's authorities count if none is pinned and only then,
// and no proxy of the environment is used, here and at the health URL.
func TestEnvironment(t *testing.T) {
	r := newRig(t)
	pinned := must.Get(r.transport())(t)
	r.settings.Authorities.Certificates = nil
	system := must.Get(r.transport())(t)
	check.That(t, pinned.TLSClientConfig.RootCAs.Equal(r.authority.Pool()) && system.TLSClientConfig.RootCAs == nil,
		"the authorities are %v, and %v if none is pinned", pinned.TLSClientConfig.RootCAs, system.TLSClientConfig.RootCAs)
	check.That(t, pinned.Proxy == nil && singleTransport(r.settings.RequestTimeout).Proxy == nil, "a proxy is asked for")
}
