package forge

import (
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// Author has a key of a log, and continues the log or writes it again.
type Author struct {
	TenantID, LogID string
	Log             *seal.Log
	Key             seal.Key
	Now             time.Time   // of the newest event, or later
	Head            seal.Object // the newest event
}

// NewAuthor continues a log after these events. There must be at least one.
func NewAuthor(tenantID, logID string, events []seal.Object, key seal.Key) *Author {
	head := events[len(events)-1]
	return &Author{TenantID: tenantID, LogID: logID, Log: seal.LogOf(tenantID, logID, events), Key: key,
		Now: OccurredAt(head), Head: head}
}

// Restart forgets the events: the next one is the first of the log.
func (a *Author) Restart() { a.Log = seal.NewLog(a.TenantID, a.LogID) }

// Later returns a time after every one before.
func (a *Author) Later() time.Time {
	a.Now = a.Now.Add(time.Second)
	return a.Now
}

// Body is the body of the next event.
func (a *Author) Body(eventType string, data seal.Object) seal.Object {
	var salt [16]byte
	salt[0] = byte(a.Log.Sequence())
	return seal.Object{
		"protocol": seal.EventProtocol, "tenant_id": a.TenantID, "log_id": a.LogID,
		"sequence": int64(a.Log.Sequence() + 1), "occurred_at": seal.Time(a.Later()),
		"type": eventType, "salt": seal.Base64(salt[:]), "data": data,
	}
}

// Sign appends a body as the next event.
func (a *Author) Sign(body seal.Object) seal.Object {
	a.Head = a.Log.AppendBody(body, a.Key)
	return a.Head
}

// SignLinked signs a body with links that are changed before. The event is not
// appended to the log.
func (a *Author) SignLinked(body seal.Object, change func(*seal.Link)) seal.Object {
	n := uint64(seal.Integer(body, "sequence"))
	link := seal.Link{Sequence: n, Previous: a.Log.Head(), Skip: a.Log.Head()}
	if n == a.Log.Sequence()+1 {
		link.Skip = a.Log.Hash(seal.Skip(n))
	}
	link.Body, _ = seal.ParseHash(seal.Digest(body)) // a digest has the form of a hash
	change(&link)
	a.Head = seal.SignEvent(body, link, a.Key)
	return a.Head
}

// More signs n ordinary events, and returns them.
func (a *Author) More(n uint64) []seal.Object {
	var events []seal.Object
	for range n {
		events = append(events, a.Sign(a.Body("export.configured", seal.Object{})))
	}
	return events
}

// Rewrite signs copies of events again, each with the key that the event names,
// after a change. Links and hashes follow.
func (a *Author) Rewrite(events []seal.Object, keys map[string]seal.Key,
	change func(i int, event seal.Object)) (written []seal.Object) {
	for i, event := range events {
		event = seal.CloneObject(event)
		a.Key = keys[seal.Text(event, "key_id")]
		change(i, event)
		written = append(written, a.Sign(seal.Member(event, "body")))
	}
	return written
}

// Checkpoint is the statement of a checkpoint, made now.
func (a *Author) Checkpoint(sequence uint64, head seal.Hash) seal.Object {
	return seal.Object{
		"protocol": "svc.audit-checkpoint.v1", "tenant_id": a.TenantID, "log_id": a.LogID, "sequence": int64(sequence),
		"head_hash": head.String(), "required_witnesses": int64(3), "created_at": seal.Time(a.Later()),
	}
}
