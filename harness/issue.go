package harness

import (
	"fmt"
	"time"

	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/harness/node"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// Order is the request of a workload.
type Order struct {
	TransactionID string
	Profile       string
	Algorithm     string
	Lifetime      time.Duration
	Names         []string // as in terms, SPEC 7.3
	Usages        []string // as in terms, SPEC 7.2
}

// Request makes the workload's key and opens a transaction under the policy in
// force.
func (w *World) Request(o Order) (*cloud.Transaction, error) {
	stream := w.source.Stream("workload " + o.TransactionID)
	w.Keys.Workload[o.TransactionID] = seal.Must(stream.Key(o.Algorithm))
	names := seal.SortedStrings(o.Names)
	terms := seal.Object{
		"workload_profile":    o.Profile,
		"algorithm":           o.Algorithm,
		"lifetime_seconds":    int64(o.Lifetime / time.Second),
		"policy_version":      w.Cloud.Policy()["version"],
		"policy_sha256":       seal.Digest(w.Cloud.Policy()),
		"required_approvals":  int64(2),
		"names":               names,
		"extended_key_usages": seal.SortedStrings(o.Usages),
	}
	csr := seal.Must(pki.ReadRequest(w.csr(o.TransactionID, terms)))
	terms["public_key_sha256"] = seal.SHA256(csr.RawSubjectPublicKeyInfo)
	if err := w.Cloud.Request(o.TransactionID, terms); err != nil {
		return nil, err
	}
	return w.Cloud.Transaction(o.TransactionID)
}

// csr is the workload's certificate signing request.
func (w *World) csr(transactionID string, terms seal.Object) []byte {
	return seal.Must(pki.Request(w.Keys.Workload[transactionID], seal.Texts(terms, "names")))
}

// Observe lets a node observe a capability that the policy demands of the transaction's
// workload, and adds the evidence to the transaction.
func (w *World) Observe(t *cloud.Transaction, n *node.Node, capability string) error {
	evidence := n.Observe(seal.Text(t.Case.Terms, "workload_profile"), capability)
	return w.Cloud.AddCapability(t, evidence)
}

// Approve asks nodes, one after another, for their approval.
func (w *World) Approve(t *cloud.Transaction, nodes ...*node.Node) error {
	for _, n := range nodes {
		if err := w.Cloud.RecordApproval(t, n.Approve(t.Case)); err != nil {
			return err
		}
	}
	return nil
}

// Decide asks the node for the customer's decision and lets the service make
// its own.
func (w *World) Decide(t *cloud.Transaction, n *node.Node) error {
	if err := w.Cloud.RecordCustomerDecision(t, n.Decide(t.Case)); err != nil {
		return err
	}
	w.Cloud.Decide(t)
	return nil
}

// Complete has the signer issue the certificate and the cloud log it.
func (w *World) Complete(t *cloud.Transaction) error {
	issued, err := w.Signer.Issue(t.Case, w.csr(t.Case.TransactionID, t.Case.Terms))
	if err != nil {
		return fmt.Errorf("signer: %w", err)
	}
	return w.Cloud.Complete(t, issued)
}

// Issue plays a whole issuance. The first of the approvers makes the
// customer's decision.
func (w *World) Issue(o Order, approvers ...*node.Node) (*cloud.Transaction, error) {
	t, err := w.Request(o)
	if err != nil {
		return nil, err
	}
	if err := w.Approve(t, approvers...); err != nil {
		return nil, err
	}
	if err := w.Decide(t, approvers[0]); err != nil {
		return nil, err
	}
	return t, w.Complete(t)
}

// Revoke has the signer revoke the transaction's certificate and the cloud log
// it.
func (w *World) Revoke(t *cloud.Transaction, reason string) error {
	receipt, registry, err := w.Signer.Revoke(t.Case.TransactionID, reason)
	if err != nil {
		return fmt.Errorf("signer: %w", err)
	}
	return w.Cloud.RecordRevocation(t, receipt, registry)
}

// Witness has the cloud make a checkpoint and these nodes witness it.
func (w *World) Witness(nodes ...*node.Node) error {
	checkpoint := w.Cloud.Checkpoint()
	if n := len(w.checkpoints); n == 0 || seal.StatementDigest(w.checkpoints[n-1]) != seal.StatementDigest(checkpoint) {
		w.checkpoints = append(w.checkpoints, checkpoint)
	}
	for _, n := range nodes {
		receipt, err := n.Witness(checkpoint, w.Cloud.Links(n.Witnessed()))
		if err != nil {
			return fmt.Errorf("node %s: %w", n.ID(), err)
		}
		if err := w.Cloud.RecordWitness(receipt); err != nil {
			return err
		}
	}
	return nil
}

// Export makes a checkpoint, has the nodes witness it, and keeps the bundle of
// the transaction.
func (w *World) Export(t *cloud.Transaction, witnesses ...*node.Node) error {
	if err := w.Witness(witnesses...); err != nil {
		return err
	}
	bundle, err := w.Cloud.Export(t)
	if err != nil {
		return err
	}
	w.exports = append(w.exports, Export{t.Case.TransactionID, bundle})
	return nil
}
