package verify

import (
	"slices"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/trust"
)

// quorum is how many witnesses the checkpoint needs (SPEC 5.3): 0 only for a
// legacy one. Without a bundle it is the trust file's minimum.
func (r *run) quorum(b *bundle.Bundle) int64 {
	pinned := int64(r.root.MinimumWitnesses())
	if b == nil {
		return pinned
	}
	return max(pinned, b.Checkpoint.Unverified().RequiredWitnesses)
}

// witnessed is SPEC 8.4.
func (r *run) witnessed(n *notes, in pair[*bundle.Bundle, pinned]) struct{} {
	b, checkpoint := in.a, in.a.Checkpoint.Unverified()
	if checkpoint.Legacy() {
		r.legacy(n, b)
		return struct{}{}
	}
	digest := bundle.Hash(b.Checkpoint.Digest())
	for _, s := range b.Witnesses {
		w, at := s.Unverified(), s.Pointer+"/statement"
		n.expect(w.Checkpoint == digest, OtherCheckpoint, at+"/checkpoint_sha256", digest.String(), w.Checkpoint.String())
		n.expect(w.Sequence == checkpoint.Sequence, OtherHead, at+"/sequence", number(checkpoint.Sequence), number(w.Sequence))
		n.expect(w.Head == checkpoint.Head, OtherHead, at+"/head_hash", checkpoint.Head.String(), w.Head.String())
	}
	need, have := r.quorum(b), int64(trust.Distinct(in.b.witnesses))
	n.expect(have >= need, WitnessQuorum, "/witness_receipts", atLeast(need, "distinct witness"), number(have))
	return struct{}{}
}

// legacy is the rule for a checkpoint from before witnessing (SPEC 5.4).
func (r *run) legacy(n *notes, b *bundle.Bundle) {
	created := b.Checkpoint.Unverified().CreatedAt
	n.expect(r.root.MinimumWitnesses() == 0, LegacyNotAdmitted, "/checkpoint/statement/protocol",
		"a witnessed checkpoint, since minimum_audit_witnesses is "+number(r.root.MinimumWitnesses()), bundle.ProtocolCheckpointV0)
	n.expect(len(b.Witnesses) == 0, LegacyNotAdmitted, "/witness_receipts", "no receipts for a legacy checkpoint", number(len(b.Witnesses)))
	if limit := r.policy.LegacyBefore; !limit.IsZero() {
		n.expect(!created.After(limit), LegacyTooLate, "/checkpoint/statement/created_at",
			form.FormatTime(limit)+" or before", form.FormatTime(created))
	}
}

// pathProven is SPEC 8.5.
func (r *run) pathProven(n *notes, b *bundle.Bundle) struct{} {
	checkpoint := b.Checkpoint.Unverified()
	p := chain.Path{
		Genesis: chain.Genesis(b.Manifest.TenantID, "tenant/"+b.Manifest.TenantID),
		Head:    chain.Anchor{Sequence: checkpoint.Sequence, Hash: checkpoint.Head},
	}
	for _, l := range b.Path {
		p.Steps = append(p.Steps, chain.PathStep{Link: l.Link, Disclosed: l.Event != nil})
		if l.Event != nil {
			e := l.Event.Unverified()
			n.expect(e.Recorded == l.Link.Hash(), RecordedHash, l.Event.Pointer+"/hash", l.Link.Hash().String(), e.Recorded.String())
		}
	}
	faults := p.Check()
	for _, f := range faults {
		n.findings = append(n.findings, newFinding(Code("path."+string(f.Defect)), linkPointer(b, f.Index), f.Want, f.Got))
	}
	n.failed += len(faults)
	n.examined += max(len(p.Steps), len(faults))
	return struct{}{}
}

// linkPointer returns the place of a link, or of the list where the fault is
// that there is no such link.
func linkPointer(b *bundle.Bundle, i int) string {
	if i >= len(b.Path) {
		return "/audit_path/links"
	}
	return b.Path[i].Pointer
}

// disclosed is the two events that a bundle may show, nil where one is absent,
// and every event of the two types, if one is there twice.
type disclosed struct {
	issuance, revocation   *trust.Sealed[bundle.Event]
	issuances, revocations []*trust.Sealed[bundle.Event]
}

// eventsDisclosed is SPEC 8.6.
func (r *run) eventsDisclosed(n *notes, b *bundle.Bundle) disclosed {
	var d disclosed
	for _, l := range b.Path {
		if l.Event == nil {
			continue
		}
		e := l.Event.Unverified()
		switch e.Type {
		case bundle.IssuanceCompleted:
			d.issuances = append(d.issuances, l.Event)
		case bundle.CertificateRevoked:
			d.revocations = append(d.revocations, l.Event)
		}
		switch at := l.Event.Pointer + "/body/type"; {
		case e.Type == bundle.IssuanceCompleted && n.expect(d.issuance == nil, EventRepeated, at, "one such event", e.Type):
			d.issuance = l.Event
		case e.Type == bundle.CertificateRevoked && n.expect(d.revocation == nil, EventRepeated, at, "at most one such event", e.Type):
			d.revocation = l.Event
		case e.Type != bundle.IssuanceCompleted && e.Type != bundle.CertificateRevoked:
			n.expect(false, EventUnexpected, at, bundle.IssuanceCompleted+" or "+bundle.CertificateRevoked, e.Type)
		}
	}
	if !n.expect(d.issuance != nil, EventMissing, "/audit_path/links", "an "+bundle.IssuanceCompleted+" event", "none") {
		return d
	}
	if d.revocation != nil {
		issued, revoked := d.issuance.Unverified().Link.Sequence, d.revocation.Unverified().Link.Sequence
		n.expect(revoked > issued, EventOrder, d.revocation.Pointer+"/body/sequence", "a sequence above "+number(issued), number(revoked))
	}
	return d
}

// manifestCommitted is SPEC 8.7.
func (r *run) manifestCommitted(n *notes, in pair[*bundle.Bundle, disclosed]) struct{} {
	for _, event := range slices.Concat(in.b.issuances, in.b.revocations) {
		want, got := in.a.Manifest.Digest, event.Unverified().Manifest
		n.expect(got == want, ManifestNotCommitted, event.Pointer+"/body/data/manifest_sha256", want.String(), got.String())
	}
	return struct{}{}
}

// statusBound is SPEC 8.19.
func (r *run) statusBound(n *notes, b *bundle.Bundle) struct{} {
	s, at := b.Status.Unverified(), b.Status.Pointer+"/statement"
	checkpoint := bundle.Hash(b.Checkpoint.Digest())
	n.expect(s.Manifest == b.Manifest.Digest, StatusOtherManifest, at+"/manifest_sha256", b.Manifest.Digest.String(), s.Manifest.String())
	n.expect(s.Checkpoint == checkpoint, StatusOtherCheckpoint, at+"/checkpoint_sha256", checkpoint.String(), s.Checkpoint.String())
	return struct{}{}
}
