package prometheus

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// node is a running node.
type node struct {
	address string
	client  *http.Client
	stop    func()
}

// startNode runs svc-harness node run. Its cloud and its collector are where
// nobody listens. The files of Prometheus are in pki below the folder.
func startNode(t *testing.T, dir string) *node {
	t.Helper()
	bin := build(t)
	pki := filepath.Join(dir, "pki")
	for _, d := range []string{pki, filepath.Join(dir, "state")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	ca := newAuthority(t, filepath.Join(pki, "local-api-ca.pem"))
	pair := ca.issue(t, filepath.Join(pki, "prometheus"), x509.ExtKeyUsageClientAuth)
	ca.issue(t, filepath.Join(pki, "api"), x509.ExtKeyUsageServerAuth)
	ca.issue(t, filepath.Join(pki, "client"), x509.ExtKeyUsageClientAuth)
	address := freeAddress(t)
	config := filepath.Join(dir, "config.json")
	write(t, config, nodeConfig(t, address))
	command := exec.Command(filepath.Join(bin, "svc-harness"), "node", "run", config) // #nosec G204
	n := &node{address: address, stop: start(t, "node", command)}
	n.client = &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{
		MinVersion: tls.VersionTLS13, RootCAs: ca.pool(), Certificates: []tls.Certificate{pair}}}}
	return n
}

// nodeConfig is a node with the export on.
func nodeConfig(t *testing.T, address string) string {
	t.Helper()
	public, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	policy, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := json.Marshal(map[string]any{
		"tenant_id": "acme-corp", "node_id": "mesh-oslo-1", "state_directory": "state",
		"policy_public_keys": map[string]string{"policy-2026-1": base64.RawURLEncoding.EncodeToString(policy)},
		"audit_public_keys":  map[string]string{"audit-2026-1": base64.RawURLEncoding.EncodeToString(public)},
		"local_api_address":  address, "local_api_certificate_file": "pki/api.pem", "local_api_private_key_file": "pki/api.key", "local_api_client_ca_file": "pki/local-api-ca.pem",
		"cloud_url": "https://127.0.0.1:1", "cloud_ca_file": "pki/local-api-ca.pem", "cloud_client_certificate_file": "pki/client.pem", "cloud_client_private_key_file": "pki/client.key",
		"cloud_public_key_sha256": []string{strings.Repeat("0", 64)}, "cloud_request_timeout_seconds": 2, "cloud_poll_interval_seconds": 1,
		"otlp_audit_enabled": true, "otlp_audit_exporter_id": "siem-1", "otlp_audit_endpoint": "https://127.0.0.1:1/v1/logs", "otlp_audit_trust_bundle_file": "pki/local-api-ca.pem",
		"otlp_audit_client_certificate_file": "pki/client.pem", "otlp_audit_client_private_key_file": "pki/client.key",
		"otlp_audit_batch_size": 64, "otlp_audit_request_timeout_seconds": 2, "otlp_audit_poll_interval_seconds": 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(doc)
}

// get asks the node for a document, as soon as it answers.
func (n *node) get(t *testing.T, path string) string {
	t.Helper()
	var err error
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		var answer *http.Response
		if answer, err = n.client.Get("https://" + n.address + path); err != nil {
			continue
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: status %d, %v", path, answer.StatusCode, err)
		}
		return string(body)
	}
	t.Fatal("the node does not answer: ", err)
	return ""
}

// build builds svc-harness.
func build(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	command := exec.Command("go", "build", "-o", bin+"/", "./cmd/svc-harness") // #nosec G204
	command.Dir = filepath.Join("..", "..")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

// start starts a program, and returns what stops it.
func start(t *testing.T, name string, command *exec.Cmd) (stop func()) {
	t.Helper()
	var log bytes.Buffer
	command.Stdout, command.Stderr = &log, &log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		if err := command.Process.Signal(syscall.SIGTERM); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := command.Wait(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Cleanup(func() {
		stop()
		if t.Failed() {
			t.Logf("%s says:\n%s", name, log.Bytes()[max(0, log.Len()-8000):])
		}
	})
	return stop
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

type authority struct {
	certificate *x509.Certificate
	key         crypto.Signer
}

// newAuthority makes an authority and writes its certificate.
func newAuthority(t *testing.T, path string) *authority {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := &authority{key: key, certificate: template("the authority")}
	a.certificate.IsCA, a.certificate.KeyUsage = true, x509.KeyUsageCertSign
	der := a.sign(t, a.certificate, key.Public())
	if a.certificate, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	writePEM(t, path, "CERTIFICATE", der)
	return a
}

func template(name string) *x509.Certificate {
	return &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
}

func (a *authority) sign(t *testing.T, c *x509.Certificate, key crypto.PublicKey) []byte {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, c, a.certificate, key, a.key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return pool
}

// issue writes a certificate and its key.
func (a *authority) issue(t *testing.T, path string, usage x509.ExtKeyUsage) tls.Certificate {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	leaf := template(filepath.Base(path))
	leaf.ExtKeyUsage, leaf.KeyUsage = []x509.ExtKeyUsage{usage}, x509.KeyUsageDigitalSignature
	der := a.sign(t, leaf, key.Public())
	writePEM(t, path+".pem", "CERTIFICATE", der)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	writePEM(t, path+".key", "PRIVATE KEY", private)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func writePEM(t *testing.T, path, kind string, der []byte) {
	t.Helper()
	write(t, path, string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})))
}
