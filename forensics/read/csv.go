package read

import "bytes"

// isTorn reports whether the stream ends within the last of these lines.
func isTorn(b []byte) bool { return len(b) > 0 && b[len(b)-1] != '\n' }

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

// undouble appends a quoted field with its doubled quotes as one.
func undouble(dst, field []byte) []byte {
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
	csvMore csvState = iota // the record goes on behind what is there
	csvDone
	csvTorn // no record begins here
)

// csvScan finds the fields of one record. It is given more of the stream until the
// record is whole, and looks at each octet once.
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

// next looks at what b has more than before. end says that the stream ends there.
func (c *csvScan) next(b []byte, end bool) csvState {
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
			state = c.plain(b, end)
		}
		if state != csvMore || c.begun {
			return state
		}
	}
}

// plain passes a field without quotes. If the record goes on in b, it is not begun.
func (c *csvScan) plain(b []byte, end bool) csvState {
	for ; c.i < len(b); c.i++ {
		switch b[c.i] {
		case c.delimiter:
			c.add(c.i)
			c.i++
			return csvMore
		case '\n':
			c.add(c.i - trailing(b[c.from:c.i]))
			c.i++
			return csvDone
		}
	}
	if end {
		c.add(c.i)
		return csvDone
	}
	return csvMore
}

// trailing is 1 if the line feed behind b has a carriage return before it.
func trailing(b []byte) int {
	if bytes.HasSuffix(b, []byte("\r")) {
		return 1
	}
	return 0
}

// inQuotes passes a field in quotes.
func (c *csvScan) inQuotes(b []byte, end bool) csvState {
	for {
		n := bytes.IndexByte(b[c.i:], '"')
		passed := b[c.i:]
		if n >= 0 {
			passed = passed[:n]
		}
		if c.single && bytes.IndexByte(passed, '\n') >= 0 {
			return csvTorn
		}
		c.i += len(passed)
		if n < 0 {
			return c.atEnd(end, csvTorn)
		}
		rest := b[c.i+1:]
		switch {
		case len(rest) == 0 || string(rest) == "\r":
			if end {
				c.add(c.i)
				c.i = len(b)
				return csvDone
			}
			return csvMore
		case rest[0] == '"':
			c.doubled = true
			c.i += 2
			continue
		case rest[0] == c.delimiter:
			c.add(c.i)
			c.i += 2
			return csvMore
		}
		if n := blankLine(rest); n > 0 {
			c.add(c.i)
			c.i += 1 + n
			return csvDone
		}
		return csvTorn
	}
}

// atEnd is what it means that there is no more.
func (c *csvScan) atEnd(end bool, otherwise csvState) csvState {
	if end {
		return otherwise
	}
	return csvMore
}

// add ends a field.
func (c *csvScan) add(to int) {
	c.fields = append(c.fields, csvField{from: c.from, to: to, doubled: c.doubled})
	c.begun = false
}
