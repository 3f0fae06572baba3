package seal

import (
	"fmt"
	"iter"
	"time"
)

// EventProtocol is the type under which an event's hash is signed, SPEC 4.2.
const EventProtocol = "svc.audit-event.v1"

// Entry is the content that a log's owner puts into an event.
type Entry struct {
	Type          string
	TransactionID string // "" if the event is not about one transaction
	OccurredAt    time.Time
	Salt          [16]byte
	Data          Object
}

// Log is the spine of an audit log: two hashes for each event, whatever the
// events hold. A caller that needs the events keeps them.
type Log struct {
	tenantID, id string
	hashes       []Hash // hashes[n] is hash(n), from genesis on
	bodies       []Hash // bodies[n-1] is body_sha256 of event n
}

// NewLog returns a log that has only its genesis.
func NewLog(tenantID, id string) *Log {
	return &Log{tenantID: tenantID, id: id, hashes: []Hash{Genesis(tenantID, id)}}
}

// LogOf returns the spine of a log with the given events, from sequence 1 on. The hashes
// recorded in the events are ignored.
func LogOf(tenantID, id string, events []Object) *Log {
	l := NewLog(tenantID, id)
	for _, event := range events {
		l.pushEvent(Canonical(Member(event, "body")))
	}
	return l
}

// ID is the log's identifier, such as tenant/acme-corp.
func (l *Log) ID() string { return l.id }

// Sequence is the sequence of the newest event, 0 if there is none.
func (l *Log) Sequence() uint64 { return uint64(len(l.bodies)) }

// Head is the hash of the newest event, or of genesis.
func (l *Log) Head() Hash { return l.hashes[len(l.hashes)-1] }

// Hash is hash(n). It panics if the log has no event n.
func (l *Log) Hash(n uint64) Hash { return l.hashes[n] }

// Link is the link of event n, from 1 on. It panics if the log has none.
func (l *Log) Link(n uint64) Link {
	return Link{Sequence: n, Previous: l.hashes[n-1], Skip: l.hashes[Skip(n)], Body: l.bodies[n-1]}
}

// Since yields the links of the events after event n, as a node replays them
// before it witnesses, SPEC 5.2.
func (l *Log) Since(n uint64) iter.Seq[Link] {
	return func(yield func(Link) bool) {
		for i := n + 1; i <= l.Sequence() && yield(l.Link(i)); i++ {
		}
	}
}

// Append signs an entry as the next event and returns the event, SPEC 4.2.
func (l *Log) Append(entry Entry, key Key) Object {
	body := Object{
		"protocol":    EventProtocol,
		"tenant_id":   l.tenantID,
		"log_id":      l.id,
		"sequence":    int64(l.Sequence() + 1),
		"occurred_at": Time(entry.OccurredAt),
		"type":        entry.Type,
		"salt":        Base64(entry.Salt[:]),
		"data":        entry.Data,
	}
	if entry.TransactionID != "" {
		body["transaction_id"] = entry.TransactionID
	}
	return l.AppendBody(body, key)
}

// AppendBody signs a body, whatever its content, as the next event.
func (l *Log) AppendBody(body Object, key Key) Object {
	link := l.pushEvent(Canonical(body))
	return SignEvent(body, link, key)
}

// Resume adds the next event of a log that was read back from its owner's storage. It fails,
// and changes nothing, if the event is not the next one or its hashes do not follow from it
// and the log before it. The signature is not looked at.
func (l *Log) Resume(event Object) error {
	body := Member(event, "body")
	n := l.Sequence() + 1
	if found := Integer(body, "sequence"); found != int64(n) {
		return fmt.Errorf("%s: expected event %d, found %d", l.id, n, found)
	}
	link := l.nextLink(Canonical(body))
	for name, want := range map[string]Hash{"previous_hash": link.Previous, "skip_hash": link.Skip, "hash": link.Hash()} {
		if found := Text(event, name); found != want.String() {
			return fmt.Errorf("%s: event %d: %s: expected %s, found %q", l.id, n, name, want, found)
		}
	}
	l.takeEvent(link)
	return nil
}

func (l *Log) pushEvent(body []byte) Link {
	link := l.nextLink(body)
	l.takeEvent(link)
	return link
}

// nextLink is the link that an event of this body has behind the newest one.
func (l *Log) nextLink(body []byte) Link {
	n := l.Sequence() + 1
	return Link{Sequence: n, Previous: l.hashes[n-1], Skip: l.hashes[Skip(n)], Body: bodyHash(body)}
}

func (l *Log) takeEvent(link Link) {
	l.hashes = append(l.hashes, link.Hash())
	l.bodies = append(l.bodies, link.Body)
}

// SignEvent signs an event in the place that the link gives it, SPEC 4.2.
func SignEvent(body Object, link Link, key Key) Object {
	hash := link.Hash()
	return Object{
		"body":          body,
		"previous_hash": link.Previous.String(),
		"skip_hash":     link.Skip.String(),
		"hash":          hash.String(),
		"key_id":        key.ID,
		"signature":     Sign(EventProtocol, hash[:], key),
	}
}
