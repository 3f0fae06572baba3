package tamper

import (
	"time"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/wire"
)

// owner is whoever holds the key of a log, and goes on with it or writes it
// anew.
type owner struct {
	h          *hand
	tenant, id string
	path       string // of the log
	log        *wire.Log
	key        wire.Key
	now        time.Time
	head       wire.Object // the newest event
}

// ofNode is the owner of the node's journal, up to a sequence.
func (h *hand) ofNode(upTo uint64) *owner {
	events := h.Scene.Journals[h.node()][:upTo]
	key := h.Scene.Keys.Node[wire.Text(events[upTo-1], "key_id")]
	return h.owner("node/"+h.node(), fleet.Journal(h.node()), events, key)
}

// ofTenant is the owner of the tenant log.
func (h *hand) ofTenant() *owner {
	events := h.Scene.Tenant
	key := h.Scene.Keys.Audit[wire.Text(events[len(events)-1], "key_id")]
	return h.owner("tenant/"+harness.Tenant, fleet.TenantLog, events, key)
}

func (h *hand) owner(id, path string, events []wire.Object, key wire.Key) *owner {
	o := &owner{h: h, tenant: harness.Tenant, id: id, path: path, key: key, log: wire.LogOf(harness.Tenant, id, events)}
	o.head = events[len(events)-1]
	at, err := wire.ParseTime(wire.Text(wire.Member(o.head, "body"), "occurred_at"))
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
func (o *owner) body(eventType string, data wire.Object) wire.Object {
	var salt [16]byte
	salt[0] = byte(o.log.Sequence())
	return wire.Object{
		"protocol": wire.EventProtocol, "tenant_id": o.tenant, "log_id": o.id,
		"sequence": int64(o.log.Sequence() + 1), "occurred_at": wire.Time(o.later()),
		"type": eventType, "salt": wire.Base64(salt[:]), "data": data,
	}
}

// sign appends a body as the next event.
func (o *owner) sign(body wire.Object) wire.Object {
	o.head = o.log.AppendBody(body, o.key)
	return o.head
}

// note signs the next event and puts it into the log's file.
func (o *owner) note(eventType string, data wire.Object) wire.Object {
	return o.write(o.body(eventType, data))
}

// noteOf is note for an event of a transaction, "" for none.
func (o *owner) noteOf(transactionID, eventType string, data wire.Object) wire.Object {
	body := o.body(eventType, data)
	if transactionID != "" {
		body["transaction_id"] = transactionID
	}
	return o.write(body)
}

// write signs a body as the next event and puts it into the log's file.
func (o *owner) write(body wire.Object) wire.Object {
	event := o.sign(body)
	o.h.addLine(o.path, wire.Canonical(event))
	return event
}

// damage is that the newest events were made, so many of them.
func (o *owner) damage(n uint64) Damage {
	return Damage{o.id, o.log.Sequence() - n + 1, o.log.Sequence(), o.path}
}

// commit adds an export cursor of the newest event of a journal.
func (o *owner) commit() {
	o.h.addLine(fleet.Cursors(o.h.node()), wire.Canonical(wire.Seal(o.cursor(o.head), o.key)))
}

// cursor is the statement of a cursor at an event. The batch is that event.
func (o *owner) cursor(event wire.Object) wire.Object {
	body := wire.Member(event, "body")
	id, err := fleet.BatchID(o.id, []wire.Object{event})
	if err != nil {
		o.h.fail(err)
	}
	return wire.Object{
		"protocol": "svc.export-cursor.v1", "tenant_id": o.tenant, "node_id": o.h.node(), "exporter_id": "otlp-archive",
		"sequence": body["sequence"], "event_hash": event["hash"], "batch_id": id, "committed_at": wire.Time(o.later()),
	}
}

// checkpoint adds a checkpoint of the newest event of a tenant log.
func (o *owner) checkpoint() {
	o.h.addLine(fleet.Checkpoints, wire.Canonical(wire.Seal(o.statement(o.log.Sequence(), o.log.Head()), o.key)))
}

// statement is the statement of a checkpoint, made now.
func (o *owner) statement(sequence uint64, head wire.Hash) wire.Object {
	return wire.Object{
		"protocol": "svc.audit-checkpoint.v1", "tenant_id": o.tenant, "log_id": o.id, "sequence": int64(sequence),
		"head_hash": head.String(), "required_witnesses": int64(3), "created_at": wire.Time(o.later()),
	}
}
