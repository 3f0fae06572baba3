package deployment

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/agent"
	"github.com/svc-edge/svc-verify/service/collector"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// Refused describes why the deployment refused a request.
type Refused struct{ Code, Detail string }

func (r *Refused) Error() string { return r.Code + ": " + r.Detail }

// asRefused makes a problem of the cloud a [Refused].
func asRefused(err error) error {
	var p *httpd.Problem
	if errors.As(err, &p) {
		return &Refused{p.Code, p.Detail}
	}
	return err
}

// Call makes a call to the cloud as one of its operators: a POST with a body, a GET without.
func (c Customer) Call(ctx context.Context, operator, path string, body seal.Object) (seal.Object, error) {
	cloud, err := c.CallCloud("operator", operator)
	if err != nil {
		return nil, err
	}
	defer cloud.Close()
	method := http.MethodGet
	if body != nil {
		method = http.MethodPost
	}
	o, err := cloud.Poll(ctx, pollWait, method, path, body)
	return o, asRefused(err)
}

// askAgain is the time between two questions to the cloud.
const askAgain = 100 * time.Millisecond

// pollWait is how long a call may be held for its result.
const pollWait = 30 * time.Second

// Order is a certificate that a workload asks for. Its name follows from its
// profile.
type Order struct {
	TransactionID string // one is made if it is ""
	Profile       string
	Lifetime      time.Duration
}

// names returns the names of a workload, as in terms (SPEC 7.3).
func (l *Layout) names(profile string) []string {
	return []string{"dns:" + profile + "." + l.TenantID + ".example", "uri:" + l.id("workload", profile).String()}
}

// Issue asks for a certificate as a workload with a new key, and waits for the
// decision. It returns the transaction, and [Refused] if it was denied. If the
// context ends before it returns the transaction too, which is still open.
func (c Customer) Issue(ctx context.Context, o Order) (seal.Object, error) {
	cloud, err := c.CallCloud("workload", o.Profile)
	if err != nil {
		return nil, err
	}
	defer cloud.Close()
	key, err := chance.Fresh().Stream("workload").Key("ecdsa-p256")
	if err != nil {
		return nil, err
	}
	csr, err := pki.Request(key, c.names(o.Profile))
	if err != nil {
		return nil, err
	}
	if o.TransactionID == "" {
		o.TransactionID = "tx-" + strings.ToLower(rand.Text()[:12])
	}
	t, err := cloud.Do(ctx, http.MethodPost, "/api/v1/transactions", seal.Object{
		"transaction_id": o.TransactionID, "workload_profile": o.Profile, "csr": seal.Base64(csr),
		"names":               seal.Strings(c.names(o.Profile)),
		"extended_key_usages": seal.Strings([]string{"clientAuth", "serverAuth"}),
		"lifetime_seconds":    int64(o.Lifetime / time.Second),
	})
	if err != nil {
		return nil, asRefused(err)
	}
	return c.decided(ctx, cloud, t)
}

// transactionPath is where the cloud has a transaction.
func transactionPath(id string) string { return "/api/v1/transactions/" + url.PathEscape(id) }

// Evidence exports the portable proof of a transaction, and waits so long for
// witnesses. Then it collects the trust file, so that it has every key of the proof:
// an order that no one waited for may have been carried out since.
func (c Customer) Evidence(ctx context.Context, transactionID string, wait time.Duration) (seal.Object, error) {
	bundle, err := c.Call(ctx, "ada", transactionPath(transactionID)+"/evidence",
		seal.Object{"wait_seconds": int64(wait / time.Second)})
	if err != nil {
		return nil, err
	}
	return bundle, c.Collect(ctx)
}

// ModeFile is the file that sets how the collector behaves.
func (l *Layout) ModeFile() string { return l.path("collector", "mode") }

// SetCollectorMode changes how the collector behaves, soon.
func (d *Deployment) SetCollectorMode(name string) error {
	mode, err := collector.ParseMode(name)
	if err != nil {
		return err
	}
	return pki.WriteFile(d.ModeFile(), []byte(mode+"\n"), 0o600)
}

// callTimeout is how long a call to the deployment may take, besides its wait.
const callTimeout = time.Minute

// Customer calls a deployment, as its operators, workloads and observers do.
type Customer struct{ *Layout }

// credentials returns the authorities that a caller trusts and the caller's certificate.
func (c Customer) credentials(authority, role, name string) (*x509.CertPool, tls.Certificate, error) {
	a, err := openAuthority(c.path("authorities"), authority)
	if err != nil {
		return nil, tls.Certificate{}, err
	}
	file := c.Client(role, name)
	identity, err := tls.LoadX509KeyPair(file, keyFile(file))
	return a.pool(), identity, err
}

// CallCloud returns a client of the cloud with the certificate of an operator
// or a workload.
func (c Customer) CallCloud(role, name string) (*httpd.Client, error) {
	roots, identity, err := c.credentials(partCloud, role, name)
	if err != nil {
		return nil, err
	}
	return httpd.NewClient(httpd.ClientConfig{URL: "https://" + c.At[partCloud], Roots: roots, Identity: identity,
		Timeout: callTimeout}), nil
}

// Transport carries the calls of the console to the cloud, with the certificate
// of the operator as whom it acts.
func (c Customer) Transport(operator string) (http.RoundTripper, error) {
	roots, identity, err := c.credentials(partCloud, "operator", operator)
	if err != nil {
		return nil, err
	}
	return httpd.Transport(&tls.Config{
		MinVersion: tls.VersionTLS13, RootCAs: roots, Certificates: []tls.Certificate{identity},
	}, callTimeout), nil
}

// Collect writes trust.json as the customer would: the cloud's keys as its
// operators hand them over, and each node's keys from the node's own directory.
func (c Customer) Collect(ctx context.Context) error {
	keys, err := c.Call(ctx, "ada", "/api/v1/keys", nil)
	if err != nil {
		return err
	}
	nodes := seal.Object{}
	for _, id := range c.Nodes {
		if err := c.collectNode(id, nodes); err != nil {
			return err
		}
	}
	trust := seal.Line(seal.Object{
		"audit_keys": keys["audit_keys"], "protected_signer_keys": keys["protected_signer_keys"],
		"registries": keys["registries"],
		"nodes":      nodes, "minimum_audit_witnesses": c.Witnesses(),
	})
	if old, err := os.ReadFile(c.TrustFile()); err == nil && bytes.Equal(old, trust) {
		return nil
	}
	return pki.WriteFile(c.TrustFile(), trust, 0o644)
}

// collectNode enters every key generation of a node.
func (c Customer) collectNode(id string, nodes seal.Object) error {
	for generation := int64(1); ; generation++ {
		key, err := agent.ReadKey(filepath.Join(c.Node(id), "state"), id, generation)
		if errors.Is(err, fs.ErrNotExist) && generation > 1 {
			return nil
		}
		if err != nil {
			return err
		}
		nodes[key.ID] = seal.Base64(key.Public())
	}
}

// TrustFile is where the pinned keys are.
func (l *Layout) TrustFile() string { return l.path("trust.json") }

// Witnesses is how many nodes must witness a checkpoint: more than half of
// them, so that no two halves can witness two histories.
func (l *Layout) Witnesses() int64 { return int64(len(l.Nodes)/2 + 1) }
