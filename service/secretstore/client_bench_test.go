package secretstore

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
	"github.com/svc-edge/svc-verify/service/kv/kvtest"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
)

const (
	testBase  = "edge/payments"
	testToken = "hvs.CAESIJ-secret-of-the-store" // #nosec G101 -- of no store
)

// testRecord is some record.
func testRecord(text string) seal.Object { return seal.Object{"text": text, "n": int64(7)} }

// rig is a client and the settings that it reads anew for each request.
type rig struct {
	testing.TB
	dir       string
	authority *testca.Authority
	settings  *nodeconfig.SecretStore
	*Client
}

func newRig(t testing.TB) *rig {
	t.Helper()
	r := &rig{TB: t, dir: t.TempDir(), authority: testca.New("store CA")}
	r.settings = &nodeconfig.SecretStore{
		Mount: "kv", BasePath: testBase, RequestTimeout: time.Minute,
		TokenFile:   nodeconfig.File{Path: filepath.Join(r.dir, "token")},
		Authorities: nodeconfig.Authorities{Certificates: []*x509.Certificate{r.authority.Certificate}},
	}
	r.put("token", 0o600, testToken+"\n")
	r.Client = NewClient(r.settings)
	return r
}

// newEngineRig is a rig with an engine behind it, and a token.
func newEngineRig(t testing.TB, b kvtest.Backend, token string) *rig {
	r := newRig(t)
	r.settings.Address, r.settings.Mount = b.Address, b.Mount
	r.settings.Authorities.Certificates[0] = b.Authority.Certificate
	r.put("token", 0o600, token)
	return r
}

// put writes a file with exactly these permissions.
func (r *rig) put(name string, mode os.FileMode, content string) string {
	r.Helper()
	path := filepath.Join(r.dir, name)
	must.Do(r, os.WriteFile(path, []byte(content), mode))
	must.Do(r, os.Chmod(path, mode))
	return path
}

// identify gives the client an identity.
func (r *rig) identify(identity tls.Certificate) {
	path := filepath.Join(r.dir, "client")
	testca.Write(path, identity)
	r.settings.Identity.CertificateFile.Path = path + ".pem"
	r.settings.Identity.PrivateKeyFile.Path = path + ".key"
}

// serve runs a server and makes it the client's store.
func (r *rig) serve(h http.HandlerFunc, changes ...func(*tls.Config)) {
	r.settings.Address = serve(r, r.authority, h, changes...)
}

// serve runs a server, and returns its origin.
func serve(t testing.TB, authority *testca.Authority, h http.HandlerFunc, changes ...func(*tls.Config)) string {
	server := httptest.NewUnstartedServer(h)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{authority.Server()}}
	for _, change := range changes {
		change(server.TLS)
	}
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL
}

// reply is a handler that always answers the same.
func reply(status int, document string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", jsonType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, document)
	}
}

// counter counts and keeps the requests to a handler.
type counter struct {
	sync.Mutex
	seen []string
}

func (c *counter) add(text string) {
	c.Lock()
	defer c.Unlock()
	c.seen = append(c.seen, text)
}

func (c *counter) all() []string {
	c.Lock()
	defer c.Unlock()
	return append([]string(nil), c.seen...)
}

// rawServer answers each request, over TLS, with these bytes and ends the
// connection.
func (r *rig) rawServer(answer string) {
	l := must.Get(tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{r.authority.Server()},
		MinVersion: tls.VersionTLS12}))(r)
	r.Cleanup(func() { _ = l.Close() })
	r.settings.Address = "https://" + l.Addr().String()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			answerRaw(conn, answer)
		}
	}()
}

// answerRaw reads the header of a request and answers.
func answerRaw(conn net.Conn, answer string) {
	defer conn.Close()
	header := ""
	for buffer := make([]byte, 4096); !strings.Contains(header, "\r\n\r\n"); {
		n, err := conn.Read(buffer)
		if err != nil {
			return
		}
		header += string(buffer[:n])
	}
	_, _ = io.WriteString(conn, answer)
}

// Documents of an engine, as Vault 1.14 writes them.
const (
	versionText  = `{"created_time":"2026-03-02T09:00:00.123456789Z","custom_metadata":null,"deletion_time":"","destroyed":false,"version":1}`
	goneText     = `{"created_time":"2026-03-02T09:00:00Z","custom_metadata":null,"deletion_time":"2026-03-02T10:00:00Z","destroyed":false,"version":1}`
	writtenText  = `{"request_id":"x","lease_duration":0,"data":` + versionText + `,"warnings":null}`
	readText     = `{"request_id":"x","data":{"data":{"text":"a","n":7},"metadata":` + versionText + `},"warnings":null}`
	deletedText  = `{"request_id":"x","data":{"data":null,"metadata":` + goneText + `},"warnings":null}`
	metadataText = `{"data":{"cas_required":false,"current_version":1,"max_versions":0,"versions":{"1":` + versionText +
		`}}}`
	absentText   = `{"errors":[]}`
	conflictBody = `{"errors":["check-and-set parameter did not match the current version"]}`
)
