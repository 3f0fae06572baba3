package read

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/svc-edge/svc-verify/finding"
)

// orEndsEarly completes a fault that only reports that a value ends too early, after some bytes. Its
// code is short, unless that is a length at which a store cuts.
func (f *fault) orEndsEarly(short finding.Code, octets int) *fault {
	if f.code != "" {
		return f
	}
	if detail, cut := Cut(octets); cut && short == finding.SourceUnparseable {
		return &fault{finding.BodyTruncated, f.at, detail}
	}
	return &fault{short, f.at, f.text}
}

// verdict is the result of a strict reading of a JSON value.
type verdict struct {
	end     int    // where the value ends
	foreign bool   // it holds text that is not Unicode: invalid UTF-8, or half a surrogate pair
	fault   *fault // nil if there is none; its code is "" if the value ends too early
}

// checkValue reads the JSON value that b begins with, strictly.
func (r *reader) checkValue(b []byte) verdict {
	end, err := r.scanValue(b, strict)
	if err == nil {
		return verdict{end: end}
	}
	if end, again := r.scanValue(b, lax); again == nil {
		return verdict{end: end, foreign: true}
	}
	f := &fault{code: finding.SourceUnparseable, at: len(b), text: "not a JSON value"}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		f.at = min(int(syntax.ByteOffset), len(b))
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		f.code, f.text = "", "the JSON value is not whole"
	case errors.Is(err, jsontext.ErrDuplicateName):
		f.code, f.text = finding.SourceAmbiguous, "a member is there twice"
	}
	return verdict{fault: f}
}

var (
	strict = jsontext.AllowInvalidUTF8(false)
	lax    = jsontext.AllowInvalidUTF8(true)
)

// scanValue reads one value, and refuses duplicate names in it.
func (r *reader) scanValue(b []byte, options jsontext.Options) (int, error) {
	r.buffer = *bytes.NewBuffer(b)
	r.decoder.Reset(&r.buffer, options)
	_, err := r.decoder.ReadValue()
	end := int(r.decoder.InputOffset())
	r.countLooked(end)
	return end, err
}

// cursor walks over a JSON text without looking closer than needed: whether it
// is sound is for check to say. At damage it stops, and everything before has
// been seen.
type cursor struct {
	b      []byte
	i      int
	broken bool
}

// peekToken goes to the next token and returns its first byte, 0 at the end.
func (c *cursor) peekToken() byte {
	for c.i < len(c.b) {
		switch c.b[c.i] {
		case ' ', '\t', '\r', '\n':
			c.i++
		default:
			return c.b[c.i]
		}
	}
	return 0
}

// passValue passes a value and returns it, or its beginning.
func (c *cursor) passValue() []byte {
	first := c.peekToken()
	start := c.i
	switch first {
	case '"':
		c.passString()
	case '{', '[':
		c.passNested()
	case 0, '}', ']', ',', ':':
		c.broken = true
	default:
		c.passWord()
	}
	return c.b[start:c.i]
}

// passString passes a string.
func (c *cursor) passString() {
	for from := c.i + 1; ; {
		n := bytes.IndexByte(c.b[min(from, len(c.b)):], '"')
		if n < 0 {
			c.i, c.broken = len(c.b), true
			return
		}
		end := from + n
		escapes := end
		for escapes > from && c.b[escapes-1] == '\\' {
			escapes--
		}
		if from = end + 1; (end-escapes)%2 == 0 {
			c.i = from
			return
		}
	}
}

// passNested passes an object or array, whatever it holds.
func (c *cursor) passNested() {
	for depth := 0; c.i < len(c.b); {
		switch c.b[c.i] {
		case '"':
			c.passString()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if c.i++; depth == 0 {
			return
		}
	}
	c.broken = true
}

// passWord passes a number, true, false or null.
func (c *cursor) passWord() {
	n := bytes.IndexAny(c.b[c.i:], ",:}] \t\r\n")
	if n < 0 {
		c.i, c.broken = len(c.b), true
		return
	}
	c.i += n
}

// eachMember calls f for each member of an object, with its name as it is written between the
// quotes and the cursor at its value. A value that f leaves unread is passed, and so is a
// value that is no object.
func (c *cursor) eachMember(f func(name []byte) error) error {
	if c.peekToken() != '{' {
		c.passValue()
		return nil
	}
	for c.i++; !c.broken; {
		switch c.peekToken() {
		case '}':
			c.i++
			return nil
		case ',':
			c.i++
		case '"':
			name := c.passName()
			if c.broken {
				return nil
			}
			start := c.i
			if err := f(name); err != nil {
				return err
			}
			if c.i == start && !c.broken {
				c.passValue()
			}
		default:
			c.broken = true
		}
	}
	return nil
}

// passName passes the name of a member and its colon.
func (c *cursor) passName() []byte {
	name := c.passValue()
	if c.peekToken() != ':' {
		c.broken = true
		return nil
	}
	c.i++
	c.peekToken()
	if bytes.IndexByte(name, '\\') >= 0 {
		name, _ = appendUnquoted(nil, name)
		return name
	}
	return name[1 : len(name)-1]
}

// eachElement calls f for each element of an array, with the cursor at it. A value
// that is no array is passed.
func (c *cursor) eachElement(f func() error) error {
	if c.peekToken() != '[' {
		c.passValue()
		return nil
	}
	for c.i++; !c.broken; {
		switch c.peekToken() {
		case ']':
			c.i++
			return nil
		case ',':
			c.i++
		default:
			start := c.i
			if err := f(); err != nil {
				return err
			}
			if c.i == start && !c.broken {
				c.passValue()
			}
		}
	}
	return nil
}

// valueAt returns the value that a path of names leads to, nil if there is none.
func valueAt(b []byte, path ...string) []byte {
	var found []byte
	c := cursor{b: b}
	err := c.eachMember(func(name []byte) error {
		if string(name) != path[0] {
			return nil
		}
		found = c.passValue()
		return errFound
	})
	if err == nil || len(path) == 1 {
		return found
	}
	return valueAt(found, path[1:]...)
}

// pickMembers sets each of to to the value of the member that names has in its place. Of members of
// one name the first counts. Elements of an array are named by their numbers, from 0.
func pickMembers(b []byte, names []string, to [][]byte) {
	c := cursor{b: b}
	take := func(name []byte) error {
		for i, want := range names {
			if string(name) == want && to[i] == nil {
				to[i] = c.passValue()
				break
			}
		}
		return nil
	}
	// The walks themselves cannot fail.
	if c.peekToken() != '[' {
		_ = c.eachMember(take)
		return
	}
	n := byte('0')
	_ = c.eachElement(func() error {
		if n > '9' {
			return errFound
		}
		n++
		return take([]byte{n - 1})
	})
}

// errFound ends a walk that is done.
var errFound = errors.New("found")
