package read

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/unwrap"
)

// values is a stream of JSON values.
type values struct {
	*stream
	doc      doc   // the value that is read
	array    bool  // within the brackets of a list of values
	inline   bool  // behind a value, on its line
	goesOn   bool  // behind a block of text that ended because of its size
	inDigits bool  // between two digits
	yaml     bool  // behind an event in YAML
	lonely   int64 // units before this offset end with their line
	again    int64 // bytes that were read for a value over several lines, and are read again
	trimmed  lineEnds

	blanks, blanksAt int64 // the longest run of spaces since the last value, and where it is
}

// readValues reads a stream of JSON values: one on each line, one after the other,
// over several lines, or within the brackets of one array.
func (v *values) readValues() error {
	if bytes.HasPrefix(v.in.peekBytes(len(bom)), bom) {
		v.in.skipBytes(len(bom))
	}
	start := v.in.offset
	if !v.passSpace() {
		return v.reportBlank(start)
	}
	if b := v.in.peekBytes(excerptSize); b[0] == '[' && beginsList(b) {
		v.array = true
		v.in.skipBytes(1)
	}
	pieces := newPieces(v.stream, cutBetweenValues, readValues)
	for n := 0; v.ctx.Err() == nil; n++ {
		if v.isBetween() {
			if err := pieces.readPieces(); err != nil {
				return err
			}
		}
		more := v.passSpace()
		if err := v.blankBlock(); err != nil {
			return err
		}
		if !more {
			return v.endValues(start, n)
		}
		if err := v.readUnit(); err != nil {
			return err
		}
	}
	return v.ctx.Err()
}

// endValues ends a stream of n units.
func (v *values) endValues(start int64, n int) error {
	if err := v.noAction(); err != nil {
		return err
	}
	if v.array {
		return v.noteAt(v.in.offset, finding.SourcePartialTail, "the list of values is not closed")
	}
	if n == 0 {
		return v.reportBlank(start)
	}
	return nil
}

// reportBlank reports a stream without values.
func (v *values) reportBlank(start int64) error {
	v.noteFollowed(start)
	place := v.placeFrom(start)
	return v.skip(Skip{Place: place, Code: finding.SourceNoRecord, Detail: "there are no values"})
}

// blankBlock reports a run of spaces at the beginning of a line that is too long for
// indentation: records may have stood there.
func (v *values) blankBlock() error {
	if v.blanks < 2*leastBlock {
		v.blanks = 0
		return nil
	}
	place := Place{Container: v.container, Offset: v.blanksAt, Length: v.blanks}
	detail := (&run{longest: ' ', most: v.blanks}).asText()
	v.blanks = 0
	return v.skip(Skip{Place: place, Code: finding.SourceUnparseable, Detail: detail, Block: true})
}

// sequence begins each value of a JSON text sequence (RFC 7464).
const sequence = 0x1e

// passSpace passes the bytes between values, and notes their longest run of spaces. It returns
// false at the end. The indentation of continued text is text.
func (v *values) passSpace() bool {
	if v.goesOn && len(bytes.TrimLeft(v.in.peekBytes(leastBlock), " ")) > 0 {
		return true
	}
	from, begins := v.in.offset, v.in.offset == 0 // a run of spaces, at the beginning of a line
	for b := v.in.peekBytes(1); len(b) > 0; b = v.in.peekBytes(1) {
		c := b[0]
		if n := v.in.offset + 1 - from; c != ' ' {
			from, begins = v.in.offset+1, c == '\n'
		} else if begins && !v.array && n > v.blanks {
			v.blanks, v.blanksAt = n, from
		}
		switch {
		case c == '\n':
			v.inline = false
			v.in.skipBytes(1)
		case c == ' ' || c == '\t' || c == '\r', c == ',' && v.array:
			v.in.skipBytes(1)
		case c == ']' && v.array:
			v.array = false
			v.in.skipBytes(1)
		case c == sequence && !v.inline:
			v.in.skipBytes(1)
			v.countLooked(1)
		default:
			return true
		}
	}
	return false
}

// readUnit reads the value that comes next, and consumes it. It looks at no part
// of a line more than a few times, however many values are on it.
func (v *values) readUnit() error {
	goesOn := v.goesOn
	v.goesOn = false
	if v.array && v.in.offset >= v.lonely {
		return v.readElement()
	}
	line, ok := v.in.peekLine(0, v.limits.Unit)
	if !ok {
		return v.readElement()
	}
	text := v.trimmedLine(line)
	short := lineEnd(line)
	folded := v.isFolded(text, len(line))
	text = v.in.window()[:len(text)] // it can have moved
	switch {
	case v.inline:
		return v.readBehind(text, short)
	case goesOn && !v.isValue(text):
		return v.readText()
	case folded:
		return v.readText()
	case v.isEvent(text) && (short == finding.SourceUnparseable || v.valueSize(text) == len(text)):
		return v.reportBody(text, short)
	case looksWhole(text) && (text[0] == '"' && !isPart(text) && v.valueSize(text) == len(text) ||
		text[0] == '{' && !isWord(text)):
		return v.readWholeLine(text, short)
	case v.in.offset < v.lonely:
		return v.readOrCut(text, short)
	case startsRow(text):
		return v.readText()
	case text[0] == '{' && (isObject(text) || v.last == Journal && !isWord(text)):
		return v.readJoined(len(text), len(line))
	case isList(text):
		v.array = true
		v.in.skipBytes(1)
		return nil
	}
	return v.readText()
}

// beginsList reports whether a stream is a list of values, and not text that begins
// with a bracket.
func beginsList(b []byte) bool {
	inner := bytes.TrimLeft(b[1:], " \t\r\n")
	if len(inner) > 1 && inner[0] == '[' {
		inner = bytes.TrimLeft(inner[1:], " \t\r\n")
	}
	return len(inner) == 0 || bytes.IndexByte([]byte("{]"), inner[0]) >= 0 && (inner[0] != '{' || !isWord(inner))
}

// isWord reports whether a line begins with a bracket and a word or an apostrophe, as
// marks of text and literals of other languages do.
func isWord(text []byte) bool {
	c := text[1:]
	return len(c) > 0 && (c[0] >= 'a' && c[0] <= 'z' || c[0] >= 'A' && c[0] <= 'Z' || c[0] == '\\' || c[0] == '\'')
}

// isObject reports whether a line begins as an object does.
func isObject(text []byte) bool {
	inner := bytes.TrimLeft(text[1:], " \t")
	return len(inner) == 0 || inner[0] == '"' || inner[0] == '}'
}

// startsRow reports whether a line begins with the body of an event, and has more than that.
func startsRow(text []byte) bool {
	return bytes.HasPrefix(text, []byte(unwrap.EventStart[len(`{"body":`):])) && text[len(text)-1] != '}' &&
		bytes.Contains(text, []byte(event.Protocol)) && !bytes.Contains(text, []byte(unwrap.EventStart))
}

// isList reports whether a line begins as a list of objects does.
func isList(text []byte) bool {
	inner := bytes.TrimLeft(text[1:], " \t")
	if text[0] != '[' || len(inner) == 0 || inner[0] != '{' {
		return false
	}
	return isObject(inner)
}

// trimmedLine returns a line without the white space at its end. The same line is requested again
// after each value on it: where its text ends is found once.
func (v *values) trimmedLine(line []byte) []byte {
	if end := v.in.offset + int64(len(line)); end != v.trimmed.line {
		v.trimmed = lineEnds{line: end, text: v.in.offset + int64(len(bytes.TrimRight(line, " \t\r\n")))}
		v.countLooked(int(end - v.trimmed.text))
	}
	return line[:v.trimmed.text-v.in.offset]
}

// lineEnds are where a line ends, with its line feed, and where its text does.
type lineEnds struct{ line, text int64 }

// lineEnd is the fault if a value on this line is not whole.
func lineEnd(line []byte) finding.Code {
	if line[len(line)-1] == '\n' {
		return finding.SourceUnparseable
	}
	return finding.SourcePartialTail
}

// readWholeLine reads a line that begins and ends as a value does. If a record begins
// within it although the value before has not ended, its writer stopped there
// and began the next one behind.
func (v *values) readWholeLine(text []byte, short finding.Code) error {
	found := v.checkValue(text)
	if found.fault != nil && text[0] == '"' {
		return v.readText()
	}
	if found.fault == nil || v.nextStart(text) < 0 || v.valueSize(text) > 0 {
		return v.readChecked(text, short, found)
	}
	for len(text) > 0 {
		n := v.nextStart(text)
		if n < 0 {
			return v.readOrCut(text, short)
		}
		if err := v.readOrCut(text[:n], finding.SourceUnparseable); err != nil {
			return err
		}
		rest := text[len(v.doc.b):n]
		if at := v.in.offset; len(rest) > 0 {
			v.in.skipBytes(len(rest))
			v.noteFollowed(at)
			if err := v.skipLost(at, rest, &fault{finding.SourceTrailingData, 0,
				"no value, after a value on its line"}); err != nil {
				return err
			}
		}
		text = text[n:]
	}
	return nil
}

// separators are between values on one line, each in place of a line feed. More than one are a
// block that a crash can leave.
const separators = "\x00\v\f\x1c\x1d\x1e\x1f\u0085\u2028\u2029"

// readBehind reads the text that follows a value on its line.
func (v *values) readBehind(text []byte, short finding.Code) error {
	if r, n := utf8.DecodeRune(text); strings.ContainsRune(separators, r) && (n == len(text) || text[n] == '{') {
		at := v.in.offset
		v.in.skipBytes(n)
		v.noteFollowed(at)
		return nil
	}
	if text[0] != '{' && text[0] != '"' {
		return v.skipGarbage(finding.SourceTrailingData, "no value, after a value on its line")
	}
	if v.last == OTLPJSON { // whose readers take the first and lose the others
		if err := v.noteAt(v.in.offset, finding.SourceSeveral, "another value follows on the same line"); err != nil {
			return err
		}
	}
	if n := v.valueSize(text); n > 0 {
		text = text[:n]
	}
	return v.readOrCut(text, short)
}

// looksWhole reports whether a line begins and ends as a value does.
func looksWhole(line []byte) bool {
	if len(line) < 2 {
		return false
	}
	first, last := line[0], line[len(line)-1]
	return first == '{' && last == '}' || first == '"' && last == '"'
}

// valueSize returns where the value that text begins with ends as far as its
// brackets tell, 0 if it does not.
func (r *reader) valueSize(text []byte) int {
	var p shape
	n, state := p.scanPiece(text)
	if r.countLooked(n); state == scanDone {
		return n
	}
	return 0
}

// nextStart returns where, behind its first byte, a record seems to begin in
// text, -1 if none does. Behind a colon it would be the value of a member.
func (r *reader) nextStart(text []byte) int {
	for i := 1; i < len(text); i++ {
		n := bytes.Index(text[i:], []byte(`{"`))
		if n < 0 {
			r.countLooked(len(text) - i)
			return -1
		}
		r.countLooked(n)
		i += n
		for _, start := range starts {
			if text[i-1] != ':' && bytes.HasPrefix(text[i:], start) {
				return i
			}
		}
	}
	return -1
}

// readOrCut reads a unit: a whole value or, if it ends too early, its beginning; short is the fault
// in that case.
func (v *values) readOrCut(unit []byte, short finding.Code) error {
	return v.readChecked(unit, short, v.checkValue(unit))
}

func (v *values) readChecked(unit []byte, short finding.Code, found verdict) error {
	at := v.in.offset
	d := &v.doc
	*d = doc{stream: v.stream, b: unit, base: at, short: short}
	if err := d.readValue(v.forms.Named(v.forced), found); err != nil {
		return err
	}
	v.in.skipBytes(len(d.b))
	v.noteFollowed(at)
	v.inline = len(d.b) < len(unit)
	return nil
}
