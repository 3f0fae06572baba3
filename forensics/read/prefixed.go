package read

import (
	"bytes"
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
	n, state := p.scanPiece(line[i:])
	record := line[i : i+n]
	if f, _ := BuiltinStores().All.formOf(record); state != scanDone || !f.isLines() {
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

// readPrefixed reads lines with such records.
func (s *stream) readPrefixed() error { return s.eachLine(s.prefixedLine) }

// prefixedLine reads one of these lines, or another one.
func (s *stream) prefixedLine(line []byte) error {
	text := bytes.TrimSpace(line)
	record := prefixedRecord(text)
	switch {
	case len(text) == 0:
		return nil
	case record == nil:
		return s.looseLine(line)
	}
	place := Place{Container: s.container, Offset: s.in.offset, Length: int64(len(bytes.TrimRight(line, "\r\n")))}
	d := &doc{stream: s, b: record, from: &place, short: lineEnd(line)}
	return d.readValue(nil, d.checkValue(record))
}
