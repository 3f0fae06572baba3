package agent

import (
	"context"
	"fmt"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
)

// capabilityID is the id of what is known of a profile's capability.
func capabilityID(profile, capability string) string {
	return seal.Digest(seal.Strings([]string{profile, capability}))
}

// observe gives evidence of a capability. Evidence that holds for at least half
// of its lifetime yet is given again.
func (a *Agent) observe(tx *durable.Tx, transaction string, r *reader) (seal.Object, error) {
	profile, capability := r.text("workload_profile", identifierForm), r.text("capability", identifierForm)
	if err := r.end(); err != nil {
		return nil, refuse(err)
	}
	id := capabilityID(profile, capability)
	evidence, err := a.store.Get(kindCapability, id)
	if err != nil {
		return nil, err
	}
	if expires, err := expiry(evidence); err != nil || expires.Before(a.now().Add(a.capabilities/2)) {
		evidence = a.node.Observe(profile, capability)
		if err := tx.Put(kindCapability, id, evidence); err != nil {
			return nil, err
		}
		if err := a.publish("capability.observed", capabilityData(evidence)); err != nil {
			return nil, err
		}
		signal(a.lapses)
	}
	return seal.Object{"kind": "observe", "transaction_id": transaction, "evidence": evidence}, nil
}

// expiry is when capability evidence ends.
func expiry(evidence seal.Object) (time.Time, error) {
	return seal.ParseTime(seal.Text(seal.Member(evidence, "statement"), "expires_at"))
}

// capabilityData is what a trust event says of capability evidence.
func capabilityData(evidence seal.Object) seal.Object {
	statement := seal.Member(evidence, "statement")
	return seal.Object{
		"workload_profile":           statement["workload_profile"],
		"capability":                 statement["capability"],
		"capability_evidence_sha256": seal.StatementDigest(evidence),
		"expires_at":                 statement["expires_at"],
	}
}

// watchCapabilities tells when the last evidence of a capability lapses.
func (a *Agent) watchCapabilities(ctx context.Context) error {
	for {
		next, err := a.lapse(a.now())
		if err != nil {
			return err
		}
		timer := time.NewTimer(max(time.Until(next), time.Millisecond))
		select {
		case <-timer.C:
		case <-a.lapses:
		case <-ctx.Done():
		}
		timer.Stop()
		if ctx.Err() != nil {
			return nil
		}
	}
}

// lapse tells of the evidence that has ended by now, and returns when to look
// again.
func (a *Agent) lapse(now time.Time) (time.Time, error) {
	next := now.Add(a.capabilities)
	var lapsed []durable.Entry
	err := a.each(kindCapability, func(e durable.Entry) error {
		expires, err := expiry(e.Document)
		if err != nil {
			return fmt.Errorf("the stored %s %q: %w", kindCapability, e.ID, err)
		}
		if !now.Before(expires) {
			lapsed = append(lapsed, e)
		} else if expires.Before(next) {
			next = expires
		}
		return nil
	})
	if err != nil {
		return next, err
	}
	for _, e := range lapsed {
		if err := a.expire(e); err != nil {
			return next, err
		}
	}
	return next, nil
}

// expire forgets evidence and tells of it, unless newer evidence has taken its
// place since.
func (a *Agent) expire(e durable.Entry) error {
	return a.update(func(tx *durable.Tx) error {
		current, err := a.store.Get(kindCapability, e.ID)
		if err != nil || seal.StatementDigest(current) != seal.StatementDigest(e.Document) {
			return err
		}
		if err := tx.Delete(kindCapability, e.ID); err != nil {
			return err
		}
		return a.publish("capability.expired", capabilityData(e.Document))
	})
}
