package walk

import (
	"context"
	"fmt"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/trust"
)

// documents verifies every document and collects what it anchors.
func (s *statements) documents(ctx context.Context, reader Reader) error {
	for d, err := range reader.Documents(ctx) {
		if err != nil {
			return err
		}
		s.document(d)
	}
	return nil
}

// document tells the kinds of document apart by their protocol.
func (s *statements) document(d Document) {
	v, fault := ijson.Parse(d.Bytes)
	if fault != nil {
		s.malformed(d, "one JSON document", fault.Error())
		return
	}
	protocol, enveloped := bundle.ProtocolOf(v)
	switch {
	case protocol == bundle.ProtocolBundle:
		s.bundle(d)
	case bundle.IsCheckpoint(v):
		s.checkpointDocument(d, v)
	case enveloped && protocol == bundle.ProtocolCursor:
		s.cursorDocument(d, v)
	default:
		s.malformed(d, "a bundle, a checkpoint or an export cursor", "a document of protocol "+protocol)
	}
}

func (s *statements) malformed(d Document, expected, found string) {
	s.add(Log{}, finding.Finding{Code: finding.DocumentMalformed, Expected: expected, Found: found,
		Evidence: []finding.Evidence{d.Evidence}})
}

// bundle takes the checkpoint of a bundle with its witnesses. Whether the
// bundle as a whole is genuine is asked elsewhere.
func (s *statements) bundle(d Document) {
	b := bundle.Open(d.Bytes)
	if b.Bundle == nil {
		s.malformed(d, "a bundle", b.Faults[0].Error())
		return
	}
	c := b.Bundle.Checkpoint.Unverified()
	log := Log{c.TenantID, c.LogID}
	usesOf(s, d, log, c.Sequence, b.Bundle.Approvals...)
	usesOf(s, d, log, c.Sequence, b.Bundle.Customer, b.Bundle.Service)
	usesOf(s, d, log, c.Sequence, b.Bundle.Capability...)
	usesOf(s, d, log, c.Sequence, b.Bundle.Receipt)
	if r := b.Bundle.Revocation; r != nil {
		usesOf(s, d, log, c.Sequence, *r)
	}
	need, have := max(int64(s.root.MinimumWitnesses()), c.RequiredWitnesses), int64(s.witnesses(d, b.Bundle))
	by := Checkpoint
	if need > 0 && have >= need {
		by = WitnessedCheckpoint
	}
	if !s.anchor(d, b.Bundle.Checkpoint, by) {
		return
	}
	s.disclose(d, b.Bundle)
	if have < need {
		s.add(log, finding.Finding{Code: finding.CheckpointUnderQuorum, Sequence: c.Sequence, LastSequence: c.Sequence,
			Expected: fmt.Sprintf("receipts of at least %d distinct witnesses", need), Found: fmt.Sprint(have),
			Evidence: []finding.Evidence{d.Evidence}})
	}
}

// witnesses counts the distinct witnesses of a bundle's checkpoint, as a quorum
// does (SPEC 5.3).
func (s *statements) witnesses(d Document, b *bundle.Bundle) int {
	checkpoint, digest := b.Checkpoint.Unverified(), chain.Hash(b.Checkpoint.Digest())
	var keys []trust.Key
	for _, sealed := range b.Witnesses {
		receipt, refusal := trust.Open(s.root, sealed)
		s.uses.count(Log{checkpoint.TenantID, checkpoint.LogID}, SignedParts, sealed.KeyID, sealed.Unverified().Signatory(),
			checkpoint.Sequence, pinningOf(refusal), d.Evidence)
		if r := receipt.Statement; refusal == nil && r.Checkpoint == digest && r.Sequence == checkpoint.Sequence &&
			r.Head == checkpoint.Head && r.LogID == checkpoint.LogID && r.TenantID == checkpoint.TenantID {
			keys = append(keys, receipt.Key)
		}
	}
	return trust.Distinct(keys)
}

// anchor opens a checkpoint and takes it as an anchor, or says why not.
func (s *statements) anchor(d Document, sealed trust.Sealed[bundle.Checkpoint], by AnchorKind) bool {
	c := sealed.Unverified()
	log := Log{c.TenantID, c.LogID}
	_, refusal := trust.Open(s.root, sealed)
	s.uses.count(log, SignedCheckpoints, sealed.KeyID, c.Signatory(), c.Sequence, pinningOf(refusal), d.Evidence)
	if refusal != nil {
		s.add(log, refused(d, checkpointCodes[refusal.Code], c.Sequence, refusal))
		return false
	}
	s.take(log, Anchor{Sequence: c.Sequence, Hash: c.Head, By: by, At: c.CreatedAt.UnixMilli(),
		Name: "the checkpoint at " + fmt.Sprint(c.Sequence), Evidence: []finding.Evidence{d.Evidence}})
	return true
}

// checkpointDocument takes a checkpoint that stands alone (SPEC 5.1).
func (s *statements) checkpointDocument(d Document, v *ijson.Value) {
	c, fault := bundle.ReadCheckpoint(v)
	if fault != nil {
		s.malformed(d, "a checkpoint", fault.Error())
		return
	}
	s.anchor(d, c, Checkpoint)
}

// cursorDocument reads an export cursor (SPEC 9.3).
func (s *statements) cursorDocument(d Document, v *ijson.Value) {
	sealed, fault := bundle.ReadCursor(v)
	if fault != nil {
		s.malformed(d, "an export cursor", fault.Error())
		return
	}
	c := sealed.Unverified()
	log := JournalOf(c.TenantID, c.NodeID)
	_, refusal := trust.Open(s.root, sealed)
	s.uses.count(log, SignedCursors, sealed.KeyID, c.Signatory(), c.Sequence, pinningOf(refusal), d.Evidence)
	if refusal != nil {
		s.add(log, refused(d, cursorCodes[refusal.Code], c.Sequence, refusal))
		return
	}
	s.take(log, Anchor{Sequence: c.Sequence, Hash: c.Hash, By: ExportCursor, At: c.CommittedAt.UnixMilli(),
		Name: "the export cursor at " + fmt.Sprint(c.Sequence), Evidence: []finding.Evidence{d.Evidence}})
}

// pinningOf says how a statement that was opened, or refused, stands to the trust
// file.
func pinningOf(why *finding.InDocument) pinning {
	switch {
	case why == nil:
		return keyHolds
	case why.Code == trust.KeyUnknown:
		return keyUnpinned
	case why.Code == trust.KeyOfOtherNode:
		return keyOfOther
	}
	return keyFails
}

// refused says why a statement that would anchor a log was not opened.
func refused(d Document, code finding.Code, sequence uint64, why *finding.InDocument) finding.Finding {
	return finding.Finding{Code: code, Sequence: sequence, LastSequence: sequence,
		Expected: why.Expected, Found: why.Found, Evidence: []finding.Evidence{d.Evidence}}
}
