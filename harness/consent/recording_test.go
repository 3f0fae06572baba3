package consent

import (
	"errors"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
)

// Both ends of SPEC 8.21, sentence 10, to the millisecond.
func TestRecording(t *testing.T) {
	issued := time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name            string
		approval, after time.Duration
		late            bool
	}{
		{"a day", 7 * 24 * time.Hour, 24 * time.Hour, false},
		{"more than a day", 7 * 24 * time.Hour, 24*time.Hour + time.Millisecond, true},
		{"an hour after expiry", time.Hour, 2 * time.Hour, false},
		{"more than an hour after expiry", time.Hour, 2*time.Hour + time.Millisecond, true},
	} {
		approval := seal.Object{"statement": seal.Object{"expires_at": seal.Time(issued.Add(c.approval))}}
		err := Case{Approvals: []seal.Object{approval}}.CheckRecording(issued, issued.Add(c.after))
		check.That(t, errors.Is(err, ErrLate) == c.late && (c.late || err == nil), "%s: %v", c.name, err)
	}
	err := (Case{Approvals: []seal.Object{{}}}).CheckRecording(issued, issued)
	check.That(t, err != nil && !errors.Is(err, ErrLate), "an approval without an end: %v", err)
}
