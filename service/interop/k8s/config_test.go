package k8s

import (
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
)

// TestConfig prepares a pod's files as its init container does, out of Secrets
// as Kubernetes mounts them, and lets the node's own check judge config.json and
// every file that it names.
func TestConfig(t *testing.T) {
	for _, c := range []struct{ name, set string }{
		{"minimal", ""},
		{"full", ""},
		{"minimal", "otlpAudit.enabled=true,otlpAudit.exporterId=s,otlpAudit.endpoint=https://c.example/v1/logs,otlpAudit.existingSecret=s"},
		{"minimal", storeValues},
		{"minimal",
			storeValues + ",secretStore.reload.binaryPath=/usr/local/bin/reload," +
				"secretStore.reload.binarySha256=bd88a4fbc9e09ac2fc68bd66d9cf085da11e2dbd4b530cdc35e87bbf6a2a8e2e"},
	} {
		t.Run(c.name+c.set, func(t *testing.T) {
			n := parse(t, render(t, "--values", values(c.name), "--set", c.set))
			root := t.TempDir()
			mount(t, root, n.set.Spec.Template.Spec)
			prepare(t, root, n.set.Spec.Template.Spec.InitContainers[0])
			config := filepath.Join(root, "config.json")
			put(t, config, 0o440, []byte(below(root, n.config)))
			out, err := exec.Command(tool(t, "svc-harness"), "node", "check", config).CombinedOutput() // #nosec G204
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// storeValues are the least that the secret-store adapter needs.
const storeValues = "secretStore.enabled=true,secretStore.adapterReference=local/web,secretStore.profileId=web,secretStore.address=https://store.example," +
	"secretStore.kvMount=kv,secretStore.kvBasePath=web,secretStore.healthUrl=https://web.example/,secretStore.existingSecret=s"

// below moves the paths of a pod below a folder.
func below(root, text string) string {
	for _, path := range []string{"/var/lib/svc-node", "/etc/svc-node", "/run/svc-node", "/usr/local/bin"} {
		text = strings.ReplaceAll(text, path, root+path)
	}
	return text
}

// mount puts the Secrets of a pod where it has them: links into a folder, and
// readable for the group.
func mount(t *testing.T, root string, pod core.PodSpec) {
	t.Helper()
	a := newAuthority(t)
	for _, c := range append(pod.InitContainers, pod.Containers...) {
		for _, m := range c.VolumeMounts {
			do(t, os.MkdirAll(below(root, m.MountPath), 0o700))
		}
	}
	_, identity, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	// The node has been started before, with group permissions as a volume that
	// was brought back may have them.
	state := root + "/var/lib/svc-node/state"
	do(t, os.MkdirAll(state, 0o770))
	put(t, state+"/identity.key", 0o660, privatePEM(t, identity))
	for _, part := range []string{"local-api", "cloud", "otlp-audit", "secret-store"} {
		_, key, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		usage := x509.ExtKeyUsageClientAuth
		if part == "local-api" {
			usage = x509.ExtKeyUsageServerAuth
			if !copies(pod, "local-api-key") {
				key = identity // the node answers with the key that it signs with
			}
		}
		link(t, root+"/etc/svc-node/"+part, "tls.crt", a.issue(t, key.Public(), usage))
		link(t, root+"/etc/svc-node/"+part, "ca.crt", a.pem)
		link(t, root+"/etc/svc-node-keys/"+part, "tls.key", privatePEM(t, key))
	}
	mountStore(t, root, a)
}

// mountStore adds the files that only the Secret of the secret store has, and the program of
// the image that is run after a promotion.
func mountStore(t *testing.T, root string, a *authority) {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	link(t, root+"/etc/svc-node/secret-store", "bootstrap.crt", a.issue(t, key.Public(), x509.ExtKeyUsageServerAuth))
	link(t, root+"/etc/svc-node-keys/secret-store", "bootstrap.key", privatePEM(t, key))
	link(t, root+"/etc/svc-node-keys/secret-store", "token", []byte("s.0123456789\n"))
	programs := root + "/usr/local/bin"
	do(t, os.MkdirAll(programs, 0o755))
	put(t, programs+"/reload", 0o555, []byte("#!/bin/sh\nexec true \"$@\"\n"))
}

// copies reports whether the init container has a volume.
func copies(pod core.PodSpec, volume string) bool {
	for _, m := range pod.InitContainers[0].VolumeMounts {
		if m.Name == volume {
			return true
		}
	}
	return false
}

// prepare runs the command of the init container.
func prepare(t *testing.T, root string, c core.Container) {
	t.Helper()
	arguments := append([]string{}, c.Command[1:]...)
	arguments[len(arguments)-1] = below(root, arguments[len(arguments)-1])
	for range 2 { // a pod can be started again with its files there
		if out, err := exec.Command(c.Command[0], arguments...).CombinedOutput(); err != nil { // #nosec G204
			t.Fatalf("%v\n%s", err, out)
		}
	}
}

// link writes a file as a Secret has it.
func link(t *testing.T, dir, name string, content []byte) {
	t.Helper()
	data := filepath.Join(dir, "..data")
	do(t, os.MkdirAll(data, 0o755))
	put(t, filepath.Join(data, name), 0o440, content)
	do(t, os.Symlink(filepath.Join("..data", name), filepath.Join(dir, name)))
}

func put(t *testing.T, path string, mode os.FileMode, content []byte) {
	t.Helper()
	do(t, os.WriteFile(path, content, mode))
	do(t, os.Chmod(path, mode))
}

type authority struct {
	certificate *x509.Certificate
	key         ed25519.PrivateKey
	pem         []byte
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := &authority{key: key, certificate: template("an authority")}
	a.certificate.IsCA, a.certificate.KeyUsage = true, x509.KeyUsageCertSign
	a.pem = a.sign(t, a.certificate, key.Public())
	return a
}

func (a *authority) issue(t *testing.T, key crypto.PublicKey, usage x509.ExtKeyUsage) []byte {
	t.Helper()
	leaf := template("a leaf")
	leaf.ExtKeyUsage, leaf.KeyUsage = []x509.ExtKeyUsage{usage}, x509.KeyUsageDigitalSignature
	return a.sign(t, leaf, key)
}

func template(name string) *x509.Certificate {
	return &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		BasicConstraintsValid: true,
		NotBefore:             time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"oslo.acme.example"}}
}

func (a *authority) sign(t *testing.T, c *x509.Certificate, key crypto.PublicKey) []byte {
	t.Helper()
	der := get(x509.CreateCertificate(rand.Reader, c, a.certificate, key, a.key))(t)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func privatePEM(t *testing.T, key crypto.Signer) []byte {
	t.Helper()
	der := get(x509.MarshalPKCS8PrivateKey(key))(t)
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// do ends the test if there is an error.
func do(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// get returns the value of a call, or ends the test: get(os.ReadFile(name))(t).
func get[V any](value V, err error) func(*testing.T) V {
	return func(t *testing.T) V {
		t.Helper()
		do(t, err)
		return value
	}
}
