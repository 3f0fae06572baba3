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
	SHA256   chain.Hash // of the statement
	Sequence uint64
	Head     chain.Hash
	KeyID    string
}

// BundleTestimony has the statements of a bundle that verifies, or why it does not.
type BundleTestimony struct {
	SHA256  chain.Hash // of the document
	Verdict verify.Verdict
	Failure string // of one that does not verify; at most MaxText bytes, and "..." if it was cut

	// Of one that does not verify: the keys and registries that the trust file lacks. It is
	// inconclusive if nothing else is wrong with it.
	UnknownKeys []string

	// Of one that verifies.
	TenantID, TransactionID string
	Status                  string
	Serial                  string
	Standing                verify.Standing
	Approvals               []Part
	Decisions               []Part // the customer's and the service's
	Capability              []Part
	Witnesses               []Part // with the digest of the checkpoint
	Events                  []DisclosedEvent
}

// Part is a statement in a bundle that verifies. Members that its kind does not have are empty.
type Part struct {
	SHA256   chain.Hash // of the statement that logs record
	NodeID   string
	Domain   string
	Decision string
	At       int64 // when it was made, milliseconds since 1970
}

// DisclosedEvent is an event of the tenant log that a bundle discloses.
type DisclosedEvent struct {
	Type     string
	Sequence uint64
	Hash     chain.Hash
	Manifest chain.Hash
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
			At: s.DecidedAt.UnixMilli()})
	}
	for _, d := range []trust.Sealed[bundle.Decision]{b.Customer, b.Service} {
		s := d.Unverified()
		t.Decisions = append(t.Decisions, Part{SHA256: d.Digest(), NodeID: s.NodeID, Domain: s.TrustDomain,
			Decision: s.Decision, At: s.DecidedAt.UnixMilli()})
	}
	for _, c := range b.Capability {
		s := c.Unverified()
		t.Capability = append(t.Capability, Part{SHA256: c.Digest(), NodeID: s.NodeID, At: s.ObservedAt.UnixMilli()})
	}
	for _, r := range b.Witnesses {
		s := r.Unverified()
		t.Witnesses = append(t.Witnesses, Part{SHA256: s.Checkpoint, NodeID: s.NodeID, At: s.WitnessedAt.UnixMilli()})
	}
	for _, l := range b.Path {
		if l.Event != nil {
			e := l.Event.Unverified()
			t.Events = append(t.Events, DisclosedEvent{e.Type, e.Link.Sequence, e.Recorded, e.Manifest})
		}
	}
}
