package casefile

import (
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// This file is the one place that knows the columns of the table events by their
// numbers. A row has the same numbers wherever it is: in the table, in a record of
// its pages, among the parameters of an INSERT, and in the answer to a SELECT of
// "event, " and copyColumns. The table variants has these columns behind its own,
// and deliveries has those from container on behind its event.
//
// A new column comes last in the schema, in the list of numbers and in that of
// names; bindCopy or bindPlace writes it and one of the functions below reads it.
const (
	colEvent = iota
	colHash
	colPrevious
	colSkip
	colBody
	colSignature
	colKey
	colType
	colOccurredAt
	colTransactionID
	colFidelity
	colBlock
	colStart
	colSize
	colContainer
	colOffset
	colLength
	colRecord
	colBatch
	colObservedAt
	columnCount
)

var columnNames = [columnCount]string{
	colEvent: "event", colHash: "hash", colPrevious: "previous", colSkip: "skip", colBody: "body",
	colSignature: "signature", colKey: "key", colType: "type", colOccurredAt: "occurred_at",
	colTransactionID: "transaction_id", colFidelity: "fidelity", colBlock: "block", colStart: "start", colSize: "size",
	colContainer: "container", colOffset: "offset", colLength: "length", colRecord: "record", colBatch: "batch",
	colObservedAt: "observed_at",
}

// copyColumns are the columns that events and variants have in common. Of these,
// eventColumns make an Event, and placeColumns tell how it came, as deliveries does.
var (
	copyColumns  = strings.Join(columnNames[colHash:], ", ")
	eventColumns = only(colHash, colPrevious, colSkip, colBody, colSignature, colKey, colType, colOccurredAt,
		colTransactionID, colFidelity)
	placeColumns = strings.Join(columnNames[colContainer:], ", ")
)

const (
	variantColumns  = 4 // number, log, sequence and digest of a variant, ahead of copyColumns
	deliveryColumns = 1 + columnCount - colContainer
	rowFields       = colContainer + 1 // how many columns a pass over events reads from its pages
)

// only lists some of copyColumns up to the last of them, so that each keeps its
// number.
func only(columns ...int) string {
	list := make([]string, slices.Max(columns))
	for i := range list {
		list[i] = "NULL"
	}
	for _, c := range columns {
		list[c-colHash] = columnNames[c]
	}
	return strings.Join(list, ", ")
}

// row is a row of events, variants or deliveries that is to be inserted: an
// arrival, and the numbers that the dictionaries have for its texts.
type row struct {
	id        int64 // of the event: 0 for a variant
	arrival   *Arrival
	key, typ  int64
	container int64
	batch     int64 // 0: none
	body      bodyPlace
}

// bindEvent binds a row of events from the given parameter on.
func bindEvent(s *sqlite.Stmt, at int, r *row) {
	s.BindInt(at+colEvent, r.id)
	bindCopy(s, at, r)
}

// bindCopy binds copyColumns, the event itself standing at the given parameter.
func bindCopy(s *sqlite.Stmt, at int, r *row) {
	l := r.arrival.Line
	bindHash := func(column int, h *chain.Hash) { s.BindBlob(at+column, h[:]) }
	bindHash(colHash, &l.Recorded)
	bindHash(colPrevious, &l.Link.Previous)
	bindHash(colSkip, &l.Link.Skip)
	bindHash(colBody, &l.Link.Body)
	s.BindBlob(at+colSignature, l.Signature[:])
	s.BindInt(at+colKey, r.key)
	s.BindInt(at+colType, r.typ)
	s.BindInt(at+colOccurredAt, l.OccurredAt)
	if len(l.TransactionID) > 0 {
		s.BindTextBytes(at+colTransactionID, l.TransactionID)
	} else {
		s.BindNull(at + colTransactionID)
	}
	s.BindInt(at+colFidelity, int64(r.arrival.Fidelity))
	s.BindOptional(at+colBlock, r.body.block)
	s.BindInt(at+colStart, r.body.start)
	s.BindInt(at+colSize, r.body.size)
	bindPlace(s, at, r)
}

// bindPlace binds placeColumns, the event itself standing at the given parameter.
func bindPlace(s *sqlite.Stmt, at int, r *row) {
	s.BindInt(at+colContainer, r.container)
	s.BindInt(at+colOffset, r.arrival.Offset)
	s.BindInt(at+colLength, r.arrival.Length)
	s.BindInt(at+colRecord, r.arrival.Record)
	s.BindOptional(at+colBatch, r.batch)
	s.BindOptional(at+colObservedAt, r.arrival.ObservedAt)
}

// bindDelivery binds a row of deliveries from the given parameter on.
func bindDelivery(s *sqlite.Stmt, at int, r *row) {
	s.BindInt(at, r.id)
	bindPlace(s, at+1-colContainer, r)
}

// readEvent sets what a row says of its event, without transaction id, and returns the
// numbers of its key id and type.
func readEvent(e *facts.Event, s *sqlite.Stmt) (key, typ int64) {
	e.Ref, e.OccurredAt, e.Fidelity = facts.Ref(s.Int(colEvent)), s.Int(colOccurredAt), facts.Fidelity(s.Int(colFidelity))
	copy(e.Recorded[:], s.Blob(colHash))
	copy(e.Link.Previous[:], s.Blob(colPrevious))
	copy(e.Link.Skip[:], s.Blob(colSkip))
	copy(e.Link.Body[:], s.Blob(colBody))
	copy(e.Signature[:], s.Blob(colSignature))
	return s.Int(colKey), s.Int(colType)
}

// readWholeEvent is readEvent, and reports whether digests and signature have their sizes.
func readWholeEvent(e *facts.Event, s *sqlite.Stmt) (key, typ int64, whole bool) {
	key, typ = readEvent(e, s)
	whole = len(s.Blob(colSignature)) == len(e.Signature)
	for _, c := range [...]int{colHash, colPrevious, colSkip, colBody} {
		whole = whole && len(s.Blob(c)) == len(chain.Hash{})
	}
	return key, typ, whole
}

// readEventRecord is readEvent for a record, which does not say its number. ok is false if a
// column is not as it should be: such a row is left to the engine.
func readEventRecord(e *facts.Event, f []sqlite.Field) (key, typ int64, ok bool) {
	key, ok1 := f[colKey].Int()
	typ, ok2 := f[colType].Int()
	at, ok3 := f[colOccurredAt].Int()
	fidelity, ok4 := f[colFidelity].Int()
	e.OccurredAt, e.Fidelity = at, facts.Fidelity(fidelity)
	ok = f[colHash].CopyTo(e.Recorded[:]) && f[colPrevious].CopyTo(e.Link.Previous[:]) &&
		f[colSkip].CopyTo(e.Link.Skip[:]) && f[colBody].CopyTo(e.Link.Body[:]) && f[colSignature].CopyTo(e.Signature[:])
	return key, typ, ok && ok1 && ok2 && ok3 && ok4
}

// ofRow sets where a row says that the event's body is.
func (p *bodyPlace) ofRow(s *sqlite.Stmt) {
	*p = bodyPlace{s.Int(colBlock), s.Int(colStart), s.Int(colSize)}
}

// ofRow sets what a row has beside its event.
func (r *rest) ofRow(s *sqlite.Stmt) {
	r.body.ofRow(s)
	r.container = s.Int(colContainer)
}

func (r *rest) ofRecord(f []sqlite.Field) (ok bool) {
	block, ok1 := f[colBlock].Int()
	start, ok2 := f[colStart].Int()
	size, ok3 := f[colSize].Int()
	container, ok4 := f[colContainer].Int()
	*r = rest{bodyPlace{block, start, size}, container}
	return (ok1 || f[colBlock].Null()) && ok2 && ok3 && ok4 // no block: by reference
}

// ofRow sets what a row says of the event's body.
func (r *bodyRow) ofRow(s *sqlite.Stmt) {
	r.bodyPlace.ofRow(s)
	r.container, r.offset, r.length, r.record = s.Int(colContainer), s.Int(colOffset), s.Int(colLength), s.Int(colRecord)
	r.transaction, r.occurredAt = s.Text(colTransactionID), s.Int(colOccurredAt)
}

// ofRow sets what a row says of the first arrival of its copy, and reports whether
// the event is kept by reference.
func (a *Arrived) ofRow(s *sqlite.Stmt) (byReference bool) {
	a.OccurredAt, a.Fidelity = s.Int(colOccurredAt), facts.Fidelity(s.Int(colFidelity))
	a.Container, a.Record, a.Offset = s.Int(colContainer), s.Int(colRecord), s.Int(colOffset)
	a.ObservedAt, a.Batch = s.Int(colObservedAt), s.Int(colBatch)
	return s.Null(colBlock)
}

func (a *Arrived) ofRecord(f []sqlite.Field) (byReference, ok bool) {
	var v [columnCount]int64
	for _, c := range [...]int{colOccurredAt, colFidelity, colContainer, colRecord, colOffset, colObservedAt, colBatch} {
		n, isInt := f[c].Int()
		if optional := c == colObservedAt || c == colBatch; !isInt && !(optional && f[c].Null()) {
			return false, false
		}
		v[c] = n
	}
	a.OccurredAt, a.Fidelity = v[colOccurredAt], facts.Fidelity(v[colFidelity])
	a.Container, a.Record, a.Offset = v[colContainer], v[colRecord], v[colOffset]
	a.ObservedAt, a.Batch = v[colObservedAt], v[colBatch]
	return f[colBlock].Null(), true
}
