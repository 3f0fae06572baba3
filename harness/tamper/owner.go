package tamper

import (
	"time"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// owner is whoever holds the key of a log, and goes on with it or writes it
// anew.
type owner struct {
	h          *hand
	tenant, id string
	path       string // of the log
	log        *seal.Log
	key        seal.Key
	now        time.Time
	head       seal.Object // the newest event
}

// ofNode is the owner of the node's journal, up to a sequence.
func (h *hand) ofNode(upTo uint64) *owner {
	events := h.Scene.Journals[h.node()][:upTo]
	key := h.Scene.Keys.Node[seal.Text(events[upTo-1], "key_id")]
	return h.owner("node/"+h.node(), fleet.Journal(h.node()), events, key)
}

// ofTenant is the owner of the tenant log.
func (h *hand) ofTenant() *owner {
	events := h.Scene.Tenant
	key := h.Scene.Keys.Audit[seal.Text(events[len(events)-1], "key_id")]
	return h.owner("tenant/"+harness.Tenant, fleet.TenantLog, events, key)
}

func (h *hand) owner(id, path string, events []seal.Object, key seal.Key) *owner {
	o := &owner{h: h, tenant: harness.Tenant, id: id, path: path, key: key, log: seal.LogOf(harness.Tenant, id, events)}
	o.head = events[len(events)-1]
	at, err := seal.ParseTime(seal.Text(seal.Member(o.head, "body"), "occurred_at"))
	if err != nil {
		h.fail(err)
	}
	o.now = at
	return o
}

// later returns a time after every one before.
func (o *owner) later() time.Time {
	o.now = o.now.Add(time.Second)
	return o.now
}

// body is the body of the next event.
func (o *owner) body(eventType string, data seal.Object) seal.Object {
	var salt [16]byte
	salt[0] = byte(o.log.Sequence())
	return seal.Object{
		"protocol": seal.EventProtocol, "tenant_id": o.tenant, "log_id": o.id,
		"sequence": int64(o.log.Sequence() + 1), "occurred_at": seal.Time(o.later()),
		"type": eventType, "salt": seal.Base64(salt[:]), "data": data,
	}
}

// sign appends a body as the next event.
func (o *owner) sign(body seal.Object) seal.Object {
	o.head = o.log.AppendBody(body, o.key)
	return o.head
}

// note signs the next event and puts it into the log's file.
func (o *owner) note(eventType string, data seal.Object) seal.Object {
	return o.write(o.body(eventType, data))
}

// noteOf is note for an event of a transaction, "" for none.
func (o *owner) noteOf(transactionID, eventType string, data seal.Object) seal.Object {
	body := o.body(eventType, data)
	if transactionID != "" {
		body["transaction_id"] = transactionID
	}
	return o.write(body)
}

// write signs a body as the next event and puts it into the log's file.
func (o *owner) write(body seal.Object) seal.Object {
	event := o.sign(body)
	o.h.addLine(o.path, seal.Canonical(event))
	return event
}

// damage is that the newest events were made, so many of them.
func (o *owner) damage(n uint64) Damage {
	return Damage{o.id, o.log.Sequence() - n + 1, o.log.Sequence(), o.path}
}

// commit adds an export cursor of the newest event of a journal.
func (o *owner) commit() {
	o.h.addLine(fleet.Cursors(o.h.node()), seal.Canonical(seal.Seal(o.cursor(o.head), o.key)))
}

// cursor is the statement of a cursor at an event. The batch is that event.
func (o *owner) cursor(event seal.Object) seal.Object {
	body := seal.Member(event, "body")
	id, err := fleet.BatchID(o.id, []seal.Object{event})
	if err != nil {
		o.h.fail(err)
	}
	return seal.Object{
		"protocol": "svc.export-cursor.v1", "tenant_id": o.tenant, "node_id": o.h.node(), "exporter_id": "otlp-archive",
		"sequence": body["sequence"], "event_hash": event["hash"], "batch_id": id, "committed_at": seal.Time(o.later()),
	}
}

// checkpoint adds a checkpoint of the newest event of a tenant log.
func (o *owner) checkpoint() {
	o.h.addLine(fleet.Checkpoints, seal.Canonical(seal.Seal(o.statement(o.log.Sequence(), o.log.Head()), o.key)))
}

// statement is the statement of a checkpoint, made now.
func (o *owner) statement(sequence uint64, head seal.Hash) seal.Object {
	return seal.Object{
		"protocol": "svc.audit-checkpoint.v1", "tenant_id": o.tenant, "log_id": o.id, "sequence": int64(sequence),
		"head_hash": head.String(), "required_witnesses": int64(3), "created_at": seal.Time(o.later()),
	}
}
