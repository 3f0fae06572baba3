package facts

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/trust"
)

// Documents returns the testimony as two objects of canonical JSON, for a walk and for a
// comparison, which [ParseTestimony] reads.
func (t *Testimony) Documents() (forWalk, forComparison []byte, err error) {
	if forWalk, err = form.MarshalCanonical(t.walkJSON()); err == nil {
		forComparison, err = form.MarshalCanonical(t.comparisonJSON())
	}
	return forWalk, forComparison, err
}

func (t *Testimony) walkJSON() walkJSON {
	out := walkJSON{Log: t.Log, Sequence: t.Sequence, Uses: t.Uses, Anchor: t.Anchor, Fault: t.Fault}
	for _, k := range t.Known {
		out.Known = append(out.Known, namedJSON{k.Sequence, k.Hash, k.Type, k.TransactionID})
	}
	return out
}

// ParseTestimony reads the two objects of a testimony; one that is nil is left out. It returns
// an error, which is the first fault, for testimony that no document of evidence can have
// given.
func ParseTestimony(forWalk, forComparison []byte) (*Testimony, error) {
	t, err := &Testimony{}, error(nil)
	if forWalk != nil {
		err = form.ReadCanonical(forWalk, MaxTestimony, t.readWalk)
	}
	if forComparison != nil && err == nil {
		err = form.ReadCanonical(forComparison, MaxTestimony, t.readComparison)
	}
	if err != nil {
		return nil, fmt.Errorf("testimony of a document: %w", err)
	}
	return t, nil
}

func (t *Testimony) readWalk(r *form.Reader, v *ijson.Value) {
	o := r.Object(v, "tenant_id?", "log_id?", "sequence?", "uses?", "anchor?", "known?", "fault?")
	if o.Has("fault") {
		t.Fault = readFault(o.Object("fault", "code", "expected", "found"))
	}
	if about := o.Has("log_id"); !about {
		if t.Fault == nil || t.Fault.Code != finding.DocumentMalformed || v.Len() != 1 {
			r.Fault(v, form.BadValue, "log_id, or a malformed document alone", "neither")
		}
		return
	}
	t.Log = Log{TenantID: o.Subject("tenant_id"), LogID: o.LogID("log_id")}
	t.Sequence = uint64(o.Counter("sequence"))
	if !o.Has("tenant_id") || !o.Has("sequence") || t.Fault != nil && t.Fault.Code == finding.DocumentMalformed {
		r.Fault(v, form.BadValue, "tenant_id, log_id and sequence of a document that can be read", "some of them")
	}
	if o.Has("uses") {
		for _, v := range o.List("uses", 1, mostUses) {
			t.Uses = append(t.Uses, readUse(r.Object(v, "kind", "key_id", "role", "node?", "pinning")))
		}
	}
	if o.Has("anchor") {
		a := o.Object("anchor", "by", "hash", "at")
		t.Anchor = &Attested{AnchorKind(a.OneOf("by", string(WitnessedCheckpoint), string(Checkpoint), string(ExportCursor))),
			a.Digest("hash"), millis(a.Time("at"))}
	}
	if o.Has("known") {
		t.readKnown(r, o.List("known", 1, mostNamed))
	}
}

// MaxTestimony bounds each object of a [Testimony], in bytes: the lists of a bundle are
// bounded, and so are the values in them. The object of a usual bundle has less than 16 KiB
// for a walk and 8 KiB for a comparison, and of a checkpoint or cursor less than 1 KiB.
const MaxTestimony = 4 << 20

func readFault(o form.Object) *Fault {
	codes := []string{string(finding.DocumentMalformed), string(finding.CheckpointUnderQuorum)}
	for _, code := range anchorCodes {
		e := code.Entry()
		for _, older := range append(e.Was, code) {
			codes = append(codes, string(older))
		}
	}
	slices.Sort(codes)
	codes = slices.Compact(codes)
	text := func(name string) string {
		return o.Text(name, fmt.Sprintf("at most %d octets of text", MaxText), func(s string) bool {
			return len(s) <= MaxText+len("...") && utf8.ValidString(s)
		})
	}
	return &Fault{finding.Code(finding.Current(o.OneOf("code", codes...))), text("expected"), text("found")}
}

func readUse(o form.Object) PartUse {
	kind := o.OneOf("kind", string(SignedCheckpoints), string(SignedCursors), string(SignedParts))
	u := PartUse{Kind: StatementKind(kind), KeyID: o.Identifier("key_id"),
		Role:    trust.Role(o.OneOf("role", string(trust.Audit), string(trust.Signer), string(trust.Node))),
		Pinning: Pinning(o.OneOf("pinning", string(KeyHolds), string(KeyFails), string(KeyUnpinned), string(KeyOfOther)))}
	if o.Has("node") {
		u.Node = o.Subject("node")
	}
	return u
}

// readKnown reads the events that a path proves, each sequence once.
func (t *Testimony) readKnown(r *form.Reader, list []*ijson.Value) {
	seen := map[uint64]bool{}
	for _, v := range list {
		o := r.Object(v, "sequence", "hash", "type?", "transaction_id?")
		k := KnownEvent{Sequence: uint64(o.Counter("sequence")), Hash: chain.Hash(o.Digest("hash")).String()}
		if k.Disclosed = o.Has("type"); k.Disclosed {
			k.Type = o.Identifier("type")
		}
		if o.Has("transaction_id") {
			k.TransactionID = o.Subject("transaction_id")
		}
		if seen[k.Sequence] || o.Has("transaction_id") && !k.Disclosed {
			r.Fault(v, form.BadValue, "each sequence once, a transaction of a disclosed event only", "otherwise")
		}
		seen[k.Sequence] = true
		t.Known = append(t.Known, k)
	}
}

const (
	mostUses  = 3*form.MaxList + 5 // approvals, capability and witnesses; 2 decisions, 2 receipts, a checkpoint
	mostNamed = 3 * form.MaxPathLinks
)

// The object for a walk. Hashes are hex, and empty members are left out.
type (
	walkJSON struct {
		Log
		Sequence uint64      `json:"sequence,omitempty"`
		Uses     []PartUse   `json:"uses,omitempty"`
		Anchor   *Attested   `json:"anchor,omitempty"`
		Known    []namedJSON `json:"known,omitempty"`
		Fault    *Fault      `json:"fault,omitempty"`
	}
	namedJSON struct {
		Sequence      uint64 `json:"sequence"`
		Hash          string `json:"hash"`
		Type          string `json:"type,omitempty"` // of a disclosed event, which has one
		TransactionID string `json:"transaction_id,omitempty"`
	}
)
