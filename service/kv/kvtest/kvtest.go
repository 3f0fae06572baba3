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
type Backend interface {
	// Name is "embedded" or "vault".
	Name() string
	// Address is the origin, https://host:port.
	Address() string
	// Authority is who issued the server's certificate.
	Authority() *testca.Authority
	// Mount is the path of the KV version 2 engine, without slashes around it.
	Mount() string
	// Token makes a token that is bound to exactly these rules.
	Token(t testing.TB, rules ...kv.Rule) string
	// RootToken may do everything.
	RootToken() string
	// Seal has the server refuse all service until Unseal. A real server is one
	// for all tests of a program: none of them may run in parallel to this.
	Seal(t testing.TB)
	Unseal(t testing.TB)
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

// embedded is a [kv.Engine] behind a TLS server.
type embedded struct {
	engine    *kv.Engine
	server    *httptest.Server
	authority *testca.Authority
	root      string
}

// Embedded starts an embedded engine, in memory, until the test ends.
func Embedded(t testing.TB) Backend {
	t.Helper()
	engine := must.Get(kv.Open(kv.Config{Mount: "kv"}))(t)
	b := &embedded{engine: engine, authority: testca.New("engine"), root: rand.Text()}
	must.Do(t, engine.Allow(b.root, AdministratorRules()...))
	b.server = httptest.NewUnstartedServer(engine)
	b.server.TLS = &tls.Config{Certificates: []tls.Certificate{b.authority.Server()}, MinVersion: tls.VersionTLS12}
	b.server.EnableHTTP2 = true
	b.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	b.server.StartTLS()
	t.Cleanup(b.server.Close)
	return b
}

func (b *embedded) Name() string                 { return "embedded" }
func (b *embedded) Address() string              { return b.server.URL }
func (b *embedded) Authority() *testca.Authority { return b.authority }
func (b *embedded) Mount() string                { return "kv" }
func (b *embedded) RootToken() string            { return b.root }
func (b *embedded) Seal(testing.TB)              { b.engine.Seal(true) }
func (b *embedded) Unseal(testing.TB)            { b.engine.Seal(false) }

func (b *embedded) Token(t testing.TB, rules ...kv.Rule) string {
	t.Helper()
	token := rand.Text()
	must.Do(t, b.engine.Allow(token, rules...))
	return token
}
