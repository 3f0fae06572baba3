package crosscheck

import (
	"fmt"
	"time"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// Testimony is what a comparison takes from a document under a trust file. It depends
// on the document's bytes, the trust file and the rules only, and holds no body: of a
// statement it has the digest, and what records of it must agree with (SPEC 19.7).
type Testimony struct {
	Checkpoint *SignedCheckpoint // that a pinned audit key signed; nil if there is none
	Bundle     *BundleTestimony  // nil for other documents
}

// SignedCheckpoint is a checkpoint under a pinned audit key.
type SignedCheckpoint struct {
	SHA256   chain.Hash // of the statement
	Sequence uint64
	Head     chain.Hash
	KeyID    string
}

// BundleTestimony is what a bundle says, if it verifies, and else why it does not.
type BundleTestimony struct {
	SHA256  chain.Hash // of the document
	Verdict verify.Verdict
	Failure string // of one that does not verify; at most MaxText octets, and "..." if it was cut

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

// Part is a statement in a bundle that verifies. What its kind does not have is empty.
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

// MaxText bounds the failure of a bundle.
const MaxText = 4 << 10

// KindBundle is the kind of a document of a case that is a bundle.
const KindBundle = "bundle"

// TestimonyOf returns what a document of a kind says under a trust file. Kinds are
// those of casefile.Document.
func TestimonyOf(kind string, doc []byte, root *trust.Root) *Testimony {
	if kind == KindBundle {
		return bundleTestimony(doc, root)
	}
	v, fault := ijson.Parse(doc)
	if fault != nil || !bundle.IsCheckpoint(v) {
		return &Testimony{} // for the walk to name
	}
	c, fault := bundle.ReadCheckpoint(v)
	if fault != nil {
		return &Testimony{}
	}
	return &Testimony{Checkpoint: openCheckpoint(c, root)}
}

// openCheckpoint returns a checkpoint that a pinned audit key signed, else nil.
func openCheckpoint(c trust.Sealed[bundle.Checkpoint], root *trust.Root) *SignedCheckpoint {
	opened, refusal := trust.Open(root, c)
	if refusal != nil {
		return nil
	}
	return &SignedCheckpoint{opened.Digest, opened.Statement.Sequence, opened.Statement.Head, opened.Key.ID}
}

func bundleTestimony(doc []byte, root *trust.Root) *Testimony {
	in, t := bundle.Open(doc), &Testimony{}
	if in.Bundle != nil {
		t.Checkpoint = openCheckpoint(in.Bundle.Checkpoint, root)
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
		return t
	}
	t.Bundle.TenantID, t.Bundle.TransactionID = report.Result.TenantID, report.Result.TransactionID
	t.Bundle.Status, t.Bundle.Serial = report.Result.Status, report.Result.CertificateSerial
	t.Bundle.Standing = report.Result.Standing
	t.Bundle.parts(in.Bundle)
	return t
}

// About returns what a bundle says that verifies.
func (t *BundleTestimony) About() *verify.About {
	return &verify.About{TenantID: t.TenantID, TransactionID: t.TransactionID, CertificateSerial: t.Serial,
		Status: t.Status, Standing: t.Standing}
}

// parts takes the statements and events of a bundle that verifies.
func (t *BundleTestimony) parts(b *bundle.Bundle) {
	for _, a := range b.Approvals {
		s := a.Unverified()
		t.Approvals = append(t.Approvals, Part{SHA256: a.Digest(), NodeID: s.NodeID, Decision: s.Decision,
			At: ms(s.DecidedAt)})
	}
	for _, d := range []trust.Sealed[bundle.Decision]{b.Customer, b.Service} {
		s := d.Unverified()
		t.Decisions = append(t.Decisions, Part{SHA256: d.Digest(), NodeID: s.NodeID, Domain: s.TrustDomain,
			Decision: s.Decision, At: ms(s.DecidedAt)})
	}
	for _, c := range b.Capability {
		s := c.Unverified()
		t.Capability = append(t.Capability, Part{SHA256: c.Digest(), NodeID: s.NodeID, At: ms(s.ObservedAt)})
	}
	for _, r := range b.Witnesses {
		s := r.Unverified()
		t.Witnesses = append(t.Witnesses, Part{SHA256: s.Checkpoint, NodeID: s.NodeID, At: ms(s.WitnessedAt)})
	}
	for _, l := range b.Path {
		if l.Event != nil {
			e := l.Event.Unverified()
			t.Events = append(t.Events, DisclosedEvent{e.Type, e.Link.Sequence, e.Recorded, e.Manifest})
		}
	}
}

func ms(t time.Time) int64 { return t.UnixMilli() }
