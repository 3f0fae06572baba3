package consent

import (
	"fmt"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// checkCapability checks that capability evidence of this digest is in the case and
// could be relied on at that time.
func (r *Roster) checkCapability(c Case, digest string, at time.Time) error {
	for _, envelope := range c.Capability {
		if seal.StatementDigest(envelope) == digest {
			return r.CheckCapability(envelope, c.Terms, at)
		}
	}
	return fmt.Errorf("it is not part of the transaction")
}

// CheckCapability checks capability evidence for the workload profile of the
// terms: a known node observed it before that time, and it has not expired.
func (r *Roster) CheckCapability(envelope, terms seal.Object, at time.Time) error {
	_, err := r.Open(envelope, "svc.capability-evidence.v1", "workload_profile", seal.Text(terms, "workload_profile"))
	if err != nil {
		return err
	}
	var m moments
	observed, expires := m.readTime("", envelope, "observed_at"), m.readTime("", envelope, "expires_at")
	if m.err != nil {
		return m.err
	}
	if observed.After(at.Add(tolerance)) || !at.Before(expires) || !observed.Before(expires) {
		return fmt.Errorf("in force from %s to %s, not at %s", seal.Time(observed), seal.Time(expires), seal.Time(at))
	}
	return nil
}
