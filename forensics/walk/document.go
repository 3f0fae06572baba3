package walk

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"time"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/trust"
)

// protocolCursor is the protocol of an export cursor (SPEC 9.3).
const protocolCursor = "svc.export-cursor.v1"

// cursor is a node's word on how far its journal was exported (SPEC 9.3).
type cursor struct {
	TenantID    string
	NodeID      string
	Sequence    uint64
	Hash        chain.Hash
	CommittedAt time.Time
}

// Signatory is the exporting node.
func (c cursor) Signatory() trust.Signatory {
	return trust.Signatory{Role: trust.Node, Node: c.NodeID}
}

// documents verifies every document and collects what it anchors.
func (w *walker) documents(ctx context.Context) error {
	for d, err := range w.source.Documents(ctx) {
		if err != nil {
			return err
		}
		w.document(d)
	}
	return nil
}

// document tells the kinds of document apart by their protocol.
func (w *walker) document(d Document) {
	v, fault := ijson.Parse(d.Bytes)
	if fault != nil {
		w.malformed(d, "one JSON document", fault.Error())
		return
	}
	protocol, enveloped := protocolOf(v)
	switch {
	case protocol == bundle.ProtocolBundle:
		w.bundle(d)
	case enveloped && (protocol == bundle.ProtocolCheckpoint || protocol == bundle.ProtocolCheckpointV0):
		w.checkpointDocument(d, v)
	case enveloped && protocol == protocolCursor:
		w.cursorDocument(d, v)
	default:
		w.malformed(d, "a bundle, a checkpoint or an export cursor", "a document of protocol "+protocol)
	}
}

// protocolOf returns the protocol of a document or, if it is an envelope, that
// of its statement.
func protocolOf(v *ijson.Value) (protocol string, enveloped bool) {
	if v.Kind() != ijson.Object {
		return "", false
	}
	if s, ok := v.Member("statement"); ok && s.Kind() == ijson.Object {
		v, enveloped = s, true
	}
	if p, ok := v.Member("protocol"); ok && p.Kind() == ijson.String {
		protocol = p.Text()
	}
	return protocol, enveloped
}

func (w *walker) malformed(d Document, expected, found string) {
	w.beside(finding.Finding{Code: finding.DocumentMalformed, Expected: expected, Found: found, Evidence: []finding.Evidence{d.Evidence}})
}

// bundle takes the checkpoint of a bundle with its witnesses. Whether the
// bundle as a whole is genuine is asked elsewhere.
func (w *walker) bundle(d Document) {
	b := bundle.Open(d.Bytes)
	if b.Bundle == nil {
		w.malformed(d, "a bundle", b.Faults[0].Error())
		return
	}
	c := b.Bundle.Checkpoint.Unverified()
	need, have := max(int64(w.root.MinimumWitnesses()), c.RequiredWitnesses), int64(w.witnesses(b.Bundle))
	by := Checkpoint
	if need > 0 && have >= need {
		by = WitnessedCheckpoint
	}
	if w.anchor(d, b.Bundle.Checkpoint, by) && have < need {
		w.besideLog(Log{c.TenantID, c.LogID}, finding.Finding{Code: finding.CheckpointUnderQuorum, Sequence: c.Sequence, LastSequence: c.Sequence,
			Expected: fmt.Sprintf("receipts of at least %d distinct witnesses", need), Found: fmt.Sprint(have), Evidence: []finding.Evidence{d.Evidence}})
	}
}

// witnesses counts the distinct witnesses of a bundle's checkpoint, as a quorum
// does (SPEC 5.3).
func (w *walker) witnesses(b *bundle.Bundle) int {
	checkpoint, digest := b.Checkpoint.Unverified(), chain.Hash(b.Checkpoint.Digest())
	var keys []trust.Key
	for _, sealed := range b.Witnesses {
		receipt, refusal := trust.Open(w.root, sealed)
		if r := receipt.Statement; refusal == nil && r.Checkpoint == digest && r.Sequence == checkpoint.Sequence &&
			r.Head == checkpoint.Head && r.LogID == checkpoint.LogID && r.TenantID == checkpoint.TenantID {
			keys = append(keys, receipt.Key)
		}
	}
	return trust.Distinct(keys)
}

// anchor opens a checkpoint and takes it as an anchor, or says why not.
func (w *walker) anchor(d Document, sealed trust.Sealed[bundle.Checkpoint], by AnchorKind) bool {
	c := sealed.Unverified()
	log := Log{c.TenantID, c.LogID}
	if _, refusal := trust.Open(w.root, sealed); refusal != nil {
		w.besideLog(log, refused(d, checkpointCodes[refusal.Code], c.Sequence, refusal))
		return false
	}
	w.take(log, Anchor{Sequence: c.Sequence, Hash: c.Head, By: by, At: c.CreatedAt.UnixMilli(),
		Name: "the checkpoint at " + fmt.Sprint(c.Sequence), Evidence: []finding.Evidence{d.Evidence}})
	return true
}

// checkpointDocument reads a checkpoint that stands alone (SPEC 5.1).
func (w *walker) checkpointDocument(d Document, v *ijson.Value) {
	var r form.Reader
	e, s := envelope(&r, v)
	c := bundle.Checkpoint{}
	names := []string{"protocol", "tenant_id", "log_id", "sequence", "head_hash", "created_at"}
	if e.Protocol == bundle.ProtocolCheckpoint {
		names = append(names, "required_witnesses")
	}
	o := r.Object(s, names...)
	c.Protocol, c.TenantID, c.LogID = e.Protocol, o.Subject("tenant_id"), o.LogID("log_id")
	c.Sequence, c.Head, c.CreatedAt = uint64(o.Counter("sequence")), o.Digest("head_hash"), o.Time("created_at")
	if e.Protocol == bundle.ProtocolCheckpoint {
		c.RequiredWitnesses = o.Counter("required_witnesses")
	}
	if faults := r.Faults(); len(faults) > 0 {
		w.malformed(d, "a checkpoint", faults[0].Error())
		return
	}
	w.anchor(d, trust.Seal(e, c), Checkpoint)
}

// cursorDocument reads an export cursor (SPEC 9.3).
func (w *walker) cursorDocument(d Document, v *ijson.Value) {
	var r form.Reader
	e, s := envelope(&r, v)
	o := r.Object(s, "protocol", "tenant_id", "node_id", "exporter_id", "sequence", "event_hash", "batch_id", "committed_at")
	c := cursor{TenantID: o.Subject("tenant_id"), NodeID: o.Subject("node_id"), Sequence: uint64(o.Counter("sequence")),
		Hash: o.Digest("event_hash"), CommittedAt: o.Time("committed_at")}
	o.Identifier("exporter_id")
	o.Digest("batch_id")
	if faults := r.Faults(); len(faults) > 0 {
		w.malformed(d, "an export cursor", faults[0].Error())
		return
	}
	log := Log{c.TenantID, "node/" + c.NodeID}
	if _, refusal := trust.Open(w.root, trust.Seal(e, c)); refusal != nil {
		w.besideLog(log, refused(d, cursorCodes[refusal.Code], c.Sequence, refusal))
		return
	}
	w.take(log, Anchor{Sequence: c.Sequence, Hash: c.Hash, By: ExportCursor, At: c.CommittedAt.UnixMilli(),
		Name: "the export cursor at " + fmt.Sprint(c.Sequence), Evidence: []finding.Evidence{d.Evidence}})
}

// envelope reads what stands around a statement (SPEC 3.1).
func envelope(r *form.Reader, v *ijson.Value) (trust.Envelope, *ijson.Value) {
	o := r.Object(v, "statement", "key_id", "signature")
	s := o.Get("statement")
	protocol, _ := protocolOf(v)
	return trust.Envelope{Protocol: protocol, Payload: s.Canonical(), KeyID: o.Identifier("key_id"),
		Signature: o.Bytes("signature", ed25519.SignatureSize, ed25519.SignatureSize)}, s
}

// The codes of statements that were not opened.
var (
	checkpointCodes = map[string]finding.Code{
		trust.KeyUnknown:       finding.CheckpointKeyUnknown,
		trust.SignatureInvalid: finding.CheckpointSignatureInvalid,
	}
	cursorCodes = map[string]finding.Code{
		trust.KeyUnknown:       finding.CursorKeyUnknown,
		trust.KeyOfOtherNode:   finding.CursorKeyOfOtherNode,
		trust.SignatureInvalid: finding.CursorSignatureInvalid,
	}
)

// refused says why a statement that would anchor a log was not opened.
func refused(d Document, code finding.Code, sequence uint64, why *trust.Refusal) finding.Finding {
	return finding.Finding{Code: code, Sequence: sequence, LastSequence: sequence,
		Expected: why.Want, Found: why.Got, Evidence: []finding.Evidence{d.Evidence}}
}
