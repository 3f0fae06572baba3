package seal

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync/atomic"
	"unicode/utf8"

	"github.com/gowebpki/jcs"
)

// Object is a JSON object.
type Object = map[string]any

// Raw is JSON text that [Canonical] writes as it is. No honest document contains one; a forger
// uses it to sign values that the document types cannot express, such as a fraction or a null.
type Raw []byte

// largestInteger is the largest magnitude of a number, SPEC 1.4.
const largestInteger = 1<<53 - 1

// Canonical returns the RFC 8785 form of a document, SPEC 1.3. It panics if the
// document holds a type that documents are not made of, a string that is not
// UTF-8, or a number that SPEC 1.4 excludes: these are faults of the caller.
func Canonical(document any) []byte {
	text := appendValue(nil, document)
	if inBulk.Load() {
		return text
	}
	canonical, err := jcs.Transform(text)
	if err != nil {
		panic("seal: " + err.Error())
	}
	return canonical
}

// inBulk is set once much evidence for tests is made.
var inBulk atomic.Bool

// MakeInBulk is for programs that make much evidence for tests: from now on, [Canonical] leaves out
// the library, which doubles the time of a scene. The tests of this package hold
// both forms to the same bytes.
func MakeInBulk() { inBulk.Store(true) }

func appendValue(b []byte, value any) []byte {
	switch v := value.(type) {
	case string:
		return appendString(b, v)
	case int64:
		if v > largestInteger || v < -largestInteger {
			panic(fmt.Sprintf("wire: the number %d is beyond 2^53-1", v))
		}
		return strconv.AppendInt(b, v, 10)
	case bool:
		return strconv.AppendBool(b, v)
	case []any:
		return appendList(b, v)
	case Object:
		return appendObject(b, v)
	case Raw:
		return append(b, v...)
	}
	panic(fmt.Sprintf("wire: a document cannot hold a %T", value))
}

func appendList(b []byte, list []any) []byte {
	b = append(b, '[')
	for i, element := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendValue(b, element)
	}
	return append(b, ']')
}

func appendObject(b []byte, object Object) []byte {
	names := slices.SortedFunc(maps.Keys(object), compareUTF16)
	b = append(b, '{')
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, name)
		b = append(b, ':')
		b = appendValue(b, object[name])
	}
	return append(b, '}')
}

const hexDigits = "0123456789abcdef"

func appendString(b []byte, s string) []byte {
	if !utf8.ValidString(s) {
		panic(fmt.Sprintf("wire: the string %q is not UTF-8", s))
	}
	b = append(b, '"')
	for i := range len(s) {
		b = appendEscaped(b, s[i])
	}
	return append(b, '"')
}

// appendEscaped writes one byte of a string. RFC 8785 escapes the quote, the
// backslash and the control characters, and nothing else.
func appendEscaped(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\b':
		return append(b, `\b`...)
	case '\t':
		return append(b, `\t`...)
	case '\n':
		return append(b, `\n`...)
	case '\f':
		return append(b, `\f`...)
	case '\r':
		return append(b, `\r`...)
	}
	if c < 0x20 {
		return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
	}
	return append(b, c)
}

// compareUTF16 orders member names by their UTF-16 code units, as RFC 8785
// demands. It differs from the order of the bytes where a character beyond the
// basic plane, whose units are surrogates, meets one of U+E000 to U+FFFF.
func compareUTF16(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return cmp.Compare(unitRank(a[i]), unitRank(b[i]))
		}
	}
	return cmp.Compare(len(a), len(b))
}

// unitRank puts the first bytes of the characters from U+E000 to U+FFFF behind all others.
func unitRank(first byte) byte {
	if first == 0xee || first == 0xef {
		return first + 0x10
	}
	return first
}
