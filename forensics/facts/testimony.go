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

// Testimony is all that a walk and a comparison take from a document under a trust file. It
// depends on the document's bytes, the trust file and the rules only. It holds no body: of a
// disclosed event it has the type and the transaction, and of a statement the digest and the
// values that records of it must agree with (SPEC 19.7).
type Testimony struct {
	// For a walk.
	Log      Log          // zero for a document that cannot be read
	Sequence uint64       // that the statement is about; 0 for a document that cannot be read
	Uses     []PartUse    // of its signed parts, in their order
	Anchor   *Attested    // nil if it anchors nothing
	Known    []KnownEvent // that its path proves, each sequence once; By and Name are for the walk to fill in
	Fault    *Fault       // nil if nothing is wrong with it

	// For a comparison.
	Checkpoint *SignedCheckpoint // that a pinned audit key signed; nil if there is none
	Bundle     *BundleTestimony  // nil for other documents
}

// Asked selects members of a testimony. The others are zero.
type Asked uint8

// The values of Asked.
const (
	ForWalk Asked = 1 << iota
	ForComparison
)

// Testimony returns the testimony of a document under a trust file: from its bytes, or
// from the two objects in their place.
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

// MaxText bounds the texts of a [Fault].
const MaxText = 4 << 10

// TestimonyOf returns the testimony of a document of a kind, as [Document] has it, under a
// trust file.
func TestimonyOf(kind string, doc []byte, root *trust.Root, asked Asked) *Testimony {
	t := &Testimony{}
	var in *bundle.Input
	if kind == KindBundle {
		if in = bundle.Open(doc); asked&ForComparison != 0 {
			t.compareBundle(in, root)
		}
	}
	switch {
	case in == nil || in.Bundle == nil:
		t.takeDocument(doc, root)
	case asked&ForWalk != 0:
		t.takeBundle(in, root)
	}
	switch asked {
	case ForWalk:
		t.Checkpoint = nil
	case ForComparison:
		t = &Testimony{Checkpoint: t.Checkpoint, Bundle: t.Bundle}
	}
	return t
}

// takeDocument adds the members for a walk, and a checkpoint that is alone.
func (t *Testimony) takeDocument(doc []byte, root *trust.Root) {
	v, fault := ijson.Parse(doc)
	if fault != nil {
		t.setMalformed("one JSON document", fault.Error())
		return
	}
	protocol, enveloped := bundle.ProtocolOf(v)
	switch {
	case protocol == bundle.ProtocolBundle:
		t.takeBundle(bundle.Open(doc), root)
	case bundle.IsCheckpoint(v):
		t.takeCheckpoint(v, root)
	case enveloped && protocol == bundle.ProtocolCursor:
		t.takeCursor(v, root)
	default:
		t.setMalformed("a bundle, a checkpoint or an export cursor", "a document of protocol "+protocol)
	}
}

func (t *Testimony) setMalformed(expected, found string) {
	t.setFault(finding.DocumentMalformed, expected, found)
}

func (t *Testimony) setFault(code finding.Code, expected, found string) {
	t.Fault = &Fault{code, safetext.Cut(expected, MaxText), safetext.Cut(found, MaxText)}
}

// takeBundle adds the checkpoint of a bundle with its witnesses. Whether the
// bundle as a whole is genuine is asked elsewhere.
func (t *Testimony) takeBundle(b *bundle.Input, root *trust.Root) {
	if b.Bundle == nil {
		t.setMalformed("a bundle", b.Faults[0].Error())
		return
	}
	c := b.Bundle.Checkpoint.Unverified()
	t.Log, t.Sequence = Log{c.TenantID, c.LogID}, c.Sequence
	addUses(t, root, b.Bundle.Approvals...)
	addUses(t, root, b.Bundle.Customer, b.Bundle.Service)
	addUses(t, root, b.Bundle.Capability...)
	addUses(t, root, b.Bundle.Receipt)
	if r := b.Bundle.Revocation; r != nil {
		addUses(t, root, *r)
	}
	need, have := max(int64(root.MinimumWitnesses()), c.RequiredWitnesses), int64(t.countWitnesses(b.Bundle, root))
	by := Checkpoint
	if need > 0 && have >= need {
		by = WitnessedCheckpoint
	}
	if t.openAnchor(b.Bundle.Checkpoint, root, by) == nil {
		return
	}
	t.takePath(b.Bundle)
	if have < need {
		t.setFault(finding.CheckpointUnderQuorum, fmt.Sprintf("receipts of at least %d distinct witnesses", need),
			fmt.Sprint(have))
	}
}

// addUses adds statements in a bundle that are sealed alike.
func addUses[T trust.Statement](t *Testimony, root *trust.Root, sealed ...trust.Sealed[T]) {
	for _, part := range sealed {
		_, refusal := trust.Open(root, part)
		t.addUse(SignedParts, part.Envelope, part.Unverified().Signatory(), refusal)
	}
}

func (t *Testimony) addUse(kind StatementKind, e trust.Envelope, by trust.Signatory, refusal *finding.InDocument) {
	t.Uses = append(t.Uses, PartUse{kind, e.KeyID, by.Role, by.Node, pinningOf(refusal)})
}

// countWitnesses counts the distinct witnesses of a bundle's checkpoint, as a quorum
// does (SPEC 5.3).
func (t *Testimony) countWitnesses(b *bundle.Bundle, root *trust.Root) int {
	checkpoint, digest := b.Checkpoint.Unverified(), chain.Hash(b.Checkpoint.Digest())
	var keys []trust.Key
	for _, sealed := range b.Witnesses {
		receipt, refusal := trust.Open(root, sealed)
		t.addUse(SignedParts, sealed.Envelope, sealed.Unverified().Signatory(), refusal)
		if r := receipt.Statement; refusal == nil && r.Checkpoint == digest && r.Sequence == checkpoint.Sequence &&
			r.Head == checkpoint.Head && r.LogID == checkpoint.LogID && r.TenantID == checkpoint.TenantID {
			keys = append(keys, receipt.Key)
		}
	}
	return trust.Distinct(keys)
}

// openAnchor opens a checkpoint and adds it as an anchor. It returns nil, and sets the fault,
// if no pinned audit key signed it.
func (t *Testimony) openAnchor(sealed trust.Sealed[bundle.Checkpoint], root *trust.Root,
	by AnchorKind) *SignedCheckpoint {
	opened, refusal := trust.Open(root, sealed)
	c := sealed.Unverified()
	t.addUse(SignedCheckpoints, sealed.Envelope, c.Signatory(), refusal)
	if refusal != nil {
		t.setFault(anchorCodes[defectOf(refusal)], refusal.Expected, refusal.Found)
		return nil
	}
	t.Anchor = &Attested{By: by, Hash: c.Head, At: millis(c.CreatedAt)}
	return signedCheckpoint(opened)
}

// takeCheckpoint adds a checkpoint that is alone (SPEC 5.1).
func (t *Testimony) takeCheckpoint(v *ijson.Value, root *trust.Root) {
	sealed, fault := bundle.ReadCheckpoint(v)
	if fault != nil {
		t.setMalformed("a checkpoint", fault.Error())
		return
	}
	c := sealed.Unverified()
	t.Log, t.Sequence = Log{c.TenantID, c.LogID}, c.Sequence
	if signed := t.openAnchor(sealed, root, Checkpoint); t.Bundle == nil {
		t.Checkpoint = signed
	}
}

// takeCursor adds an export cursor (SPEC 9.3).
func (t *Testimony) takeCursor(v *ijson.Value, root *trust.Root) {
	sealed, fault := bundle.ReadCursor(v)
	if fault != nil {
		t.setMalformed("an export cursor", fault.Error())
		return
	}
	c := sealed.Unverified()
	t.Log, t.Sequence = JournalOf(c.TenantID, c.NodeID), c.Sequence
	_, refusal := trust.Open(root, sealed)
	t.addUse(SignedCursors, sealed.Envelope, c.Signatory(), refusal)
	if refusal != nil {
		t.setFault(anchorCodes[defectOf(refusal)], refusal.Expected, refusal.Found)
		return
	}
	t.Anchor = &Attested{By: ExportCursor, Hash: c.Hash, At: millis(c.CommittedAt)}
}

// takePath adds the events that the path of a bundle proves. Its checkpoint was verified.
func (t *Testimony) takePath(b *bundle.Bundle) {
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

// anchorCodes are the codes of checkpoints and cursors that were not opened, by defect.
var anchorCodes = map[finding.Defect]finding.Code{
	finding.UnknownKey:     finding.AnchorKeyUnknown,
	finding.OthersKey:      finding.CursorKeyOfOtherNode,
	finding.WrongSignature: finding.AnchorSignatureInvalid,
}

// defectOf returns the defect of a statement that was refused.
func defectOf(why *finding.InDocument) finding.Defect {
	return why.Code.Entry().Defect
}

// pinningOf returns the pinning of a statement that was opened, or refused.
func pinningOf(why *finding.InDocument) Pinning {
	if why == nil {
		return KeyHolds
	}
	pinnings := map[finding.Defect]Pinning{finding.UnknownKey: KeyUnpinned, finding.OthersKey: KeyOfOther}
	return cmp.Or(pinnings[defectOf(why)], KeyFails)
}
