package testca_test

import (
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
)

const observer = "spiffe://acme-corp.example/observer/soc"

// TestHandshake: both sides trust who their authority vouches for, and no one
// else.
func TestHandshake(t *testing.T) {
	ca, other := testca.New("one"), testca.New("two")
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leaf := r.TLS.PeerCertificates[0]
		w.Header().Set("Caller", leaf.Subject.CommonName+" "+leaf.URIs[0].String())
	}))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{ca.Server()}, ClientCAs: ca.Pool(),
		ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS13}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	known := ca.Client("soc", observer)
	for name, c := range map[string]struct {
		*http.Client
		want string
	}{
		"known":                           {ca.HTTP(known), "soc " + observer},
		"without a certificate":           {ca.HTTP(), ""},
		"of another authority":            {ca.HTTP(other.Client("soc", observer)), ""},
		"a server's":                      {ca.HTTP(ca.Server()), ""},
		"known, and trusts another alone": {other.HTTP(known), ""},
	} {
		got := get(c.Client, server.URL)
		check.That(t, got == c.want, "%s: expected %q, found %q", name, c.want, got)
	}
}

func get(c *http.Client, url string) string {
	defer c.CloseIdleConnections()
	answer, err := c.Get(url)
	if err != nil {
		return ""
	}
	defer answer.Body.Close()
	return answer.Header.Get("Caller")
}

// TestFiles: the issued certificate and key are written, only its owner can read a key even
// where a file was open to all, and a given key is kept.
func TestFiles(t *testing.T) {
	dir, ca := t.TempDir(), testca.New("one")
	path := filepath.Join(dir, "client")
	if err := os.WriteFile(path+".key", nil, 0o644); err != nil { //nolint:gosec // to be closed
		t.Fatal(err)
	}
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	testca.Write(path, ca.Certify(testca.ClientTemplate("soc"), key))
	identity, err := tls.LoadX509KeyPair(path+".pem", path+".key")
	must.That(t, err == nil && key.Equal(identity.PrivateKey), "another key,  %v", err)
	certificate, private, authority := ca.Files(dir)
	check.Do(t, check.Err(tls.LoadX509KeyPair(certificate, private)))
	pool := x509.NewCertPool()
	if doc, err := os.ReadFile(authority); err != nil || !pool.AppendCertsFromPEM(doc) || !pool.Equal(ca.Pool()) {
		t.Errorf("%s, %v", doc, err)
	}
	for _, file := range []string{path + ".key", private} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	}
}
