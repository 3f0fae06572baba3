package deployment

import (
	"context"
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/svc-edge/svc-verify/harness/node"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// callTimeout is how long a call to the deployment may take, beside its wait.
const callTimeout = time.Minute

// Customer calls a deployment, as its operators, workloads and observers do.
type Customer struct{ *Layout }

// identity is the certificate of a caller of the cloud or of a node.
func (c Customer) identity(role, name string) (tls.Certificate, error) {
	file := c.Client(role, name)
	return tls.LoadX509KeyPair(file, keyFile(file))
}

// CallCloud returns a client of the cloud with the certificate of an operator
// or a workload.
func (c Customer) CallCloud(role, name string) (*httpd.Client, error) {
	return c.call("cloud", "https://"+c.Cloud, role, name)
}

func (c Customer) call(authority, url, role, name string) (*httpd.Client, error) {
	a, err := openAuthority(c.path("authorities"), authority)
	if err != nil {
		return nil, err
	}
	identity, err := c.identity(role, name)
	if err != nil {
		return nil, err
	}
	return httpd.NewClient(httpd.ClientConfig{URL: url, Roots: a.pool(), Identity: identity, Timeout: callTimeout}), nil
}

// Transport carries the calls of the console to the cloud, with the certificate
// of the operator as whom it acts.
func (c Customer) Transport(operator string) (http.RoundTripper, error) {
	a, err := openAuthority(c.path("authorities"), "cloud")
	if err != nil {
		return nil, err
	}
	identity, err := c.identity("operator", operator)
	if err != nil {
		return nil, err
	}
	return &http.Transport{TLSClientConfig: &tls.Config{
		MinVersion: tls.VersionTLS13, RootCAs: a.pool(), Certificates: []tls.Certificate{identity},
	}}, nil
}

// Collect writes trust.json as the customer would: the cloud's keys as its
// operators hand them over, and each node's keys from the node's own directory.
func (c Customer) Collect(ctx context.Context) error {
	cloud, err := c.CallCloud("operator", "ada")
	if err != nil {
		return err
	}
	defer cloud.Close()
	keys, err := cloud.Do(ctx, http.MethodGet, "/api/v1/keys", nil)
	if err != nil {
		return err
	}
	nodes := seal.Object{}
	for _, id := range c.Nodes {
		if err := c.collectNode(id, nodes); err != nil {
			return err
		}
	}
	return writeFile(c.TrustFile(), append(seal.Canonical(seal.Object{
		"audit_keys": keys["audit_keys"], "protected_signer_keys": keys["protected_signer_keys"],
		"registries": keys["registries"],
		"nodes":      nodes, "minimum_audit_witnesses": c.Witnesses(),
	}), '\n'), 0o644)
}

// collectNode enters every key generation of a node.
func (c Customer) collectNode(id string, nodes seal.Object) error {
	for generation := 1; ; generation++ {
		file := "identity.key"
		if generation > 1 {
			file = fmt.Sprintf("identity-%d.key", generation)
		}
		b, err := os.ReadFile(filepath.Join(c.Node(id), "state", file))
		if errors.Is(err, fs.ErrNotExist) && generation > 1 {
			return nil
		}
		if err != nil {
			return err
		}
		block, _ := pem.Decode(b)
		if block == nil {
			return fmt.Errorf("%s of %s: expected PEM", file, id)
		}
		key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
		private, ok := key.(ed25519.PrivateKey)
		if err != nil || !ok {
			return fmt.Errorf("%s of %s: expected an Ed25519 key", file, id)
		}
		nodes[node.KeyID(id, generation)] = seal.Base64(private.Public().(ed25519.PublicKey))
	}
}

// TrustFile is where the pinned keys are.
func (l *Layout) TrustFile() string { return l.path("trust.json") }

// Witnesses is how many nodes must witness a checkpoint: more than half of
// them, so that no two halves can witness two histories.
func (l *Layout) Witnesses() int64 { return int64(len(l.Nodes)/2 + 1) }
