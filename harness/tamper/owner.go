package tamper

import (
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// owner is the author of a log, with the file of that log.
type owner struct {
	*forge.Author
	h    *hand
	path string
}

// ofNode is the owner of the node's journal, up to a sequence.
func (h *hand) ofNode(upTo uint64) *owner {
	events := h.Scene.Journals[h.node][:upTo]
	key := h.Scene.Keys.Node[seal.Text(events[upTo-1], "key_id")]
	return &owner{forge.NewAuthor(harness.Tenant, "node/"+h.node, events, key), h, fleet.Journal(h.node)}
}

// ofTenant is the owner of the tenant log.
func (h *hand) ofTenant() *owner {
	events := h.Scene.Tenant
	key := h.Scene.Keys.Audit[seal.Text(events[len(events)-1], "key_id")]
	return &owner{forge.NewAuthor(harness.Tenant, "tenant/"+harness.Tenant, events, key), h, fleet.TenantLog}
}

// noteEvent signs the next event and puts it into the log's file.
func (o *owner) noteEvent(eventType string, data seal.Object) seal.Object {
	return o.writeEvent(o.Body(eventType, data))
}

// noteOf is noteEvent for an event of a transaction, "" for none.
func (o *owner) noteOf(transactionID, eventType string, data seal.Object) seal.Object {
	body := o.Body(eventType, data)
	if transactionID != "" {
		body["transaction_id"] = transactionID
	}
	return o.writeEvent(body)
}

// writeEvent signs a body as the next event and puts it into the log's file.
func (o *owner) writeEvent(body seal.Object) seal.Object {
	event := o.Sign(body)
	o.h.AddLine(o.path, seal.Canonical(event))
	return event
}

// newestDamage is damage to the newest n events.
func (o *owner) newestDamage(n uint64) Damage {
	return Damage{o.LogID, o.Log.Sequence() - n + 1, o.Log.Sequence(), o.path}
}

// commitCursor adds an export cursor of the newest event of a journal.
func (o *owner) commitCursor() {
	o.h.AddLine(fleet.Cursors(o.h.node), seal.Canonical(seal.Seal(o.cursorAt(o.Head), o.Key)))
}

// cursorAt is the statement of a cursor at an event. The batch is that event.
func (o *owner) cursorAt(event seal.Object) seal.Object {
	id := fleet.BatchID(o.LogID, []seal.Object{event})
	return seal.ExportCursor(o.h.node, fleet.Exporter, event, id, o.Later())
}

// addCheckpoint adds a checkpoint of the newest event of a tenant log.
func (o *owner) addCheckpoint() {
	statement := o.Checkpoint(o.Log.Sequence(), o.Log.Head())
	o.h.AddLine(fleet.Checkpoints, seal.Canonical(seal.Seal(statement, o.Key)))
}
