package feed

import (
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/topic"
)

// Limits of an event.
const (
	maxData  = 32 << 10 // octets of data in canonical form: it is a notification
	maxDepth = 16       // levels of data, SPEC 1.2
)

// kindEvent is the kind of the documents that are events; the id is the
// sequence.
const kindEvent = "trust-event"

// eventID writes a sequence so that ids are in the order of sequences.
func eventID(sequence uint64) string { return fmt.Sprintf("%016d", sequence) }

// Validate says what keeps data from being published: what comes from the cloud
// is judged before it is passed on.
func Validate(about string, data seal.Object) error {
	if !topic.Known(about) {
		return fmt.Errorf("expected a topic of %s, found %.40q", strings.Join(topic.All(), ", "), about)
	}
	if d := depth(data); d > maxDepth {
		return fmt.Errorf("data: expected at most %d levels, found %d", maxDepth, d)
	}
	if n := len(seal.Canonical(data)); n > maxData {
		return fmt.Errorf("data: expected at most %d bytes, found %d", maxData, n)
	}
	return nil
}

// depth is how deep a value nests: 0 for a scalar, 1 for an empty object.
func depth(value any) int {
	deepest := 0
	switch v := value.(type) {
	case seal.Object:
		for _, member := range v {
			deepest = max(deepest, depth(member))
		}
	case []any:
		for _, element := range v {
			deepest = max(deepest, depth(element))
		}
	default:
		return 0
	}
	return deepest + 1
}

// Publish adds an event to the update that makes its cause durable. If that
// comes to nothing, so does the event; if it succeeds, [Feed.Wake] is to be
// called.
func (f *Feed) Publish(tx *durable.Tx, about string, data seal.Object) error {
	if err := Validate(about, data); err != nil {
		return fmt.Errorf("feed: %w", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if tx != f.tx {
		// What another update published counts only if it has become durable.
		if err := f.refresh(); err != nil {
			return fmt.Errorf("feed: %w", err)
		}
		f.tx, f.next = tx, f.head+1
	}
	now := f.Clock.Next()
	event := f.Sign(seal.Object{
		"protocol":    "svc.trust-event.v1",
		"tenant_id":   f.TenantID,
		"node_id":     f.NodeID,
		"sequence":    int64(f.next), //nolint:gosec // below 2^53
		"topic":       about,
		"occurred_at": seal.Time(now),
		"data":        data,
	})
	if err := tx.Put(kindEvent, eventID(f.next), event); err != nil {
		return err
	}
	// The newest event stays in any case, as the next sequence follows from it.
	oldest := f.expire(now)
	if most := uint64(f.MaxEvents); f.next >= most { //nolint:gosec // not negative
		oldest = max(oldest, f.next-most+1)
	}
	f.next++
	return tx.DeleteThrough(kindEvent, eventID(oldest-1))
}
