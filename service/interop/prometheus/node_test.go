package prometheus

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
)

// node is a running node.
type node struct {
	address string
	client  *http.Client
	stop    func()
}

// startNode runs svc-harness node run. Its cloud and its collector are where
// no one listens. The files of Prometheus are in pki below the folder.
func startNode(t *testing.T, dir string) *node {
	t.Helper()
	bin := build(t)
	pki := filepath.Join(dir, "pki")
	for _, d := range []string{pki, filepath.Join(dir, "state")} {
		must.Do(t, os.Mkdir(d, 0o700))
	}
	ca := testca.New("the authority")
	ca.Write(filepath.Join(pki, "local-api-ca.pem"))
	pair := ca.Client("prometheus")
	testca.Write(filepath.Join(pki, "prometheus"), pair)
	testca.Write(filepath.Join(pki, "api"), ca.Server())
	testca.Write(filepath.Join(pki, "client"), ca.Client("client"))
	address := freeAddress(t)
	config := filepath.Join(dir, "config.json")
	write(t, config, nodeConfig(t, address))
	command := exec.Command(filepath.Join(bin, "svc-harness"), "node", "run", config) // #nosec G204
	n := &node{address: address, client: ca.HTTP(pair), stop: start(t, "node", command)}
	n.client.Timeout = 30 * time.Second
	return n
}

// nodeConfig is a node with the export on.
func nodeConfig(t *testing.T, address string) string {
	t.Helper()
	public, _ := must.Two(ed25519.GenerateKey(rand.Reader))(t)
	policy, _ := must.Two(ed25519.GenerateKey(rand.Reader))(t)
	doc := must.Get(json.Marshal(map[string]any{
		"tenant_id": "acme-corp", "node_id": "mesh-oslo-1", "state_directory": "state",
		"policy_public_keys": map[string]string{"policy-2026-1": base64.RawURLEncoding.EncodeToString(policy)},
		"audit_public_keys":  map[string]string{"audit-2026-1": base64.RawURLEncoding.EncodeToString(public)},
		"local_api_address":  address, "local_api_certificate_file": "pki/api.pem",
		"local_api_private_key_file": "pki/api.key", "local_api_client_ca_file": "pki/local-api-ca.pem",
		"cloud_url": "https://127.0.0.1:1", "cloud_ca_file": "pki/local-api-ca.pem",
		"cloud_client_certificate_file": "pki/client.pem", "cloud_client_private_key_file": "pki/client.key",
		"cloud_public_key_sha256": []string{strings.Repeat("0", 64)}, "cloud_request_timeout_seconds": 2,
		"cloud_poll_interval_seconds": 1,
		"otlp_audit_enabled":          true, "otlp_audit_exporter_id": "siem-1",
		"otlp_audit_endpoint": "https://127.0.0.1:1/v1/logs", "otlp_audit_trust_bundle_file": "pki/local-api-ca.pem",
		"otlp_audit_client_certificate_file": "pki/client.pem", "otlp_audit_client_private_key_file": "pki/client.key",
		"otlp_audit_batch_size": 64, "otlp_audit_request_timeout_seconds": 2, "otlp_audit_poll_interval_seconds": 1,
	}))(t)
	return string(doc)
}

// get asks the node for a document, as soon as it answers.
func (n *node) get(t *testing.T, path string) string {
	t.Helper()
	var err error
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		var answer *http.Response
		if answer, err = n.client.Get("https://" + n.address + path); err != nil {
			continue
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		must.That(t, err == nil && answer.StatusCode == http.StatusOK, "%s: status %d, %v", path, answer.StatusCode,
			err)
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

// start starts a program, and returns a function that stops it.
func start(t *testing.T, name string, command *exec.Cmd) (stop func()) {
	t.Helper()
	var log bytes.Buffer
	command.Stdout, command.Stderr = &log, &log
	must.Do(t, command.Start())
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		check.OK(t, command.Process.Signal(syscall.SIGTERM), "%s", name)
		check.OK(t, command.Wait(), "%s", name)
	}
	t.Cleanup(func() {
		stop()
		if t.Failed() {
			t.Logf("%s says:\n%s", name, log.Bytes()[max(0, log.Len()-8000):])
		}
	})
	return stop
}

// freeAddress returns an address that no connection gets meanwhile: systems assign the ports
// from 32768 on to those.
func freeAddress(t *testing.T) string {
	t.Helper()
	for range 100 {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20000+mathrand.IntN(12768))) // #nosec G404
		if err == nil {
			defer l.Close()
			return l.Addr().String()
		}
	}
	t.Fatal("no port is free")
	return ""
}

func read(t *testing.T, path string) string {
	t.Helper()
	return string(must.Get(os.ReadFile(path))(t))
}

func write(t *testing.T, path, content string) {
	t.Helper()
	must.Do(t, os.WriteFile(path, []byte(content), 0o600))
}
