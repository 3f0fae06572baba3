package deployment

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	_ "embed"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"text/template"
	"time"

	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/agent"
	"github.com/svc-edge/svc-verify/service/server"
)

// setup makes everything that a deployment begins with.
type setup struct{ *Layout }

// configurations makes the directories that the nodes start with.
func (s setup) configurations() error {
	keys, err := server.MakeKeys(s.path("cloud", "state"))
	if err != nil {
		return err
	}
	identity, err := tls.LoadX509KeyPair(s.path("cloud", "server.pem"), s.path("cloud", "server.key"))
	if err != nil {
		return err
	}
	pin := sha256.Sum256(identity.Leaf.RawSubjectPublicKeyInfo)
	for _, id := range s.Nodes {
		if err := s.configure(id, keys, hex.EncodeToString(pin[:])); err != nil {
			return fmt.Errorf("node %s: %w", id, err)
		}
	}
	return nil
}

// configure makes the directory of a node: its signing key, three certificates
// and config.json.
func (s setup) configure(id string, keys seal.Object, pin string) error {
	if err := os.MkdirAll(s.Node(id), 0o700); err != nil {
		return err
	}
	in := func(name string) string { return filepath.Join(s.Node(id), name) }
	key, err := agent.MakeIdentity(in("state"), id)
	if err != nil {
		return err
	}
	if err := s.issueToNode(id, key.Public()); err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return err
	}
	config, err := s.config(id)
	if err == nil && s.delivers(id) {
		err = s.bootstrap(id)
	}
	if err != nil {
		return err
	}
	config["policy_public_keys"], config["audit_public_keys"] = keys["policy_keys"], keys["audit_keys"]
	config["cloud_public_key_sha256"] = seal.Strings([]string{pin})
	return errors.Join(
		writePEM(in("public.pem"), "PUBLIC KEY", public, 0o644),
		pki.WriteFile(in("config.json"), seal.Line(config), 0o600),
	)
}

// issueToNode issues a node's certificates: for its local API, which has the
// node's own key, towards the cloud, and towards the collector.
func (s setup) issueToNode(id string, public ed25519.PublicKey) error {
	in := func(name string) string { return filepath.Join(s.Node(id), name) }
	local, err := openAuthority(s.path("authorities"), "local")
	if err != nil {
		return err
	}
	return errors.Join(
		s.issue("cloud", in("cloud.pem"), clientTemplate(s.id("node", id))),
		s.issue("collector", in("exporter.pem"), clientTemplate(s.id("node", id))),
		local.certify(in("api.pem"), serverTemplate(id), public, local.key),
	)
}

// issue has an authority make a key and its certificate.
func (s setup) issue(authority, file string, template *x509.Certificate) error {
	a, err := openAuthority(s.path("authorities"), authority)
	if err != nil {
		return err
	}
	return a.issueTo(file, template)
}

//go:embed node.json
var nodeTemplate string

// config is the configuration of a node, service/docs/node-config.md, but for the keys of others.
// Its paths start from the node's directory, so that the deployment can be moved.
func (s setup) config(id string) (seal.Object, error) {
	var b bytes.Buffer
	err := template.Must(template.New("node.json").Parse(nodeTemplate)).Execute(&b, struct {
		*Layout
		ID, Ref, Profile, Mount, Base string
		Delivers                      bool
	}{s.Layout, id, storeReference, storeProfile, StoreMount, StoreBase, s.delivers(id)})
	if err != nil {
		return nil, err
	}
	return seal.Parse(b.Bytes())
}

// How long the certificates of a deployment are valid.
const (
	authorityLifetime = 10 * 365 * 24 * time.Hour
	leafLifetime      = 365 * 24 * time.Hour
)

// authority issues the TLS certificates of one circle of callers.
type authority struct {
	certificate *x509.Certificate
	key         crypto.Signer
	file        string // of the certificate
}

// openAuthority opens the authority <name>.pem and <name>.key of a directory, or makes it.
func openAuthority(dir, name string) (*authority, error) {
	a := &authority{file: filepath.Join(dir, name+".pem")}
	identity, err := tls.LoadX509KeyPair(a.file, keyFile(a.file))
	if errors.Is(err, fs.ErrNotExist) {
		template := &x509.Certificate{
			Subject: pkix.Name{CommonName: "harness " + name}, IsCA: true, BasicConstraintsValid: true,
			KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		}
		if err := a.issueTo(a.file, template); err != nil {
			return nil, err
		}
		identity, err = tls.LoadX509KeyPair(a.file, keyFile(a.file))
	}
	if err != nil {
		return nil, err
	}
	key, ok := identity.PrivateKey.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("%s: its key cannot sign", a.file)
	}
	a.certificate, a.key = identity.Leaf, key
	return a, nil
}

// keyFile is where the key of a certificate's file is.
func keyFile(certificate string) string {
	return certificate[:len(certificate)-len(filepath.Ext(certificate))] + ".key"
}

// pool is the authority as the root of a verification.
func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return pool
}

// serverTemplate is the template of a server on this machine.
func serverTemplate(name string) *x509.Certificate {
	return &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, DNSNames: []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage:    x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
	}
}

// clientTemplate is the template of a caller with a SPIFFE id.
func clientTemplate(id *url.URL) *x509.Certificate {
	return &x509.Certificate{
		Subject: pkix.Name{CommonName: filepath.Base(id.Path)}, URIs: []*url.URL{id},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true,
	}
}

// issueTo makes a key and its certificate, and writes both. A file that is there
// already is replaced.
func (a *authority) issueTo(file string, template *x509.Certificate) error {
	key := seal.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	der := seal.Must(x509.MarshalPKCS8PrivateKey(key))
	if err := writePEM(keyFile(file), "PRIVATE KEY", der, 0o600); err != nil {
		return err
	}
	if a.key == nil {
		return a.certify(file, template, key.Public(), key)
	}
	return a.certify(file, template, key.Public(), a.key)
}

// certify signs a certificate for a key that is elsewhere, and writes it.
func (a *authority) certify(file string, template *x509.Certificate, public crypto.PublicKey,
	signer crypto.Signer) error {
	template.SerialNumber = seal.Must(rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120)))
	template.NotBefore = time.Now().Add(-time.Hour)
	template.NotAfter = template.NotBefore.Add(leafLifetime)
	parent := a.certificate
	if parent == nil {
		parent, template.NotAfter = template, template.NotBefore.Add(authorityLifetime)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, signer)
	if err != nil {
		return err
	}
	return writePEM(file, "CERTIFICATE", der, 0o644)
}

func writePEM(file, kind string, der []byte, mode fs.FileMode) error {
	return pki.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), mode)
}
