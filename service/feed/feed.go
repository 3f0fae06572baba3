package feed

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
	"github.com/svc-edge/svc-verify/service/topic"
)

// How long events are kept, where the configuration does not say.
const (
	KeepEvents = 4096
	KeepFor    = 7 * 24 * time.Hour
)

// Config configures a feed.
type Config struct {
	TenantID, NodeID string
	Store            *durable.Store // the node's; the feed keeps its events there
	// Sign makes an envelope of a statement, with the key that the node has now.
	Sign  func(statement seal.Object) seal.Object
	Clock chance.Clock // safe for use by many goroutines
	// Subscribers may read the feed; it is off if there are none.
	Subscribers []nodeconfig.SPIFFEPrefix
	// Retention is how many events are kept, and how old they become; 0 means [KeepEvents] and
	// [KeepFor].
	MaxEvents int
	MaxAge    time.Duration
}

// Counts are totals of the answers to observers since the start.
type Counts struct {
	Batches   uint64 // answers with at least one event
	Delivered uint64 // events in them
}

// Feed is the feed of one node. It is safe for use by many goroutines.
type Feed struct {
	Config

	mu   sync.Mutex
	kept []mark // ascending, without gap; of durable events
	head uint64 // the newest durable event, 0 if there never was one

	tx   *durable.Tx // the update that published last
	next uint64      // the sequence of its next event

	changed chan struct{} // closed, and replaced, when there are new events
	counts  Counts
}

// mark is an event that is kept.
type mark struct {
	sequence uint64
	at       time.Time
}

// New returns the feed with the events that the store has.
func New(c Config) (*Feed, error) {
	c.MaxEvents = cmp.Or(c.MaxEvents, KeepEvents)
	c.MaxAge = cmp.Or(c.MaxAge, KeepFor)
	f := &Feed{Config: c, changed: make(chan struct{})}
	if err := f.refresh(); err != nil {
		return nil, fmt.Errorf("feed: %w", err)
	}
	return f, nil
}

// Counts returns the totals of the answers to observers.
func (f *Feed) Counts() Counts {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts
}

// Wake makes waiting observers look again. It is called after an update that published
// something.
func (f *Feed) Wake() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.changed)
	f.changed = make(chan struct{})
}

// refresh notes events that have become durable. The caller holds the lock, or is alone.
func (f *Feed) refresh() error {
	// Before the first one, events may have been dropped that were never noted.
	dropped := true
	return f.Store.Each(kindEvent, eventID(f.head), func(e durable.Entry) error {
		m, err := markOf(e)
		if err != nil {
			return err
		}
		if m.sequence != f.head+1 {
			if !dropped {
				return fmt.Errorf("expected %d", f.head+1)
			}
			f.kept = nil
		}
		dropped = false
		f.kept, f.head = append(f.kept, m), m.sequence
		return nil
	})
}

func markOf(e durable.Entry) (m mark, err error) {
	s := seal.Member(e.Document, "statement")
	m.sequence = uint64(max(0, seal.Integer(s, "sequence"))) //nolint:gosec // not negative
	if eventID(m.sequence) != e.ID {
		return m, fmt.Errorf("found sequence %d", m.sequence)
	}
	m.at, err = seal.ParseTime(seal.Text(s, "occurred_at"))
	return m, err
}

// expire drops events that are too many or too old, and returns the oldest event that
// is still kept; it is head+1 if there is none.
func (f *Feed) expire(now time.Time) (oldest uint64) {
	n := max(0, len(f.kept)-f.MaxEvents)
	for n < len(f.kept) && now.Sub(f.kept[n].at) > f.MaxAge {
		n++
	}
	f.kept = f.kept[n:]
	if len(f.kept) == 0 {
		return f.head + 1
	}
	return f.kept[0].sequence
}

// Limits of an event.
const (
	maxData  = 32 << 10 // bytes of data in canonical form: it is a notification
	maxDepth = 16       // levels of data, SPEC 1.2
)

// kindEvent is the kind of the documents that are events; the id is the
// sequence.
const kindEvent = "trust-event"

// eventID writes a sequence so that ids are in the order of sequences.
func eventID(sequence uint64) string { return fmt.Sprintf("%016d", sequence) }

// Validate returns the reason not to publish data: data from the cloud is judged before it is
// passed on.
func Validate(about string, data seal.Object) error {
	if !topic.Known(about) {
		return fmt.Errorf("expected a topic of %s, found %.40q", strings.Join(topic.All(), ", "), about)
	}
	if d := depthOf(data); d > maxDepth {
		return fmt.Errorf("data: expected at most %d levels, found %d", maxDepth, d)
	}
	if n := len(seal.Canonical(data)); n > maxData {
		return fmt.Errorf("data: expected at most %d bytes, found %d", maxData, n)
	}
	return nil
}

// depthOf is how deep a value nests: 0 for a scalar, 1 for an empty object.
func depthOf(value any) int {
	deepest := 0
	switch v := value.(type) {
	case seal.Object:
		for _, member := range v {
			deepest = max(deepest, depthOf(member))
		}
	case []any:
		for _, element := range v {
			deepest = max(deepest, depthOf(element))
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
		// Events that another update published count only if they have become durable.
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
