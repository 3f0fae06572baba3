package unwrap

import (
	"bytes"
	"regexp"

	"github.com/svc-edge/svc-verify/forensics/read/rows"
)

// python is the literal of a value in Python, with which strings are written in
// either quotes.
var python = &layer{"a Python literal", `'"\TFN`, pythonToken}

// pythonToken reads a string or a constant of Python as one of JSON.
func pythonToken(dst, src []byte) ([]byte, int) {
	for _, constant := range [][2]string{{"True", "true"}, {"False", "false"}, {"None", "null"}} {
		if bytes.HasPrefix(src, []byte(constant[0])) {
			return append(dst, constant[1]...), len(constant[0])
		}
	}
	if src[0] == '\\' {
		n := min(2, len(src))
		return append(dst, src[:n]...), n
	}
	end := literalEnd(src)
	if src[0] != '\'' && src[0] != '"' || end < 0 {
		return append(dst, src[0]), 1
	}
	text, _ := backslash.decode(nil, src[1:end], nil)
	return rows.AppendString(dst, text), end + 1
}

// literalEnd returns where the quote is that ends a string, -1 if there is none.
func literalEnd(src []byte) int {
	for i := 1; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case src[0]:
			return i
		case '\n':
			return -1
		}
	}
	return -1
}

// numbers are those of MongoDB's extended JSON, each of which is an object.
var numbers = &layer{"extended JSON", "{", extendedNumber}

var extended = regexp.MustCompile(`^\{\s*"\$number(?:Int|Long|Decimal|Double)"\s*:\s*"(-?[0-9]+)(?:\.0)?"\s*\}`)

func extendedNumber(dst, src []byte) ([]byte, int) {
	if m := extended.FindSubmatchIndex(src[:min(len(src), 64)]); m != nil {
		return append(dst, src[m[2]:m[3]]...), m[1]
	}
	return append(dst, '{'), 1
}
