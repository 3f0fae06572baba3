package crosscheck

import (
	"time"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/chain"
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

	// Of one that verifies.
	TenantID, TransactionID string
	Status                  string
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

// openCheckpoint returns a checkpoint that a pinned audit key signed, else nil.
func openCheckpoint(c trust.Sealed[bundle.Checkpoint], root *trust.Root) *SignedCheckpoint {
	opened, refusal := trust.Open(root, c)
	if refusal != nil {
		return nil
	}
	return &SignedCheckpoint{opened.Digest, opened.Statement.Sequence, opened.Statement.Head, opened.Key.ID}
}

func ms(t time.Time) int64 { return t.UnixMilli() }
