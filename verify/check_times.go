package verify

import (
	"time"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/internal/form"
)

// Tolerance is the largest difference, inclusive, that is allowed between the
// clocks of two parties (SPEC 7.13).
const Tolerance = 300 * time.Second

// The longest times after which the log may record an issuance (SPEC 8.21.10).
// They allow for a crash and a restart.
const (
	MaxUnrecorded  = 24 * time.Hour // after the signer's time
	MaxAfterExpiry = time.Hour      // after the end of an approval
)

// moment is a time and its place in the bundle.
type moment struct {
	at   string
	time time.Time
}

// timesOrdered is SPEC 8.21.
func timesOrdered(r *run, b *bundle.Bundle) {
	receipt, made := b.Receipt.Unverified(), b.Checkpoint.Unverified().CreatedAt
	issued := moment{b.Receipt.Pointer + "/statement/issued_at", receipt.IssuedAt}
	checkpoint := moment{b.Checkpoint.Pointer + "/statement/created_at", made}
	decisionTimes(r, b, issued)
	capabilityTimes(r, b)
	for _, e := range r.issuances {
		recorded := moment{e.Pointer + "/body/occurred_at", e.Unverified().OccurredAt}
		inOrder(r, issued, recorded) // 8.21.4
		recordedInTime(r, b, issued, recorded)
		inOrder(r, recorded, checkpoint) // 8.21.4
	}
	// 8.21.5
	for _, w := range b.Witnesses {
		inOrder(r, checkpoint, moment{w.Pointer + "/statement/witnessed_at", w.Unverified().WitnessedAt})
	}
	revocationTimes(r, b, issued, checkpoint)
}

// revocationTimes is SPEC 8.21.6. Without the receipt or the event, it compares
// the times that are there.
func revocationTimes(r *run, b *bundle.Bundle, issued, checkpoint moment) {
	var revoked moment
	if s := b.Revocation; s != nil {
		revoked = moment{s.Pointer + "/statement/revoked_at", s.Unverified().RevokedAt}
		inOrder(r, issued, revoked)
	}
	for _, e := range r.revocations {
		recorded := moment{e.Pointer + "/body/occurred_at", e.Unverified().OccurredAt}
		if b.Revocation != nil {
			inOrder(r, revoked, recorded)
		}
		inOrder(r, recorded, checkpoint)
	}
}

// inOrder expects that later is not before earlier, within the tolerance.
func inOrder(r *run, earlier, later moment) {
	limit := earlier.time.Add(-Tolerance)
	r.expect(!later.time.Before(limit), TimeOutOfOrder, later.at,
		form.FormatTime(limit)+" or later ("+earlier.at+")", form.FormatTime(later.time))
}

// expectBefore expects that a moment is strictly before an expiry.
func expectBefore(r *run, m moment, expiry time.Time, what string) {
	r.expect(m.time.Before(expiry), TimeExpired, m.at,
		"before "+form.FormatTime(expiry)+", when "+what+" expired", form.FormatTime(m.time))
}

// recordedInTime is SPEC 8.21.10: the log records the issuance soon after the
// signer's time, and soon after the approvals end. The signer dates its own
// receipt; the time of the log is another party's.
func recordedInTime(r *run, b *bundle.Bundle, issued, recorded moment) {
	within := func(limit time.Time, since string) {
		r.expect(!recorded.time.After(limit), TimeRecordedLate, recorded.at,
			form.FormatTime(limit)+" or earlier ("+since+")", form.FormatTime(recorded.time))
	}
	within(issued.time.Add(MaxUnrecorded), "24 hours after "+issued.at)
	for _, a := range b.Approvals {
		within(a.Unverified().ExpiresAt.Add(MaxAfterExpiry), "1 hour after "+a.Pointer+"/statement/expires_at")
	}
}

// decisionTimes is about every approval, then both decisions, then the
// issuance, which every approval must outlive.
func decisionTimes(r *run, b *bundle.Bundle, issued moment) {
	all := allReliances(b)
	approvals, decisions := all[:len(b.Approvals)], all[len(b.Approvals):]
	for _, d := range decisions {
		for _, a := range approvals {
			inOrder(r, a.decided, d.decided) // 8.21.2
		}
		inOrder(r, d.decided, issued) // 8.21.3
	}
	for i, s := range b.Approvals {
		a := s.Unverified()
		expectBefore(r, approvals[i].decided, a.ExpiresAt, "the approval of "+a.NodeID) // 8.21.9
		expectBefore(r, issued, a.ExpiresAt, "the approval of "+a.NodeID)               // 8.21.8
	}
}

// capabilityTimes expects that capability evidence was observed before a
// statement relies on it, and expires after that.
func capabilityTimes(r *run, b *bundle.Bundle) {
	evidence, expiry := map[bundle.Hash]moment{}, map[bundle.Hash]time.Time{}
	for _, s := range b.Capability {
		c := s.Unverified()
		observed := moment{s.Pointer + "/statement/observed_at", c.ObservedAt}
		expectBefore(r, observed, c.ExpiresAt, "the capability evidence") // 8.21.9
		evidence[s.Digest()], expiry[s.Digest()] = observed, c.ExpiresAt
	}
	for _, s := range allReliances(b) {
		for _, h := range s.digests {
			if observed, ok := evidence[h]; ok {
				inOrder(r, observed, s.decided)                                  // 8.21.1
				expectBefore(r, s.decided, expiry[h], "the capability evidence") // 8.21.7
			}
		}
	}
}
