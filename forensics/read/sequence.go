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

// sequence reads a JSON text sequence.
func (s *stream) sequence() error { return s.eachPart(s.text) }

// serverEvents reads server-sent events.
func (s *stream) serverEvents() error { return s.eachLine(s.eventLine) }

// text reads the text that comes next, up to the separator of the one behind it.
func (s *stream) text() error {
	at := s.in.offset
	start := 0
	for start < len(s.in.peek(firstWindow)) && s.in.window()[start] == separator {
		start++
	}
	unit, ok := s.in.until(start, separator, s.limits.Unit)
	if !ok {
		return s.tooLongText()
	}
	size := start + len(unit)
	short := finding.SourcePartialTail
	if n := len(unit); n > 0 && unit[n-1] == separator {
		unit, size, short = unit[:n-1], size-1, finding.SourceUnparseable
	}
	s.look(size)
	err := s.nested(at, unit, int64(start), short)
	s.in.skip(size)
	s.followed(at)
	return err
}

// eventLine reads a line of server-sent events. Everything but data is about the
// transport.
func (s *stream) eventLine(line []byte) error {
	switch unit, ok := bytes.CutPrefix(line, eventData); {
	case ok:
		return s.nested(s.in.offset, unit, int64(len(eventData)), lineEnd(line))
	case len(bytes.TrimSpace(line)) == 0:
		return nil
	}
	return s.line(&chain{part: part{text: line,
		place: Place{Container: s.container, Offset: s.in.offset, Length: int64(len(line))}}})
}

// nested reads a value that is at an offset from the next byte of the stream.
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
	return d.value(s.forms.Named(s.forced), d.check(trimmed))
}

// tooLongText skips a text that is too long to be held.
func (s *stream) tooLongText() error {
	return s.passSpan(finding.SourceLimit, s.limitText(), func() {
		s.in.skip(1)
		s.seek(1, func(b []byte) int { return bytes.IndexByte(b, separator) })
	})
}
