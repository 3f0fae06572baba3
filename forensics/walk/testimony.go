package walk

import (
	"cmp"
	"fmt"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
)

// Testimony is what a document says of a log under a trust file: all that a walk takes
// from it. It depends on the document's bytes, the trust file and the rules only, and
// holds nothing of a body but the type and the transaction of disclosed events (SPEC
// 19.7).
type Testimony struct {
	Log      facts.Log // zero for a document that cannot be read
	Sequence uint64    // that the statement is about; 0 for a document that cannot be read

	Uses   []PartUse    // of its signed parts, in their order
	Anchor *Attested    // nil if it anchors nothing
	Known  []KnownEvent // that its path proves, each sequence once; By and Name are for the walk to fill in
	Fault  *Fault       // nil if nothing is wrong with it
}

// PartUse is a signed part of a document: the key that it names, and how it stands to
// the trust file.
type PartUse struct {
	Kind    Signed
	KeyID   string
	By      trust.Signatory
	Pinning Pinning
}

// Pinning says how a statement stands to the trust file.
type Pinning string

// The pinnings of a statement.
const (
	KeyHolds    Pinning = "holds"      // the signature holds
	KeyFails    Pinning = "fails"      // it does not, under a pinned key
	KeyUnpinned Pinning = "unpinned"   // no key of this id is pinned for the role
	KeyOfOther  Pinning = "other-node" // the key is another node's
)

// Attested is the hash that a statement names, under a signature that holds.
type Attested struct {
	By   AnchorKind
	Hash chain.Hash
	At   int64 // when it was made, milliseconds since 1970
}

// Fault is what is wrong with a document.
type Fault struct {
	Code            finding.Code
	Expected, Found string // each at most MaxText octets, and "..." if it was cut
}

// MaxText bounds the texts of a [Fault].
const MaxText = 4 << 10

// TestimonyOf returns what a document says under a trust file.
func TestimonyOf(doc []byte, root *trust.Root) *Testimony {
	v, fault := ijson.Parse(doc)
	if fault != nil {
		return malformed("one JSON document", fault.Error())
	}
	protocol, enveloped := bundle.ProtocolOf(v)
	switch {
	case protocol == bundle.ProtocolBundle:
		return bundleTestimony(doc, root)
	case bundle.IsCheckpoint(v):
		return checkpointTestimony(v, root)
	case enveloped && protocol == bundle.ProtocolCursor:
		return cursorTestimony(v, root)
	}
	return malformed("a bundle, a checkpoint or an export cursor", "a document of protocol "+protocol)
}

func malformed(expected, found string) *Testimony {
	t := &Testimony{}
	t.fault(finding.DocumentMalformed, expected, found)
	return t
}

func (t *Testimony) fault(code finding.Code, expected, found string) {
	t.Fault = &Fault{code, safetext.Cut(expected, MaxText), safetext.Cut(found, MaxText)}
}

// bundleTestimony takes the checkpoint of a bundle with its witnesses. Whether the
// bundle as a whole is genuine is asked elsewhere.
func bundleTestimony(doc []byte, root *trust.Root) *Testimony {
	b := bundle.Open(doc)
	if b.Bundle == nil {
		return malformed("a bundle", b.Faults[0].Error())
	}
	c := b.Bundle.Checkpoint.Unverified()
	t := &Testimony{Log: facts.Log{TenantID: c.TenantID, LogID: c.LogID}, Sequence: c.Sequence}
	use(t, root, b.Bundle.Approvals...)
	use(t, root, b.Bundle.Customer, b.Bundle.Service)
	use(t, root, b.Bundle.Capability...)
	use(t, root, b.Bundle.Receipt)
	if r := b.Bundle.Revocation; r != nil {
		use(t, root, *r)
	}
	need, have := max(int64(root.MinimumWitnesses()), c.RequiredWitnesses), int64(t.witnesses(b.Bundle, root))
	by := Checkpoint
	if need > 0 && have >= need {
		by = WitnessedCheckpoint
	}
	if !t.checkpoint(b.Bundle.Checkpoint, root, by) {
		return t
	}
	t.disclose(b.Bundle)
	if have < need {
		t.fault(finding.CheckpointUnderQuorum, fmt.Sprintf("receipts of at least %d distinct witnesses", need),
			fmt.Sprint(have))
	}
	return t
}

// use takes statements in a bundle that are sealed alike.
func use[T trust.Statement](t *Testimony, root *trust.Root, sealed ...trust.Sealed[T]) {
	for _, part := range sealed {
		_, refusal := trust.Open(root, part)
		t.use(SignedParts, part.Envelope, part.Unverified().Signatory(), refusal)
	}
}

func (t *Testimony) use(kind Signed, e trust.Envelope, by trust.Signatory, refusal *finding.InDocument) {
	t.Uses = append(t.Uses, PartUse{kind, e.KeyID, by, pinningOf(refusal)})
}

// witnesses counts the distinct witnesses of a bundle's checkpoint, as a quorum
// does (SPEC 5.3).
func (t *Testimony) witnesses(b *bundle.Bundle, root *trust.Root) int {
	checkpoint, digest := b.Checkpoint.Unverified(), chain.Hash(b.Checkpoint.Digest())
	var keys []trust.Key
	for _, sealed := range b.Witnesses {
		receipt, refusal := trust.Open(root, sealed)
		t.use(SignedParts, sealed.Envelope, sealed.Unverified().Signatory(), refusal)
		if r := receipt.Statement; refusal == nil && r.Checkpoint == digest && r.Sequence == checkpoint.Sequence &&
			r.Head == checkpoint.Head && r.LogID == checkpoint.LogID && r.TenantID == checkpoint.TenantID {
			keys = append(keys, receipt.Key)
		}
	}
	return trust.Distinct(keys)
}

// checkpoint opens a checkpoint and takes it as an anchor, or says why not.
func (t *Testimony) checkpoint(sealed trust.Sealed[bundle.Checkpoint], root *trust.Root, by AnchorKind) bool {
	c := sealed.Unverified()
	_, refusal := trust.Open(root, sealed)
	t.use(SignedCheckpoints, sealed.Envelope, c.Signatory(), refusal)
	if refusal != nil {
		t.fault(anchorCodes[defectOf(refusal)], refusal.Expected, refusal.Found)
		return false
	}
	t.Anchor = &Attested{By: by, Hash: c.Head, At: c.CreatedAt.UnixMilli()}
	return true
}

// checkpointTestimony takes a checkpoint that stands alone (SPEC 5.1).
func checkpointTestimony(v *ijson.Value, root *trust.Root) *Testimony {
	sealed, fault := bundle.ReadCheckpoint(v)
	if fault != nil {
		return malformed("a checkpoint", fault.Error())
	}
	c := sealed.Unverified()
	t := &Testimony{Log: facts.Log{TenantID: c.TenantID, LogID: c.LogID}, Sequence: c.Sequence}
	t.checkpoint(sealed, root, Checkpoint)
	return t
}

// cursorTestimony takes an export cursor (SPEC 9.3).
func cursorTestimony(v *ijson.Value, root *trust.Root) *Testimony {
	sealed, fault := bundle.ReadCursor(v)
	if fault != nil {
		return malformed("an export cursor", fault.Error())
	}
	c := sealed.Unverified()
	t := &Testimony{Log: facts.JournalOf(c.TenantID, c.NodeID), Sequence: c.Sequence}
	_, refusal := trust.Open(root, sealed)
	t.use(SignedCursors, sealed.Envelope, c.Signatory(), refusal)
	if refusal != nil {
		t.fault(anchorCodes[defectOf(refusal)], refusal.Expected, refusal.Found)
		return t
	}
	t.Anchor = &Attested{By: ExportCursor, Hash: c.Hash, At: c.CommittedAt.UnixMilli()}
	return t
}

// disclose takes what the path of a bundle proves, whose checkpoint was verified.
func (t *Testimony) disclose(b *bundle.Bundle) {
	path := chain.Path{Genesis: chain.Genesis(t.Log.TenantID, t.Log.LogID),
		Head: chain.Anchor{Sequence: t.Sequence, Hash: t.Anchor.Hash}}
	for _, l := range b.Path {
		path.Steps = append(path.Steps, chain.PathStep{Link: l.Link, Disclosed: l.Event != nil})
	}
	if len(path.Check()) > 0 {
		return // for the bundle's own verification to name
	}
	at := map[uint64]int{}
	for _, l := range b.Path {
		for _, k := range namedBy(l.Link, l.Link.Hash()) {
			if k.Sequence == l.Link.Sequence && l.Event != nil {
				e := l.Event.Unverified()
				k.Disclosed, k.Type, k.TransactionID = true, e.Type, e.TransactionID
			}
			i, here := at[k.Sequence]
			switch {
			case !here:
				at[k.Sequence] = len(t.Known)
				t.Known = append(t.Known, k)
			case k.Disclosed && !t.Known[i].Disclosed:
				t.Known[i] = k
			}
		}
	}
}

// anchorCodes are the codes of checkpoints and cursors that were not opened, by what is wrong.
var anchorCodes = map[finding.Defect]finding.Code{
	finding.UnknownKey:     finding.AnchorKeyUnknown,
	finding.OthersKey:      finding.CursorKeyOfOtherNode,
	finding.WrongSignature: finding.AnchorSignatureInvalid,
}

// defectOf returns what is wrong with a statement that was refused.
func defectOf(why *finding.InDocument) finding.Defect {
	return why.Code.Entry().Defect
}

// pinningOf says how a statement that was opened, or refused, stands to the trust
// file.
func pinningOf(why *finding.InDocument) Pinning {
	if why == nil {
		return KeyHolds
	}
	pinnings := map[finding.Defect]Pinning{finding.UnknownKey: KeyUnpinned, finding.OthersKey: KeyOfOther}
	return cmp.Or(pinnings[defectOf(why)], KeyFails)
}
