package read

import (
	"bytes"

	"github.com/svc-edge/svc-verify/finding"
)

// separator begins each text of a JSON text sequence (RFC 7464).
const separator = 0x1e

// eventData begins the data of a server-sent event.
var eventData = []byte("data:")

// isEvents reports whether a stream begins as server-sent events with JSON in them.
func isEvents(b []byte) bool {
	rest, ok := bytes.CutPrefix(b, eventData)
	return ok && bytes.HasPrefix(bytes.TrimLeft(rest, " "), []byte("{"))
}

// eventLine reads a line of server-sent events. Everything but data is about the
// transport.
func (s *stream) eventLine() error {
	line, ok := s.in.line(0, s.limits.Unit)
	if !ok {
		return s.longLine()
	}
	at := s.in.offset
	s.look(len(line))
	if len(bytes.TrimSpace(line)) == 0 {
		s.in.skip(len(line))
		return nil
	}
	var err error
	if unit, ok := bytes.CutPrefix(line, eventData); ok {
		err = s.nested(at, unit, int64(len(eventData)), lineEnd(line))
	} else {
		err = s.line(&chain{part: part{text: line,
			place: Place{Container: s.container, Offset: at, Length: int64(len(line))}}})
	}
	s.in.skip(len(line))
	s.followed(at)
	return err
}

// nested reads a value that stands at an offset from the next octet of the stream.
func (s *stream) nested(at int64, unit []byte, offset int64, short finding.Code) error {
	trimmed := bytes.TrimLeft(unit, " \t\r\n")
	offset += int64(len(unit) - len(trimmed))
	trimmed = bytes.TrimRight(trimmed, " \t\r\n")
	if len(trimmed) == 0 {
		code := finding.SourceNoRecord
		if short == finding.SourcePartialTail {
			code = short
		}
		return s.note(at, code, "there is no value behind a separator")
	}
	place := Place{Container: s.container, Offset: at + offset, Length: int64(len(trimmed))}
	if trimmed[0] != '{' && trimmed[0] != '"' {
		return s.line(&chain{part: part{text: trimmed, place: place, torn: short == finding.SourcePartialTail}})
	}
	d := &doc{stream: s, b: trimmed, from: &place, short: short}
	return d.value(valueFormat(s.forced), d.check(trimmed))
}
