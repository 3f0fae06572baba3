package read

import (
	"fmt"
	"math"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/unwrap"
)

// The numbers of the fields that are read, from opentelemetry/proto.
const (
	fieldResourceLogs = 1 // of LogsData and ExportLogsServiceRequest
	fieldOwner        = 1 // the resource of ResourceLogs, the scope of ScopeLogs
	fieldScopeLogs    = 2 // of ResourceLogs
	fieldLogRecords   = 2 // of ScopeLogs
	fieldTime         = 1 // of LogRecord
	fieldBody         = 5
	fieldAttributes   = 6
	fieldObservedTime = 11
	fieldInResource   = 1 // attributes of Resource
	fieldInScope      = 3 // attributes of InstrumentationScope
)

// readMessage reads a stream that is one message without framing. Its fields are
// taken one at a time, so that only one ResourceLogs is held.
func (s *stream) readMessage() error {
	return s.eachPart(func() error {
		switch size := fieldSize(s.in.peekBytes(24)); {
		case size < 0:
			return s.skipRest(finding.SourceUnparseable, "no field of a message")
		case size > int64(s.limits.Unit):
			return s.tooLong(size)
		default:
			return s.readLogs(s.in.peekBytes(int(size)), 0, int(size))
		}
	})
}

// fieldSize returns the size of the field that b begins with, -1 if there is
// none.
func fieldSize(b []byte) int64 {
	num, typ, n := protowire.ConsumeTag(b)
	if n < 0 {
		return -1
	}
	if typ != protowire.BytesType {
		if size := protowire.ConsumeFieldValue(num, typ, b[n:]); size >= 0 {
			return int64(n + size)
		}
		return -1
	}
	size, m := protowire.ConsumeVarint(b[n:])
	if m < 0 || size > math.MaxInt64/2 {
		return -1
	}
	return int64(n+m) + int64(size)
}

// tooLong skips a message, value or line of a known size above the limit.
func (s *stream) tooLong(size int64) error {
	return s.passSpan(finding.SourceLimit, s.limitText(), func() { s.in.discardBytes(size) })
}

// readLogs reads the message b, which should have size bytes, with the first prefix bytes, which
// frame it. It consumes it.
func (s *stream) readLogs(b []byte, prefix, size int) error {
	at := s.in.offset
	d := &doc{stream: s, b: b, base: at}
	if len(b) < size {
		d.fault = &fault{finding.SourceTruncated,
			len(b), fmt.Sprintf("%d bytes should follow and %d do", size-prefix, len(b)-prefix)}
	}
	err := proto{d}.readLogsData(b[prefix:])
	s.in.skipBytes(len(b))
	s.noteFollowed(at)
	return err
}

// proto reads OTLP in its binary form.
type proto struct{ *doc }

// readLogsData reads a LogsData, and reports its faults.
func (p proto) readLogsData(b []byte) error {
	if err := p.logsData(b); err != nil {
		return err
	}
	return p.finishDoc()
}

// logsData reads the fields of LogsData, and the messages within it.
func (p proto) logsData(b []byte) error {
	return p.eachField(b, fieldResourceLogs, false, func(_, b []byte) error {
		return p.ownedFields(b, fieldInResource, InResource, fieldScopeLogs, false, func(_, b []byte) error {
			return p.ownedFields(b, fieldInScope, InScope, fieldLogRecords, true, p.logRecord)
		})
	})
}

// eachField calls read with each field of a number, as a whole and its content. Of one that is cut off, the
// present part is read unless only whole ones count.
func (p proto) eachField(b []byte, number protowire.Number, whole bool, read func(part, b []byte) error) error {
	w := wire{b: b}
	for w.nextField() {
		p.cutOff(&w)
		var err error
		switch {
		case w.is(number) && !(w.cut && whole):
			err = read(b[w.at:w.i], w.v)
		case w.cut:
			err = p.dropPart(b[w.at:], p.fault)
		}
		if err != nil {
			return err
		}
	}
	return p.skipDamaged(&w)
}

// ownedFields is eachField for a message whose records share the attributes of an owner. These may follow the
// records that they belong to.
func (p proto) ownedFields(b []byte, attributes protowire.Number, where Where, number protowire.Number, whole bool,
	read func(part, b []byte) error) error {
	mark := len(p.batches)
	defer func() { p.batches = p.batches[:mark] }()
	p.readOwner(b, attributes, where)
	return p.eachField(b, number, whole, read)
}

// skipDamaged skips the rest of a message that is damaged.
func (p proto) skipDamaged(w *wire) error {
	if w.bad < 0 {
		return nil
	}
	return p.dropPart(w.b[w.bad:], &fault{finding.SourceUnparseable, 0, "no field of a message"})
}

// cutOff records that a field claims to be longer than its message.
func (p proto) cutOff(w *wire) {
	if w.cut && p.fault == nil {
		p.fault = &fault{finding.SourceUnparseable,
			cap(p.b) - cap(w.b) + len(w.b), "a length says more than its message holds"}
	}
}

// readOwner reads the batch ids of the resource or the scope, which is field 1 of its message. A
// field that is there twice is merged, so both count.
func (p proto) readOwner(b []byte, attributes protowire.Number, where Where) {
	w := wire{b: b}
	for w.nextField() {
		if !w.is(fieldOwner) {
			continue
		}
		inner := wire{b: w.v}
		for inner.nextField() {
			if inner.is(attributes) {
				p.readAttribute(inner.v, where)
			}
		}
	}
}

// logRecord reads a LogRecord; part is its whole field.
func (p proto) logRecord(part, b []byte) error {
	mark := len(p.batches)
	defer func() { p.batches = p.batches[:mark] }()
	p.rec = Record{}
	var body []byte
	bodies, signal := 0, false
	w := wire{b: b}
	for w.nextField() && !w.cut {
		switch {
		case w.is(fieldTime): // of a span the id of its trace, of a metric the name
			signal = true
		case w.num == fieldTime && w.typ == protowire.Fixed64Type:
			p.rec.ExportTime = fixedTime(w.u)
		case w.num == fieldObservedTime && w.typ == protowire.Fixed64Type:
			p.rec.ObservedTime = fixedTime(w.u)
		case w.is(fieldBody):
			body, bodies = w.v, bodies+1
		case w.is(fieldAttributes):
			p.readAttribute(w.v, InRecord)
		}
	}
	if w.bad >= 0 || w.cut {
		return p.dropPart(part, &fault{finding.SourceUnparseable, 0, "the fields of a log record are damaged"})
	}
	if signal && !unwrap.HasTraces(part) {
		return p.dropPart(part, &fault{finding.SourceNoRecord, 0, "a span or a metric, which is no log record"})
	}
	values, f := p.setBody(body)
	if f != nil {
		return p.dropPart(part, f)
	}
	if err := p.deliverPart(part); err != nil {
		return err
	}
	return p.otherReadings(part, max(bodies, values))
}

// otherReadings remarks on the parts of a record that another reader could read otherwise.
func (p proto) otherReadings(part []byte, values int) error {
	if values > 1 {
		if err := p.remarkOn(part, finding.SourceAmbiguous,
			"the log record has more than one body; the last counts"); err != nil {
			return err
		}
	}
	if p.rec.Kind == Text && !utf8.Valid(p.rec.Body) {
		return p.remarkOn(part, finding.SourceInvalidUTF8, "the body is not UTF-8; its octets are kept")
	}
	return nil
}
