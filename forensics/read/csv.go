package read

import (
	"bytes"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read/rows"
)

// csvTable is a stream of records with delimiters between their fields, as RFC 4180 describes
// it, and as spreadsheets and stores write it. The bytes of a field are kept. A record that
// does not fit the header is handed on as text.
type csvTable struct {
	*stream
	head   csvHead
	doc    doc
	row    rows.Text
	scan   csvScan
	field  []byte // scratch
	again  int64  // bytes that were looked at for a record that was none
	single int64  // records before this offset end with their line
}

// readCSV reads a stream that begins with a header.
func (s *stream) readCSV() error {
	w := s.in.peekBytes(sniffSize)
	head, ok := csvHeader(w, len(w) == sniffSize)
	if !ok { // sniff has seen it
		return s.skipRest(finding.SourceUnknownFormat, "no header of a table")
	}
	t := &csvTable{stream: s, head: head}
	at := s.in.offset
	s.in.skipBytes(head.size)
	s.noteFollowed(at)
	pieces := newPieces(s, cutBehindLine, func(p *piece) bool { return readRecords(p, head) })
	for s.ctx.Err() == nil {
		if err := t.readPieces(pieces); err != nil {
			return err
		}
		if len(s.in.peekBytes(1)) == 0 {
			break
		}
		if err := t.nextRecord(); err != nil {
			return err
		}
	}
	return s.ctx.Err()
}

// nextRecord reads the record that comes next.
func (t *csvTable) nextRecord() error {
	if n := blankLine(t.in.window()); n > 0 {
		at := t.in.offset
		t.in.skipBytes(n)
		t.noteFollowed(at)
		return nil
	}
	t.scan.reset(t.head.delimiter, t.in.offset < t.single)
	for {
		before := t.scan.i
		state := t.scan.scanMore(t.in.window(), false)
		t.countLooked(t.scan.i - before)
		if state == csvMore && t.scan.i <= t.limits.Unit {
			if t.in.fillWindow() {
				continue
			}
			state = t.scan.scanMore(t.in.window(), true)
		}
		if state == csvDone && t.scan.i <= t.limits.Unit {
			return t.readRecord()
		}
		return t.emitTorn()
	}
}

// readRecord reads a whole record.
func (t *csvTable) readRecord() error {
	at, b := t.in.offset, t.in.window()[:t.scan.i]
	place := Place{Container: t.container, Offset: at, Length: int64(len(b))}
	var err error
	if len(t.scan.fields) == len(t.head.names) {
		err = t.emitFields(place, b)
	} else {
		err = t.looseEnd(place, b, "a record with more or fewer fields than the header", isTorn(b))
	}
	t.in.skipBytes(len(b))
	t.noteFollowed(at)
	return err
}

// emitFields hands on the fields of a record under the names of the header.
func (t *csvTable) emitFields(place Place, b []byte) error {
	t.row.Open()
	for i, f := range t.scan.fields {
		text := b[f.from:f.to]
		if len(text) == 0 {
			continue
		}
		if f.doubled {
			t.field = appendUndoubled(t.field[:0], text)
			text = t.field
		}
		t.row.Name(t.head.names[i])
		t.row.String(text)
	}
	t.doc.torn = isTorn(b)
	return t.emitRow(&t.doc, place, t.row.Close())
}

// isTorn reports whether the stream ends within the last of these lines.
func isTorn(b []byte) bool { return len(b) > 0 && b[len(b)-1] != '\n' }

// emitTorn hands on the line that begins here, which is no record: a quote is not closed, or
// closed within a field. The text after it is read by itself, since the record that a writer
// began after a crash is on a line of its own.
func (t *csvTable) emitTorn() error {
	line, ok := t.in.peekLine(0, t.limits.Unit)
	if !ok {
		return t.longLine()
	}
	if beyond := t.scan.i - len(line); beyond > 0 {
		if t.again += int64(beyond); t.again > t.in.offset+freeAgain {
			t.single = t.in.offset + int64(t.scan.i)
		}
	}
	at := t.in.offset
	place := Place{Container: t.container, Offset: at, Length: int64(len(line))}
	err := t.looseEnd(place, line, "a record whose quotes do not match", isTorn(line))
	t.in.skipBytes(len(line))
	t.noteFollowed(at)
	return err
}

// blankLine returns the size of a blank line that b begins with, 0 if it begins with
// none.
func blankLine(b []byte) int {
	switch {
	case bytes.HasPrefix(b, []byte("\n")):
		return 1
	case bytes.HasPrefix(b, []byte("\r\n")):
		return 2
	}
	return 0
}

// appendUndoubled appends a quoted field with its doubled quotes as one.
func appendUndoubled(dst, field []byte) []byte {
	for {
		n := bytes.IndexByte(field, '"')
		if n < 0 || n+1 == len(field) {
			return append(dst, field...)
		}
		dst = append(dst, field[:n+1]...)
		field = field[n+2:]
	}
}

// csvField is a field of a record, without its quotes.
type csvField struct {
	from, to int
	doubled  bool // there are doubled quotes in it
}

// csvState is how far a scan has come.
type csvState int

const (
	csvMore csvState = iota // the record continues after the present bytes
	csvDone
	csvTorn // no record begins here
)

// csvScan finds the fields of one record. It is given more of the stream until the
// record is whole, and looks at each byte once.
type csvScan struct {
	fields    []csvField
	i         int // where to go on; behind the record at its end
	from      int // where the field begins
	delimiter byte
	single    bool // the record ends with its line, quoted or not
	quoted    bool // within quotes
	doubled   bool
	begun     bool // the field is begun
}

func (c *csvScan) reset(delimiter byte, single bool) {
	*c = csvScan{fields: c.fields[:0], delimiter: delimiter, single: single}
}

// scanMore examines the new bytes of b. end means that the stream ends there.
func (c *csvScan) scanMore(b []byte, end bool) csvState {
	for {
		var state csvState
		switch {
		case !c.begun:
			if c.i == len(b) && !end {
				return csvMore
			}
			c.begun, c.from, c.doubled = true, c.i, false
			if c.quoted = c.i < len(b) && b[c.i] == '"'; c.quoted {
				c.i++
				c.from = c.i
			}
			continue
		case c.quoted:
			state = c.inQuotes(b, end)
		default:
			state = c.scanPlainField(b, end)
		}
		if state != csvMore || c.begun {
			return state
		}
	}
}

// scanPlainField passes a field without quotes. If the record continues in b, it is not begun.
func (c *csvScan) scanPlainField(b []byte, end bool) csvState {
	for ; c.i < len(b); c.i++ {
		switch b[c.i] {
		case c.delimiter:
			c.endField(c.i)
			c.i++
			return csvMore
		case '\n':
			c.endField(c.from + len(bytes.TrimSuffix(b[c.from:c.i], []byte("\r"))))
			c.i++
			return csvDone
		}
	}
	if end {
		c.endField(c.i)
		return csvDone
	}
	return csvMore
}

// inQuotes passes a field in quotes.
func (c *csvScan) inQuotes(b []byte, end bool) csvState {
	for {
		passed, _, closes := bytes.Cut(b[c.i:], []byte{'"'})
		if c.single && bytes.IndexByte(passed, '\n') >= 0 {
			return csvTorn
		}
		c.i += len(passed)
		if !closes {
			if end {
				return csvTorn
			}
			return csvMore
		}
		rest := b[c.i+1:]
		switch {
		case len(rest) == 0 || string(rest) == "\r":
			if end {
				c.endField(c.i)
				c.i = len(b)
				return csvDone
			}
			return csvMore
		case rest[0] == '"':
			c.doubled = true
			c.i += 2
			continue
		case rest[0] == c.delimiter:
			c.endField(c.i)
			c.i += 2
			return csvMore
		}
		if n := blankLine(rest); n > 0 {
			c.endField(c.i)
			c.i += 1 + n
			return csvDone
		}
		return csvTorn
	}
}

// endField ends a field.
func (c *csvScan) endField(to int) {
	c.fields = append(c.fields, csvField{from: c.from, to: to, doubled: c.doubled})
	c.begun = false
}
