package verify

import (
	"slices"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/trust"
)

// neededWitnesses returns how many witnesses the checkpoint needs (SPEC 5.3): 0 for a
// legacy checkpoint only. Without a bundle it is the minimum of the trust file.
func (r *run) neededWitnesses(b *bundle.Bundle) int64 {
	pinned := int64(r.root.MinimumWitnesses())
	if b == nil {
		return pinned
	}
	return max(pinned, b.Checkpoint.Unverified().RequiredWitnesses)
}

// witnessed is SPEC 8.4.
func witnessed(r *run, b *bundle.Bundle) {
	checkpoint, digest := b.Checkpoint.Unverified(), b.Checkpoint.Digest()
	if checkpoint.Legacy() {
		legacy(r, b)
		return
	}
	// 8.4.1
	for _, s := range b.Witnesses {
		w, at := s.Unverified(), s.Pointer+"/statement"
		equal(r, LinkDiffers, at+"/checkpoint_sha256", digest, w.Checkpoint)
		equal(r, LinkDiffers, at+"/sequence", checkpoint.Sequence, w.Sequence)
		equal(r, LinkDiffers, at+"/head_hash", checkpoint.Head, w.Head)
	}
	// 8.4.2
	need, have := r.neededWitnesses(b), int64(trust.Distinct(keysOf(r.witnesses)))
	r.expect(have >= need, WitnessQuorum, "/witness_receipts", atLeast(need, "distinct witness"), number(have))
}

// legacy is SPEC 8.4.3: the rule for a checkpoint from before witnessing
// (SPEC 5.4).
func legacy(r *run, b *bundle.Bundle) {
	minimum, created := r.root.MinimumWitnesses(), b.Checkpoint.Unverified().CreatedAt
	r.expect(minimum == 0, LegacyNotAdmitted, "/checkpoint/statement/protocol",
		"a witnessed checkpoint, since minimum_audit_witnesses is "+number(minimum), bundle.ProtocolCheckpointV0)
	r.expect(len(b.Witnesses) == 0, LegacyNotAdmitted, "/witness_receipts",
		"no receipts for a legacy checkpoint", number(len(b.Witnesses)))
	if limit := r.policy.LegacyBefore; !limit.IsZero() {
		r.expect(!created.After(limit), LegacyTooLate, "/checkpoint/statement/created_at",
			form.FormatTime(limit)+" or before", form.FormatTime(created))
	}
}

// pathProven is SPEC 8.5.
func pathProven(r *run, b *bundle.Bundle) {
	checkpoint := b.Checkpoint.Unverified()
	p := chain.Path{
		Genesis: chain.Genesis(b.Manifest.TenantID, "tenant/"+b.Manifest.TenantID),
		Head:    chain.Anchor{Sequence: checkpoint.Sequence, Hash: checkpoint.Head},
	}
	for _, l := range b.Path {
		p.Steps = append(p.Steps, chain.PathStep{Link: l.Link, Disclosed: l.Event != nil})
		if l.Event != nil {
			equal(r, PathHashMismatch, l.Event.Pointer+"/hash", l.Link.Hash(), l.Event.Unverified().Recorded) // 8.5.2
		}
	}
	// 8.5.1
	faults := p.Check()
	for _, f := range faults {
		r.expect(false, pathCodes[f.Defect], linkPointer(b, f.Index), f.Expected, f.Found)
	}
	r.noteHeld(max(len(p.Steps)-len(faults), 0))
}

// pathCodes are the codes for faults of a path.
var pathCodes = map[chain.PathDefect]Code{
	chain.WrongStep:    PathWrongStep,
	chain.HashMismatch: PathHashMismatch,
	chain.Conflict:     PathHashMismatch,
	chain.EndsEarly:    PartMissing,
	chain.Trailing:     PartUnexpected,
}

// linkPointer returns the place of a link, or of the whole list for a link
// that is missing.
func linkPointer(b *bundle.Bundle, i int) string {
	if i >= len(b.Path) {
		return "/audit_path/links"
	}
	return b.Path[i].Pointer
}

// eventsDisclosed is SPEC 8.6. It establishes the disclosed events by type.
func eventsDisclosed(r *run, b *bundle.Bundle) {
	for _, l := range b.Path {
		if l.Event == nil {
			continue
		}
		at, kind := l.Event.Pointer+"/body/type", l.Event.Unverified().Type
		switch kind {
		case bundle.IssuanceCompleted:
			r.expect(len(r.issuances) == 0, PartUnexpected, at, "one such event", "another "+kind) // 8.6.1
			r.issuances = append(r.issuances, l.Event)
		case bundle.CertificateRevoked:
			r.expect(len(r.revocations) == 0, PartUnexpected, at, "at most one such event", "another "+kind) // 8.6.2
			r.revocations = append(r.revocations, l.Event)
		default:
			r.expect(false, PartUnexpected, at, bundle.IssuanceCompleted+" or "+bundle.CertificateRevoked, kind) // 8.6.3
		}
	}
	// 8.6.1
	r.expect(len(r.issuances) > 0, PartMissing, "/audit_path/links", "an "+bundle.IssuanceCompleted+" event", "none")
	// 8.6.2
	if len(r.issuances) > 0 && len(r.revocations) > 0 {
		revocation := r.revocations[0]
		issued, revoked := r.issuances[0].Unverified().Link.Sequence, revocation.Unverified().Link.Sequence
		r.expect(revoked > issued, PartUnexpected, revocation.Pointer+"/body/sequence",
			"a sequence above "+number(issued), number(revoked))
	}
}

// manifestCommitted is SPEC 8.7.
func manifestCommitted(r *run, b *bundle.Bundle) {
	for _, e := range slices.Concat(r.issuances, r.revocations) {
		equal(r, LinkDiffers, e.Pointer+"/body/data/manifest_sha256", b.Manifest.Digest, e.Unverified().Manifest)
	}
}
