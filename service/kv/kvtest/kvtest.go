// Package kvtest gives tests a KV version 2 engine. It acts for its administrator, too. [Each]
// runs a test with the embedded engine and, where the environment variable VAULTD names its
// program, with a real server (service/interop/vaultd), so that the real one judges the other.
package kvtest

import (
	"crypto/rand"
	"crypto/tls"
	"io"
	"log"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
	"github.com/svc-edge/svc-verify/service/kv"
)

// Backend is an engine with one mount, empty and private to the test.
type Backend struct {
	Name      string // "embedded" or "vault"
	Address   string // the origin, https://host:port
	Authority *testca.Authority
	Mount     string // the path of the KV version 2 engine, without slashes around it
	RootToken string // may do everything
	// Token makes a token that is bound to exactly these rules.
	Token func(t testing.TB, rules ...kv.Rule) string
	// Seal has the server refuse all service until Unseal. A real server is one
	// for all tests of a program: none of them may run in parallel to this.
	Seal, Unseal func(t testing.TB)
}

// Each runs a test with each engine that there is, as a subtest with its name.
func Each(t *testing.T, f func(t *testing.T, b Backend)) {
	t.Helper()
	t.Run("embedded", func(t *testing.T) { f(t, Embedded(t)) })
	if program := Program(); program != "" {
		t.Run("vault", func(t *testing.T) { f(t, newVaultMount(t, program)) })
	}
}

// AdministratorRules allow everything.
func AdministratorRules() []kv.Rule {
	return []kv.Rule{{Path: "*", Capabilities: []string{kv.Create, kv.Update, kv.Read, kv.Delete}}}
}

// Without returns rules with one capability less at one of them.
func Without(rules []kv.Rule, i int, capability string) []kv.Rule {
	less := slices.Clone(rules)
	less[i].Capabilities = slices.DeleteFunc(slices.Clone(less[i].Capabilities),
		func(c string) bool { return c == capability })
	return less
}

// Embedded starts an embedded engine, in memory, until the test ends.
func Embedded(t testing.TB) Backend {
	t.Helper()
	engine := must.Get(kv.Open(kv.Config{Mount: "kv"}))(t)
	b := Backend{
		Name: "embedded", Authority: testca.New("engine"), Mount: "kv", RootToken: rand.Text(),
		Seal: func(testing.TB) { engine.Seal(true) }, Unseal: func(testing.TB) { engine.Seal(false) },
		Token: func(t testing.TB, rules ...kv.Rule) string {
			token := rand.Text()
			must.Do(t, engine.Allow(token, rules...))
			return token
		},
	}
	must.Do(t, engine.Allow(b.RootToken, AdministratorRules()...))
	server := httptest.NewUnstartedServer(engine)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{b.Authority.Server()}, MinVersion: tls.VersionTLS12}
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	b.Address = server.URL
	return b
}
