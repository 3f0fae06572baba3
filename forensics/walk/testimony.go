package walk

import (
	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
)

// Testimony is what a document says of a log under a trust file: all that a walk takes
// from it. It depends on the document's bytes, the trust file and the rules only, and
// holds nothing of a body but the type and the transaction of disclosed events (SPEC
// 19.7).
type Testimony struct {
	Log      Log    // zero for a document that cannot be read
	Sequence uint64 // that the statement is about; 0 for a document that cannot be read

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

func malformed(expected, found string) *Testimony {
	t := &Testimony{}
	t.fault(finding.DocumentMalformed, expected, found)
	return t
}

func (t *Testimony) fault(code finding.Code, expected, found string) {
	t.Fault = &Fault{code, safetext.Cut(expected, MaxText), safetext.Cut(found, MaxText)}
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

// The codes of statements that were not opened.
var (
	checkpointCodes = map[finding.Code]finding.Code{
		trust.KeyUnknown:       finding.CheckpointKeyUnknown,
		trust.SignatureInvalid: finding.CheckpointSignatureInvalid,
	}
	cursorCodes = map[finding.Code]finding.Code{
		trust.KeyUnknown:       finding.CursorKeyUnknown,
		trust.KeyOfOtherNode:   finding.CursorKeyOfOtherNode,
		trust.SignatureInvalid: finding.CursorSignatureInvalid,
	}
)
