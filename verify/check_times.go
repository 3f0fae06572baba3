package verify

import (
	"time"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/internal/form"
)

// Tolerance is how far the clocks of two parties may differ, inclusive
// (SPEC 8.21).
const Tolerance = 300 * time.Second

// How long after the signer's time, and after the end of an approval, the log
// may record an issuance: long enough for a crash and a restart (SPEC 8.21).
const (
	MaxUnrecorded  = 24 * time.Hour
	MaxAfterExpiry = time.Hour
)

// moment is a time and its place in the bundle.
type moment struct {
	at   string
	time time.Time
}

// timesOrdered is SPEC 8.21.
func (r *run) timesOrdered(n *notes, in pair[*bundle.Bundle, disclosed]) struct{} {
	b := in.a
	t := timeCheck{n}
	issued := moment{b.Receipt.Pointer + "/statement/issued_at", b.Receipt.Unverified().IssuedAt}
	checkpoint := moment{b.Checkpoint.Pointer + "/statement/created_at", b.Checkpoint.Unverified().CreatedAt}
	t.decisions(b, issued)
	t.capability(b)
	for _, e := range in.b.issuances {
		recorded := moment{e.Pointer + "/body/occurred_at", e.Unverified().OccurredAt}
		t.inOrder(issued, recorded)
		t.recordedInTime(b, issued, recorded)
		t.inOrder(recorded, checkpoint)
	}
	for _, w := range b.Witnesses {
		t.inOrder(checkpoint, moment{w.Pointer + "/statement/witnessed_at", w.Unverified().WitnessedAt})
	}
	t.revocation(in, issued, checkpoint)
	return struct{}{}
}

// revocation: of receipt and event, each comparison is made whose times are there.
func (t timeCheck) revocation(in pair[*bundle.Bundle, disclosed], issued, checkpoint moment) {
	receipt := in.a.Revocation
	var revoked moment
	if receipt != nil {
		revoked = moment{receipt.Pointer + "/statement/revoked_at", receipt.Unverified().RevokedAt}
		t.inOrder(issued, revoked)
	}
	for _, e := range in.b.revocations {
		recorded := moment{e.Pointer + "/body/occurred_at", e.Unverified().OccurredAt}
		if receipt != nil {
			t.inOrder(revoked, recorded)
		}
		t.inOrder(recorded, checkpoint)
	}
}

type timeCheck struct{ n *notes }

// inOrder expects that later is not before earlier, but for the tolerance.
func (t timeCheck) inOrder(earlier, later moment) {
	limit := earlier.time.Add(-Tolerance)
	t.n.expect(!later.time.Before(limit), TimeOutOfOrder, later.at, form.FormatTime(limit)+" or later ("+earlier.at+")", form.FormatTime(later.time))
}

// before expects that a moment is strictly before an expiry.
func (t timeCheck) before(m moment, expiry time.Time, what string) {
	t.n.expect(m.time.Before(expiry), TimeExpired, m.at, "before "+form.FormatTime(expiry)+", when "+what+" expired", form.FormatTime(m.time))
}

// recordedInTime expects that the log recorded the issuance soon after the
// signer says that it issued, and after the approvals ended. The signer dates
// its own receipt; the log is another's.
func (t timeCheck) recordedInTime(b *bundle.Bundle, issued, recorded moment) {
	within := func(limit time.Time, since string) {
		t.n.expect(!recorded.time.After(limit), TimeRecordedLate, recorded.at,
			form.FormatTime(limit)+" or earlier ("+since+")", form.FormatTime(recorded.time))
	}
	within(issued.time.Add(MaxUnrecorded), "24 hours after "+issued.at)
	for _, a := range b.Approvals {
		within(a.Unverified().ExpiresAt.Add(MaxAfterExpiry), "1 hour after "+a.Pointer+"/statement/expires_at")
	}
}

// decisions: every approval, then every decision, then the issuance, which
// every approval must outlive.
func (t timeCheck) decisions(b *bundle.Bundle, issued moment) {
	all := reliances(b)
	approvals, decisions := all[:len(b.Approvals)], all[len(b.Approvals):]
	for _, d := range decisions {
		for _, a := range approvals {
			t.inOrder(a.decided, d.decided)
		}
		t.inOrder(d.decided, issued)
	}
	for i, s := range b.Approvals {
		a := s.Unverified()
		t.before(approvals[i].decided, a.ExpiresAt, "the approval of "+a.NodeID)
		t.before(issued, a.ExpiresAt, "the approval of "+a.NodeID)
	}
}

// capability: observed before, and not expired when, someone relied on it.
func (t timeCheck) capability(b *bundle.Bundle) {
	evidence := map[bundle.Hash]moment{}
	expiry := map[bundle.Hash]time.Time{}
	for _, s := range b.Capability {
		c := s.Unverified()
		observed := moment{s.Pointer + "/statement/observed_at", c.ObservedAt}
		t.before(observed, c.ExpiresAt, "the capability evidence")
		evidence[s.Digest()], expiry[s.Digest()] = observed, c.ExpiresAt
	}
	for _, s := range reliances(b) {
		for _, h := range s.digests {
			if observed, ok := evidence[h]; ok {
				t.inOrder(observed, s.decided)
				t.before(s.decided, expiry[h], "the capability evidence")
			}
		}
	}
}
