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

// readSequence reads a JSON text sequence.
func (s *stream) readSequence() error { return s.eachPart(s.nextText) }

// serverEvents reads server-sent events.
func (s *stream) serverEvents() error { return s.eachLine(s.eventLine) }

// nextText reads the text that comes next, up to the separator of the one behind it.
func (s *stream) nextText() error {
	at := s.in.offset
	start := 0
	for start < len(s.in.peekBytes(firstWindow)) && s.in.window()[start] == separator {
		start++
	}
	unit, ok := s.in.peekUntil(start, separator, s.limits.Unit)
	if !ok {
		return s.tooLongText()
	}
	size := start + len(unit)
	short := finding.SourcePartialTail
	if n := len(unit); n > 0 && unit[n-1] == separator {
		unit, size, short = unit[:n-1], size-1, finding.SourceUnparseable
	}
	s.countLooked(size)
	err := s.readNested(at, unit, int64(start), short)
	s.in.skipBytes(size)
	s.noteFollowed(at)
	return err
}

// eventLine reads a line of server-sent events. Everything but data is about the
// transport.
func (s *stream) eventLine(line []byte) error {
	switch unit, ok := bytes.CutPrefix(line, eventData); {
	case ok:
		return s.readNested(s.in.offset, unit, int64(len(eventData)), lineEnd(line))
	case len(bytes.TrimSpace(line)) == 0:
		return nil
	}
	return s.readWrappedLine(&chain{part: part{text: line,
		place: Place{Container: s.container, Offset: s.in.offset, Length: int64(len(line))}}})
}

// readNested reads a value that is at an offset from the next byte of the stream.
func (s *stream) readNested(at int64, unit []byte, offset int64, short finding.Code) error {
	trimmed := bytes.TrimLeft(unit, " \t\r\n")
	offset += int64(len(unit) - len(trimmed))
	trimmed = bytes.TrimRight(trimmed, " \t\r\n")
	if len(trimmed) == 0 {
		code := finding.SourceNoRecord
		if short == finding.SourcePartialTail {
			code = short
		}
		return s.noteAt(at, code, "there is no value behind a separator")
	}
	place := Place{Container: s.container, Offset: at + offset, Length: int64(len(trimmed))}
	if trimmed[0] != '{' && trimmed[0] != '"' {
		return s.readWrappedLine(&chain{part: part{text: trimmed, place: place, torn: short == finding.SourcePartialTail}})
	}
	d := &doc{stream: s, b: trimmed, from: &place, short: short}
	return d.readValue(s.forms.Named(s.forced), d.checkValue(trimmed))
}

// tooLongText skips a text that is too long to be held.
func (s *stream) tooLongText() error {
	return s.passSpan(finding.SourceLimit, s.limitText(), func() {
		s.in.skipBytes(1)
		s.seekPlace(1, func(b []byte) int { return bytes.IndexByte(b, separator) })
	})
}
