package read

import (
	"bytes"

	"github.com/svc-edge/svc-verify/finding"
)

// mostPrefix is how long the prefix of a record can be: a time and a tag.
const mostPrefix = 512

// prefixedRecord returns the record of a runtime or shipper that a line has behind
// a prefix, such as the time and the tag that fluentd writes; nil if it has none.
func prefixedRecord(line []byte) []byte {
	i := bytes.IndexByte(line[:min(len(line), mostPrefix)], '{')
	if i < 1 || bytes.IndexByte(line[:i], '"') >= 0 {
		return nil
	}
	var p shape
	n, state := p.scan(line[i:])
	record := line[i : i+n]
	if f, _ := builtin.All.classify(record); state != scanDone || !f.isLines() {
		return nil
	}
	return record
}

// isPrefixed reports whether a stream begins with such a line.
func isPrefixed(b []byte) bool {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	line = bytes.TrimLeft(line, " \t\r\ufeff")
	return len(line) > 0 && line[0] != '[' && prefixedRecord(line) != nil
}

// prefixed reads lines with such records.
func (s *stream) prefixed() error {
	for s.ctx.Err() == nil && len(s.in.peek(1)) > 0 {
		line, ok := s.in.line(0, s.limits.Unit)
		if !ok {
			if err := s.longLine(); err != nil {
				return err
			}
			continue
		}
		at := s.in.offset
		s.look(len(line))
		err := s.prefixedLine(line)
		s.in.skip(len(line))
		if len(bytes.TrimSpace(line)) > 0 {
			s.followed(at)
		}
		if err != nil {
			return err
		}
	}
	return s.ctx.Err()
}

// prefixedLine reads one of these lines, or another one.
func (s *stream) prefixedLine(line []byte) error {
	text := bytes.TrimSpace(line)
	place := Place{Container: s.container, Offset: s.in.offset, Length: int64(len(bytes.TrimRight(line, "\r\n")))}
	short := lineEnd(line)
	if record := prefixedRecord(text); record != nil {
		d := &doc{stream: s, b: record, from: &place, short: short}
		return d.value(nil, d.check(record))
	}
	if len(text) == 0 {
		return nil
	}
	s.damages++
	return s.line(&chain{part: part{text: text, place: place, torn: short == finding.SourcePartialTail}})
}
