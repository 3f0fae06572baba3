package verify

import (
	"time"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/internal/exact"
)

// Tolerance is how far the clocks of two parties may differ, inclusive
// (SPEC 8.21).
const Tolerance = 300 * time.Second

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
	t.n.expect(!later.time.Before(limit), TimeOutOfOrder, later.at, exact.FormatTime(limit)+" or later ("+earlier.at+")", exact.FormatTime(later.time))
}

// before expects that a moment is strictly before an expiry.
func (t timeCheck) before(m moment, expiry time.Time, what string) {
	t.n.expect(m.time.Before(expiry), TimeExpired, m.at, "before "+exact.FormatTime(expiry)+", when "+what+" expired", exact.FormatTime(m.time))
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
	for _, a := range b.Approvals {
		t.before(issued, a.Unverified().ExpiresAt, "the approval of "+a.Unverified().NodeID)
	}
}

// capability: observed before, and not expired when, someone relied on it.
func (t timeCheck) capability(b *bundle.Bundle) {
	evidence := map[bundle.Hash]moment{}
	expiry := map[bundle.Hash]time.Time{}
	for _, s := range b.Capability {
		c := s.Unverified()
		evidence[s.Digest()] = moment{s.Pointer + "/statement/observed_at", c.ObservedAt}
		expiry[s.Digest()] = c.ExpiresAt
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
