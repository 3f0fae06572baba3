package cloud

import (
	"iter"
	"maps"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// tenantLog is the tenant log, and the key that signs it.
type tenantLog struct {
	clock     chance.Clock
	salts     *chance.Stream
	key       seal.Key
	log       *seal.Log
	keep      func(event seal.Object)
	orderedBy string // the operator whose order is carried out, "" for none
}

// Sequence is the sequence of the tenant log's newest event.
func (l *tenantLog) Sequence() uint64 { return l.log.Sequence() }

// Head is the hash of the tenant log's newest event.
func (l *tenantLog) Head() seal.Hash { return l.log.Head() }

// Links yields the links of the tenant log after event n.
func (l *tenantLog) Links(n uint64) iter.Seq[seal.Link] { return l.log.Since(n) }

// Note logs an event that is about no one transaction.
func (l *tenantLog) Note(eventType string, data seal.Object) { l.recordEvent(eventType, "", data) }

// NoteOf logs an event that is about one transaction.
func (l *tenantLog) NoteOf(transactionID, eventType string, data seal.Object) {
	l.recordEvent(eventType, transactionID, data)
}

// OrderedBy has every event that is logged from now on name an operator as by,
// or no one, and returns who was named so far. Events whose data is closed (SPEC
// 4.4) name no one.
func (l *tenantLog) OrderedBy(operator string) (before string) {
	before, l.orderedBy = l.orderedBy, operator
	return before
}

// recordEvent appends an event to the tenant log and returns it.
func (l *tenantLog) recordEvent(eventType, transactionID string, data seal.Object) seal.Object {
	return l.recordAt(l.clock.Next(), eventType, transactionID, data)
}

func (l *tenantLog) recordAt(at time.Time, eventType, transactionID string, data seal.Object) seal.Object {
	if l.orderedBy != "" && !eventtype.Closed(eventType) {
		data = maps.Clone(data)
		data["by"] = l.orderedBy
	}
	event := l.log.Append(seal.Entry{
		Type:          eventType,
		TransactionID: transactionID,
		OccurredAt:    at,
		Salt:          l.salts.Salt(),
		Data:          data,
	}, l.key)
	l.keep(event)
	return event
}
