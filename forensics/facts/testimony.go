package facts

import (
	"cmp"
	"fmt"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
)

// Testimony is what a document says under a trust file: all that a walk and a comparison
// take from it. It depends on the document's bytes, the trust file and the rules only.
// It holds no body: of a disclosed event it has the type and the transaction, and of a
// statement the digest and what records of it must agree with (SPEC 19.7).
type Testimony struct {
	// What a walk takes.
	Log      Log          // zero for a document that cannot be read
	Sequence uint64       // that the statement is about; 0 for a document that cannot be read
	Uses     []PartUse    // of its signed parts, in their order
	Anchor   *Attested    // nil if it anchors nothing
	Known    []KnownEvent // that its path proves, each sequence once; By and Name are for the walk to fill in
	Fault    *Fault       // nil if nothing is wrong with it

	// What a comparison takes.
	Checkpoint *SignedCheckpoint // that a pinned audit key signed; nil if there is none
	Bundle     *BundleTestimony  // nil for other documents
}

// Asked says what of a testimony somebody asks for. What nobody asks for is zero.
type Asked uint8

// The values of Asked.
const (
	ForWalk Asked = 1 << iota
	ForComparison
)

// Testimony returns what a document says under a trust file: from its bytes, or from what
// is there in their place.
func (d *Document) Testimony(root *trust.Root, asked Asked) (*Testimony, error) {
	if d.Walk == nil && d.Cross == nil {
		return TestimonyOf(d.Kind, d.Bytes, root, asked), nil
	}
	switch asked {
	case ForWalk:
		return ParseTestimony(d.Walk, nil)
	case ForComparison:
		return ParseTestimony(nil, d.Cross)
	}
	return ParseTestimony(d.Walk, d.Cross)
}

// PartUse is a signed part of a document: the key that it names, and how it stands to
// the trust file.
type PartUse struct {
	Kind    StatementKind
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

// TestimonyOf returns what a document of a kind says under a trust file. Kinds are those
// of [Document].
func TestimonyOf(kind string, doc []byte, root *trust.Root, asked Asked) *Testimony {
	t := &Testimony{}
	var in *bundle.Input
	if kind == KindBundle {
		if in = bundle.Open(doc); asked&ForComparison != 0 {
			t.compareBundle(in, root)
		}
	}
	if in == nil || asked&ForWalk != 0 {
		t.take(doc, in, root)
	}
	switch asked {
	case ForWalk:
		t.Checkpoint = nil
	case ForComparison:
		t = &Testimony{Checkpoint: t.Checkpoint, Bundle: t.Bundle}
	}
	return t
}

// take takes from a document what a walk asks, and the checkpoint that stands alone. A
// bundle may be opened.
func (t *Testimony) take(doc []byte, in *bundle.Input, root *trust.Root) {
	v, fault := ijson.Parse(doc)
	if fault != nil {
		t.malformed("one JSON document", fault.Error())
		return
	}
	protocol, enveloped := bundle.ProtocolOf(v)
	switch {
	case protocol == bundle.ProtocolBundle:
		if in == nil {
			in = bundle.Open(doc)
		}
		t.takeBundle(in, root)
	case bundle.IsCheckpoint(v):
		t.takeCheckpoint(v, root)
	case enveloped && protocol == bundle.ProtocolCursor:
		t.takeCursor(v, root)
	default:
		t.malformed("a bundle, a checkpoint or an export cursor", "a document of protocol "+protocol)
	}
}

func (t *Testimony) malformed(expected, found string) {
	t.fault(finding.DocumentMalformed, expected, found)
}

func (t *Testimony) fault(code finding.Code, expected, found string) {
	t.Fault = &Fault{code, safetext.Cut(expected, MaxText), safetext.Cut(found, MaxText)}
}

// takeBundle takes the checkpoint of a bundle with its witnesses. Whether the
// bundle as a whole is genuine is asked elsewhere.
func (t *Testimony) takeBundle(b *bundle.Input, root *trust.Root) {
	if b.Bundle == nil {
		t.malformed("a bundle", b.Faults[0].Error())
		return
	}
	c := b.Bundle.Checkpoint.Unverified()
	t.Log, t.Sequence = Log{c.TenantID, c.LogID}, c.Sequence
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
	if t.checkpoint(b.Bundle.Checkpoint, root, by) == nil {
		return
	}
	t.disclose(b.Bundle)
	if have < need {
		t.fault(finding.CheckpointUnderQuorum, fmt.Sprintf("receipts of at least %d distinct witnesses", need),
			fmt.Sprint(have))
	}
}

// use takes statements in a bundle that are sealed alike.
func use[T trust.Statement](t *Testimony, root *trust.Root, sealed ...trust.Sealed[T]) {
	for _, part := range sealed {
		_, refusal := trust.Open(root, part)
		t.use(SignedParts, part.Envelope, part.Unverified().Signatory(), refusal)
	}
}

func (t *Testimony) use(kind StatementKind, e trust.Envelope, by trust.Signatory, refusal *finding.InDocument) {
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

// checkpoint opens a checkpoint and takes it as an anchor. It returns nil, and says why,
// if no pinned audit key signed it.
func (t *Testimony) checkpoint(sealed trust.Sealed[bundle.Checkpoint], root *trust.Root,
	by AnchorKind) *SignedCheckpoint {
	opened, refusal := trust.Open(root, sealed)
	c := sealed.Unverified()
	t.use(SignedCheckpoints, sealed.Envelope, c.Signatory(), refusal)
	if refusal != nil {
		t.fault(anchorCodes[defectOf(refusal)], refusal.Expected, refusal.Found)
		return nil
	}
	t.Anchor = &Attested{By: by, Hash: c.Head, At: c.CreatedAt.UnixMilli()}
	return signedCheckpoint(opened)
}

// takeCheckpoint takes a checkpoint that stands alone (SPEC 5.1).
func (t *Testimony) takeCheckpoint(v *ijson.Value, root *trust.Root) {
	sealed, fault := bundle.ReadCheckpoint(v)
	if fault != nil {
		t.malformed("a checkpoint", fault.Error())
		return
	}
	c := sealed.Unverified()
	t.Log, t.Sequence = Log{c.TenantID, c.LogID}, c.Sequence
	if signed := t.checkpoint(sealed, root, Checkpoint); t.Bundle == nil {
		t.Checkpoint = signed
	}
}

// takeCursor takes an export cursor (SPEC 9.3).
func (t *Testimony) takeCursor(v *ijson.Value, root *trust.Root) {
	sealed, fault := bundle.ReadCursor(v)
	if fault != nil {
		t.malformed("an export cursor", fault.Error())
		return
	}
	c := sealed.Unverified()
	t.Log, t.Sequence = JournalOf(c.TenantID, c.NodeID), c.Sequence
	_, refusal := trust.Open(root, sealed)
	t.use(SignedCursors, sealed.Envelope, c.Signatory(), refusal)
	if refusal != nil {
		t.fault(anchorCodes[defectOf(refusal)], refusal.Expected, refusal.Found)
		return
	}
	t.Anchor = &Attested{By: ExportCursor, Hash: c.Hash, At: c.CommittedAt.UnixMilli()}
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
		for _, k := range NamedBy(l.Link, l.Link.Hash()) {
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
