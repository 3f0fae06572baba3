package ingest

import (
	"google.golang.org/protobuf/encoding/protowire"
)

// field is a field of a message: how it is on the wire and, if it is a message itself, its
// form.
type field struct {
	wire protowire.Type
	form *shape
}

// shape is the form of a message. Fields that it does not name are unknown ones,
// which any receiver passes over.
type shape map[protowire.Number]field

// exportShape is the form of an ExportLogsServiceRequest, of
// opentelemetry/proto/collector/logs/v1 and its parts.
var exportShape = func() *shape {
	const (
		number  = protowire.VarintType
		fixed32 = protowire.Fixed32Type
		fixed64 = protowire.Fixed64Type
		octets  = protowire.BytesType
	)
	message := func(s *shape) field { return field{octets, s} }
	value, pair := &shape{}, &shape{}
	*pair = shape{1: {wire: octets}, 2: message(value)}
	*value = shape{1: {wire: octets}, 2: {wire: number}, 3: {wire: number}, 4: {wire: fixed64},
		5: message(&shape{1: message(value)}), 6: message(&shape{1: message(pair)}), 7: {wire: octets}}
	record := &shape{1: {wire: fixed64}, 2: {wire: number}, 3: {wire: octets}, 5: message(value), 6: message(pair),
		7: {wire: number}, 8: {wire: fixed32}, 9: {wire: octets}, 10: {wire: octets}, 11: {wire: fixed64}, 12: {wire: octets}}
	resource := &shape{1: message(pair), 2: {wire: number}}
	scope := &shape{1: {wire: octets}, 2: {wire: octets}, 3: message(pair), 4: {wire: number}}
	scopeLogs := &shape{1: message(scope), 2: message(record), 3: {wire: octets}}
	return &shape{1: message(&shape{1: message(resource), 2: message(scopeLogs), 3: {wire: octets}})}
}()

// deepest is how deep messages may stand in one another. A log record is at level 4, and the
// values in it may be as deep as most decoders allow.
const deepest = 100

// checkProto checks the points on which the reader of dumps is lenient: that every field is
// whole and of its type, so that no part of a request is lost.
func checkProto(body []byte) error {
	if at := exportShape.checkForm(body, 0, 1); at >= 0 {
		return &NotOTLP{Offset: at, Detail: "a message of another form"}
	}
	return nil
}

// checkForm returns where a message that begins at an offset is not of its form; -1
// if it is.
func (s *shape) checkForm(b []byte, offset int64, level int) int64 {
	if level > deepest {
		return offset
	}
	for len(b) > 0 {
		number, wire, n := protowire.ConsumeTag(b)
		if n < 0 {
			return offset
		}
		size := protowire.ConsumeFieldValue(number, wire, b[n:])
		want, known := (*s)[number]
		// No message of OTLP has a group, and the collector's decoder stumbles over
		// one that is last.
		if size < 0 || known && wire != want.wire || wire == protowire.StartGroupType {
			return offset
		}
		if want.form != nil {
			inner, prefix := protowire.ConsumeBytes(b[n:])
			if at := want.form.checkForm(inner, offset+int64(n+prefix-len(inner)), level+1); at >= 0 {
				return at
			}
		}
		b, offset = b[n+size:], offset+int64(n+size)
	}
	return -1
}
