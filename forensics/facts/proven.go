package facts

import (
	"fmt"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// SignedCheckpoint is a checkpoint under a pinned audit key.
type SignedCheckpoint struct {
	SHA256   chain.Hash `json:"sha256"` // of the statement
	Sequence uint64     `json:"sequence"`
	Head     chain.Hash `json:"head_hash"`
	KeyID    string     `json:"key_id"`
}

// BundleTestimony has the statements of a bundle that verifies, or why it does not.
type BundleTestimony struct {
	SHA256  chain.Hash     `json:"sha256"` // of the document
	Verdict verify.Verdict `json:"verdict"`

	// Of one that does not verify; at most MaxText bytes, and "..." if it was cut.
	Failure string `json:"failure,omitempty"`

	// Of one that does not verify: the keys and registries that the trust file lacks. It is
	// inconclusive if nothing else is wrong with it.
	UnknownKeys []string `json:"unknown_keys,omitempty"`

	// Of one that verifies.
	TenantID      string           `json:"tenant_id,omitempty"`
	TransactionID string           `json:"transaction_id,omitempty"`
	Status        string           `json:"status,omitempty"`
	Serial        string           `json:"certificate_serial,omitempty"`
	Standing      verify.Standing  `json:"-"`
	Approvals     []Part           `json:"approvals,omitempty"`
	Decisions     []Part           `json:"decisions,omitempty"` // the customer's and the service's
	Capability    []Part           `json:"capability,omitempty"`
	Witnesses     []Part           `json:"witnesses,omitempty"` // with the digest of the checkpoint
	Events        []DisclosedEvent `json:"events,omitempty"`
}

// Part is a statement in a bundle that verifies. Members that its kind does not have are empty.
type Part struct {
	SHA256   chain.Hash `json:"sha256"` // of the statement that logs record
	NodeID   string     `json:"node_id,omitempty"`
	Domain   string     `json:"trust_domain,omitempty"`
	Decision string     `json:"decision,omitempty"`
	At       Millis     `json:"at"` // when it was made
}

// DisclosedEvent is an event of the tenant log that a bundle discloses.
type DisclosedEvent struct {
	Type     string     `json:"type"`
	Sequence uint64     `json:"sequence"`
	Hash     chain.Hash `json:"hash"`
	Manifest chain.Hash `json:"manifest_sha256"`
}

// KindBundle is the kind of a document of a case that is a bundle.
const KindBundle = "bundle"

// compareBundle verifies a bundle for a comparison.
func (t *Testimony) compareBundle(in *bundle.Input, root *trust.Root) {
	if in.Bundle != nil {
		if c, refusal := trust.Open(root, in.Bundle.Checkpoint); refusal == nil {
			t.Checkpoint = signedCheckpoint(c)
		}
	}
	report := verify.Verify(in, root, verify.Policy{})
	t.Bundle = &BundleTestimony{SHA256: in.SHA256, Verdict: report.Verdict}
	if report.Verdict != verify.Verified {
		f := report.Failure()
		t.Bundle.UnknownKeys = report.UnknownKeys.Names()
		if u := report.UnknownKeys; u != nil && u.MayBeGood {
			t.Bundle.Verdict = verify.Inconclusive
		}
		t.Bundle.Failure = safetext.Cut(fmt.Sprintf("%s at %s: %s", f.Code, safetext.Quote(f.Path), f.Reason), MaxText)
		return
	}
	t.Bundle.TenantID, t.Bundle.TransactionID = report.Result.TenantID, report.Result.TransactionID
	t.Bundle.Status, t.Bundle.Serial = report.Result.Status, report.Result.CertificateSerial
	t.Bundle.Standing = report.Result.Standing
	t.Bundle.takeStatements(in.Bundle)
}

func signedCheckpoint(c trust.Opened[bundle.Checkpoint]) *SignedCheckpoint {
	return &SignedCheckpoint{c.Digest, c.Statement.Sequence, c.Statement.Head, c.Key.ID}
}

// About describes a bundle that verifies.
func (t *BundleTestimony) About() *verify.About {
	return &verify.About{TenantID: t.TenantID, TransactionID: t.TransactionID, CertificateSerial: t.Serial,
		Status: t.Status, Standing: t.Standing}
}

// takeStatements adds the statements and events of a bundle that verifies.
func (t *BundleTestimony) takeStatements(b *bundle.Bundle) {
	for _, a := range b.Approvals {
		s := a.Unverified()
		t.Approvals = append(t.Approvals, Part{SHA256: a.Digest(), NodeID: s.NodeID, Decision: s.Decision,
			At: millis(s.DecidedAt)})
	}
	for _, d := range []trust.Sealed[bundle.Decision]{b.Customer, b.Service} {
		s := d.Unverified()
		t.Decisions = append(t.Decisions, Part{SHA256: d.Digest(), NodeID: s.NodeID, Domain: s.TrustDomain,
			Decision: s.Decision, At: millis(s.DecidedAt)})
	}
	for _, c := range b.Capability {
		s := c.Unverified()
		t.Capability = append(t.Capability, Part{SHA256: c.Digest(), NodeID: s.NodeID, At: millis(s.ObservedAt)})
	}
	for _, r := range b.Witnesses {
		s := r.Unverified()
		t.Witnesses = append(t.Witnesses, Part{SHA256: s.Checkpoint, NodeID: s.NodeID, At: millis(s.WitnessedAt)})
	}
	for _, l := range b.Path {
		if l.Event != nil {
			e := l.Event.Unverified()
			t.Events = append(t.Events, DisclosedEvent{e.Type, e.Link.Sequence, e.Recorded, e.Manifest})
		}
	}
}
