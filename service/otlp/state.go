package otlp

import (
	"fmt"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
)

// The documents that an exporter keeps, under its id. After a change of the id
// the export starts anew.
const (
	kindCursor  = "export-cursor"  // envelope of svc.export-cursor.v1, SPEC 9.3
	kindPending = "export-pending" // batch_id, first and last of the batch that is being sent
)

// restore reads the cursor and the pending batch, and compares them with the
// journal.
func (e *Exporter) restore() error {
	cursor, err := e.Store.Get(kindCursor, e.Export.ExporterID)
	if err != nil {
		return err
	}
	if cursor != nil {
		if err := e.restoreCursor(seal.Member(cursor, "statement")); err != nil {
			return fmt.Errorf("the cursor: %w", err)
		}
	}
	pending, err := e.Store.Get(kindPending, e.Export.ExporterID)
	if err != nil || pending == nil {
		return err
	}
	if err := e.restorePending(pending); err != nil {
		return fmt.Errorf("the pending batch: %w", err)
	}
	return nil
}

// restoreCursor adopts a cursor, if it is of this node and its event is in the journal.
func (e *Exporter) restoreCursor(statement seal.Object) error {
	tenant, node, n := seal.Text(statement, "tenant_id"), seal.Text(statement, "node_id"), seal.Integer(statement,
		"sequence")
	if tenant != e.TenantID || node != e.NodeID || n < 1 {
		return fmt.Errorf("expected one of node %s of %s, found %s of %s at %d", e.NodeID, e.TenantID, node, tenant, n)
	}
	sequence := uint64(n)
	last, err := e.read(sequence-1, 1)
	if err != nil {
		return err
	}
	if want := seal.Text(statement, "event_hash"); last == nil || seal.Text(last.head, "hash") != want {
		return fmt.Errorf("expected event %d with hash %s in the journal, found another or none", n, want)
	}
	e.status.Cursor, e.status.SourceHead = sequence, sequence
	return nil
}

// restorePending puts the pending batch together again. It is the same as when
// it was first sent, whatever batches are to hold now.
func (e *Exporter) restorePending(document seal.Object) error {
	first, last, id := seal.Integer(document, "first"), seal.Integer(document, "last"), seal.Text(document, "batch_id")
	if first != int64(e.status.Cursor)+1 || last < first || last-first >= maxBatchEvents { //nolint:gosec // below 2^53
		return fmt.Errorf("expected up to %d events after %d, found %d to %d", maxBatchEvents, e.status.Cursor, first,
			last)
	}
	b, err := e.read(e.status.Cursor, int(last-first+1))
	if err != nil {
		return err
	}
	if b == nil || b.id != id {
		return fmt.Errorf("expected the id %s, found another in the journal", id)
	}
	e.pending = b
	return nil
}

// read makes a batch of up to most events after a sequence, nil if there are
// none.
func (e *Exporter) read(after uint64, most int) (*batch, error) {
	lines, err := e.Store.Lines(after, most)
	if err != nil || len(lines) == 0 {
		return nil, err
	}
	return newBatch("node/"+e.NodeID, after, lines)
}

// next returns the batch to send, nil if there is none. It is durable.
func (e *Exporter) next() (*batch, error) {
	if e.pending != nil {
		return e.pending, nil
	}
	b, err := e.read(e.status.Cursor, e.Export.BatchSize)
	if b == nil || err != nil {
		return nil, err
	}
	//nolint:gosec // sequences are below 2^53
	document := seal.Object{"batch_id": b.id, "first": int64(b.first), "last": int64(b.last)}
	err = e.Store.Update(func(tx *durable.Tx) error {
		return tx.Put(kindPending, e.Export.ExporterID, document)
	})
	if err != nil {
		return nil, failOTLP(CursorCommitFailed, "%w", err)
	}
	e.pending = b
	return b, nil
}

// commit puts the signed cursor in the place of a batch that the collector took.
// Until that is durable, the batch is sent again.
func (e *Exporter) commit(b *batch) error {
	cursor := e.Sign(seal.ExportCursor(e.NodeID, e.Export.ExporterID, b.head, b.id, e.Clock.Next()))
	err := e.Store.Update(func(tx *durable.Tx) error {
		if err := tx.Put(kindCursor, e.Export.ExporterID, cursor); err != nil {
			return err
		}
		return tx.Delete(kindPending, e.Export.ExporterID)
	})
	if err != nil {
		return failOTLP(CursorCommitFailed, "%w", err)
	}
	e.pending = nil
	e.succeeded(b.last)
	return nil
}
