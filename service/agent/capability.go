package agent

import (
	"context"
	"fmt"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/form"
	"github.com/svc-edge/svc-verify/service/topic"
)

// capabilities are what the node has observed, with how long the evidence holds.
type capabilities struct {
	*core
	lifetime time.Duration
	lapses   chan struct{} // there is new evidence to watch
}

// capabilityID is the id of what is known of a profile's capability.
func capabilityID(profile, capability string) string {
	return seal.Digest(seal.Strings([]string{profile, capability}))
}

// observe gives evidence of a capability. Evidence that holds for at least half
// of its lifetime yet is given again.
func (c *capabilities) observe(tx *durable.Tx, transaction string, r *form.Reader) (seal.Object, error) {
	profile, capability := r.Text("workload_profile", form.Identifier), r.Text("capability", form.Identifier)
	if err := r.Close(); err != nil {
		return nil, refuse(err)
	}
	id := capabilityID(profile, capability)
	evidence, err := c.store.Get(kindCapability, id)
	if err != nil {
		return nil, err
	}
	if expires, err := expiry(evidence); err != nil || expires.Before(c.now().Add(c.lifetime/2)) {
		evidence = c.node.Observe(profile, capability)
		if err := tx.Put(kindCapability, id, evidence); err != nil {
			return nil, err
		}
		if err := c.publish(topic.CapabilityObserved, capabilityData(evidence)); err != nil {
			return nil, err
		}
		signal(c.lapses)
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

// watch tells when the last evidence of a capability lapses.
func (c *capabilities) watch(ctx context.Context) error {
	for {
		next, err := c.lapse(c.now())
		if err != nil {
			return err
		}
		timer := time.NewTimer(max(time.Until(next), time.Millisecond))
		select {
		case <-timer.C:
		case <-c.lapses:
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
func (c *capabilities) lapse(now time.Time) (time.Time, error) {
	next := now.Add(c.lifetime)
	var lapsed []durable.Entry
	err := c.store.Each(kindCapability, func(e durable.Entry) error {
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
		if err := c.expire(e); err != nil {
			return next, err
		}
	}
	return next, nil
}

// expire forgets evidence and tells of it, unless newer evidence has taken its
// place since.
func (c *capabilities) expire(e durable.Entry) error {
	return c.update(func(tx *durable.Tx) error {
		current, err := c.store.Get(kindCapability, e.ID)
		if err != nil || seal.StatementDigest(current) != seal.StatementDigest(e.Document) {
			return err
		}
		if err := tx.Delete(kindCapability, e.ID); err != nil {
			return err
		}
		return c.publish(topic.CapabilityExpired, capabilityData(e.Document))
	})
}
