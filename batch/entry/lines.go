package entry

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/svc-edge/svc-verify/internal/access"
)

// mark is the byte order mark of UTF-8.
const mark = "\xef\xbb\xbf"

// text yields content that is no archive: its lines if it is JSON lines, or else
// the whole of it.
func (c *content) text() error {
	if c.wanted(c.at.matched) && c.isLines() {
		return c.lines()
	}
	return c.document()
}

// isLines reports whether the content is JSON lines. The first two lines decide
// that are not blank. With only one, the content is one document.
//
//   - The first one begins an object that ends in it, or that is broken off in a
//     string, which no document can be: JSON lines.
//   - The first one is no object, but the second one is: JSON lines whose first line
//     is damaged.
//   - The first one begins an array, or an object that continues in the next line: one
//     document.
func (c *content) isLines() bool {
	from := 0
	if c.fill(len(mark)) && string(c.head[:len(mark)]) == mark {
		from = len(mark)
	}
	first, next := c.nextLine(from)
	if len(first) == 0 || first[0] == '[' {
		return false
	}
	if next < 0 { // a first line that is too long, of many
		return first[0] == '{'
	}
	second, next := c.nextLine(next)
	if len(second) == 0 { // one line, as most proofs are: it is not looked into
		return false
	}
	switch objectIn(first) {
	case none:
		return next >= 0 && objectIn(second) == whole
	case open:
		return false
	}
	return true
}

// nextLine returns the next line that is not blank, and where the line behind it
// begins. It is nil at the end of the content, or behind more blanks than an entry can
// have. If the line is longer than an entry can be, the place is -1 and the line is
// its beginning.
func (c *content) nextLine(from int) (line []byte, next int) {
	for begin := from; ; from++ {
		if from-begin > maxEntry || from == len(c.head) && !c.fill(from+1) {
			return nil, from
		}
		if !isBlank(c.head[from]) {
			break
		}
	}
	for at := from; ; {
		i := bytes.IndexByte(c.head[at:], '\n')
		switch {
		case i >= 0 && at+i-from < maxEntry:
			return c.head[from : at+i], at + i + 1
		case i >= 0 || len(c.head)-from >= maxEntry: // however much was read at once
			return c.head[from : from+maxEntry], -1
		}
		at = len(c.head)
		if !c.fill(at + 1) {
			return c.head[from:at], at
		}
	}
}

// isBlank reports whether a byte is white space of JSON (SPEC 1.1).
func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// object describes how far a line is a JSON object.
type object int

const (
	none  object = iota // it begins none
	open                // its object continues after it
	cut                 // it ends in a string, where no line can end, or has more than an object
	whole               // it is one object
)

// objectIn looks at strings and brackets alone: the rest is for the reader of
// bundles.
func objectIn(line []byte) object {
	if len(line) == 0 || line[0] != '{' {
		return none
	}
	depth, quoted := 0, false
	for i := 0; i < len(line); i++ {
		switch b := line[i]; {
		case quoted && b == '\\':
			i++
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '{' || b == '[':
			depth++
		case b == '}' || b == ']':
			if depth--; depth == 0 {
				if len(bytes.TrimRight(line[i+1:], " \t\r")) > 0 {
					return cut
				}
				return whole
			}
		}
	}
	if quoted {
		return cut
	}
	return open
}

// lines yields each line that is not blank.
func (c *content) lines() error {
	head := bytes.TrimPrefix(c.head, []byte(mark))
	in := bufio.NewReaderSize(io.MultiReader(bytes.NewReader(head), &rest{c}), atHand)
	c.head = nil
	for number := int64(1); ; number++ {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		line, size, err := readLine(in)
		failed := err != nil && !errors.Is(err, io.EOF)
		if failed || len(line) > 0 {
			e := Entry{Size: size, data: line}
			if failed {
				e = Entry{Size: -1, Err: access.WithoutPath(err)}
			}
			if err := c.emit(c.line(number), e); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
	}
}

// rest reads the rest of a content, and ends as it did.
type rest struct{ c *content }

// Read implements io.Reader.
func (r *rest) Read(p []byte) (int, error) {
	if r.c.err != nil {
		return 0, r.c.err
	}
	n, err := r.c.r.Read(p)
	r.c.err = err
	return n, err
}

// line is the place of a line.
func (c *content) line(number int64) where {
	at := c.at
	at.name = c.names.line(c.at.name, number)
	n := strconv.FormatInt(number, 10)
	if at.place.Entry == "" {
		at.place.Entry, at.place.Line = n, number
	} else {
		at.place.Entry += ":" + n
	}
	return at
}

// readLine returns the next line without its end, or nil if it is blank, and how
// long it is. Of a line that is too long it returns the first maxEntry bytes.
func readLine(in *bufio.Reader) (line []byte, size int64, err error) {
	blank := true
	for {
		part, err := in.ReadSlice('\n')
		ended := err == nil
		if ended {
			part = part[:len(part)-1]
		}
		size += int64(len(part))
		line = append(line, part[:min(len(part), maxEntry-len(line))]...)
		blank = blank && len(bytes.Trim(part, " \t\r\n")) == 0
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if blank {
			return nil, 0, err
		}
		if size == int64(len(line)) && line[size-1] == '\r' {
			line, size = line[:size-1], size-1
		}
		return line, size, err
	}
}
