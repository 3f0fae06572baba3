package ijson

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// syntaxFault returns the fault that the tokenizer found in the token that starts at start.
// The tokenizer's texts may change, so its error gives only the place; the kind of fault is
// read from the bytes there.
func (p *parser) syntaxFault(err error, start int) *Fault {
	place := &jsontext.SyntacticError{ByteOffset: int64(len(p.src)), Err: io.ErrUnexpectedEOF}
	errors.As(err, &place)
	offset, pointer := int(place.ByteOffset), string(place.JSONPointer)
	rest := p.src[offset:]
	inString := offset > start && p.src[start] == '"'

	switch {
	case !validStart(rest):
		return &Fault{CodeInvalidUTF8, pointer, offset, "UTF-8", safetext.Excerpt(rest[:1], safetext.Glimpse)}
	case start < len(p.src) && isNumberStart(p.src[start]) && !p.wantsName() && !isNumber(p.src, start):
		return numberFault(p.src, pointer, start)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &Fault{CodeSyntax, pointer, len(p.src), "the rest of the value", "the end of the document"}
	case inString && isSurrogateEscape(rest):
		return &Fault{CodeAmbiguous, pointer, offset, "surrogates only as a pair of high and low",
			safetext.Excerpt(rest[:6], safetext.Glimpse)}
	}
	return &Fault{CodeSyntax, pointer, offset, p.expectedHere(inString), safetext.Excerpt(rest, safetext.Glimpse)}
}

// expectedHere describes the text that the grammar allows where the tokenizer stopped.
func (p *parser) expectedHere(inString bool) string {
	in := p.innerLevel()
	switch {
	case inString:
		return "a string without control characters and unknown escape sequences"
	case in == nil:
		return "a value"
	case p.wantsName() && in.count == 0:
		return "a member or the end of the object"
	case p.wantsName():
		return "a comma and a member, or the end of the object"
	case in.kind == Object:
		return "a colon and a value"
	case in.count == 0:
		return "an element or the end of the array"
	}
	return "a comma and an element, or the end of the array"
}

// numberFault refuses the number that starts at offset.
func numberFault(doc []byte, pointer string, offset int) *Fault {
	return &Fault{
		CodeSyntax, pointer, offset,
		"an integer within 9007199254740991 of zero in plain decimal",
		safetext.Excerpt(doc[offset:wordEnd(doc, offset)], safetext.Glimpse),
	}
}

// isNumberStart reports whether a token that starts with c is meant as a
// number, rightly or not.
func isNumberStart(c byte) bool { return c-'0' <= 9 || c == '-' || c == '+' || c == '.' }

// isNumber reports whether the word at doc[i] is an acceptable number.
func isNumber(doc []byte, i int) bool {
	_, end := scanInteger(doc, i)
	return end >= 0 && end == wordEnd(doc, i)
}

// wordEnd returns the index of the first byte, from i on, that would not be
// read as part of the same number or literal.
func wordEnd(doc []byte, i int) int {
	for i < len(doc) && isWordByte(doc[i]) {
		i++
	}
	return i
}

func isWordByte(c byte) bool {
	return isNumberStart(c) || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_'
}

// validStart reports whether b is empty or starts with a whole UTF-8 character.
func validStart(b []byte) bool {
	r, n := utf8.DecodeRune(b)
	return r != utf8.RuneError || n != 1
}

// isSurrogateEscape reports whether b starts with the escape sequence of one
// half of a surrogate pair.
func isSurrogateEscape(b []byte) bool {
	digits, escape := bytes.CutPrefix(b, []byte(`\u`))
	r, _ := decodeHex4(digits)
	return escape && utf16.IsSurrogate(r)
}

// skipSpace returns the index of the first byte, from i on, that is not white
// space.
func skipSpace(doc []byte, i int) int {
	for i < len(doc) && (doc[i] == ' ' || doc[i] == '\t' || doc[i] == '\n' || doc[i] == '\r') {
		i++
	}
	return i
}

// skipToToken returns the index of the token after the one that ends at i: past
// white space and at most one comma or colon. Whether the comma or colon is
// right there is the tokenizer's business.
func skipToToken(doc []byte, i int) int {
	i = skipSpace(doc, i)
	if i < len(doc) && (doc[i] == ',' || doc[i] == ':') {
		i = skipSpace(doc, i+1)
	}
	return i
}
