package unwrap

import (
	"bytes"
	"strconv"
	"time"

	"github.com/svc-edge/svc-verify/forensics/read/rows"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// literal is a value as Python, JavaScript or JSON5 write one: with strings in either
// quotes, names without quotes, commas before a closing bracket, and comments.
var literal = &layer{"a literal", "'\"\\TFN{,/", literalToken}

// literalToken reads a token as one of JSON.
func literalToken(dst, src []byte) ([]byte, int) {
	for _, constant := range [][2]string{{"True", "true"}, {"False", "false"}, {"None", "null"}} {
		if bytes.HasPrefix(src, []byte(constant[0])) {
			return append(dst, constant[1]...), len(constant[0])
		}
	}
	switch src[0] {
	case '\\':
		n := min(2, len(src))
		return append(dst, src[:n]...), n
	case '/':
		if n := commentEnd(src); n > 0 && (len(dst) == 0 || bytes.IndexByte([]byte(" \t\r\n,{[}]"), dst[len(dst)-1]) >= 0) {
			return dst, n
		}
		return append(dst, src[0]), 1
	case '{', ',':
		return literalName(dst, src)
	}
	end := literalEnd(src)
	if src[0] != '\'' && src[0] != '"' || end < 0 {
		return append(dst, src[0]), 1
	}
	text, _ := backslash.decodeLayer(nil, src[1:end], nil)
	return rows.AppendString(dst, text), end + 1
}

// literalName reads a bracket or a comma, and the name without quotes behind it. A comma
// before a closing bracket is left out.
func literalName(dst, src []byte) ([]byte, int) {
	i := passSpace(src, 1)
	if src[0] == ',' && i < len(src) && (src[i] == '}' || src[i] == ']') {
		return dst, i
	}
	dst = append(dst, src[0])
	end := i
	for end < len(src) && (src[end] == '_' || src[end]|0x20 >= 'a' && src[end]|0x20 <= 'z' || end > i && src[end] >= '0' &&
		src[end] <= '9') {
		end++
	}
	if colon := skipSpace(src, end); end > i && colon < len(src) && src[colon] == ':' {
		return rows.AppendString(dst, src[i:end]), end
	}
	return dst, i
}

// passSpace is skipSpace for a text with comments.
func passSpace(b []byte, i int) int {
	for {
		i = skipSpace(b, i)
		n := commentEnd(b[min(i, len(b)):])
		if n == 0 {
			return i
		}
		i += n
	}
}

// commentEnd returns the length of the comment that a text begins with, 0 if it does not.
func commentEnd(b []byte) int {
	end, n := "\n", 0
	switch {
	case bytes.HasPrefix(b, []byte("/*")):
		end, n = "*/", 2
	case !bytes.HasPrefix(b, []byte("//")):
		return 0
	}
	if i := bytes.Index(b[n:], []byte(end)); i >= 0 {
		return n + i + n
	}
	return len(b)
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

// extendedJSON is MongoDB's, in which numbers and times are objects.
var extendedJSON = &layer{"extended JSON", "{", extendedValue}

var (
	extended = safetext.Pattern(`^\{\s*"\$number(?:Int|Long|Decimal|Double)"\s*:\s*"(-?[0-9]+)(?:\.0)?"\s*\}`)

	extendedTime = safetext.Pattern(
		`^\{\s*"\$date"\s*:\s*(?:"([^"\\]+)"|\{\s*"\$numberLong"\s*:\s*"(-?[0-9]{1,15})"\s*\})\s*\}`)
)

// extendedValue reads a number, or a time, which is written as events have it (SPEC 1.5).
func extendedValue(dst, src []byte) ([]byte, int) {
	src = src[:min(len(src), 128)]
	if m := extended().FindSubmatchIndex(src); m != nil {
		return append(dst, src[m[2]:m[3]]...), m[1]
	}
	if m := extendedTime().FindSubmatch(src); m != nil {
		at, err := time.Parse(time.RFC3339, string(m[1]))
		if millis, bad := strconv.ParseInt(string(m[2]), 10, 64); bad == nil {
			at, err = time.UnixMilli(millis), nil
		}
		if err == nil && at.Equal(at.Truncate(time.Millisecond)) {
			return at.UTC().AppendFormat(dst, `"2006-01-02T15:04:05.000Z"`), len(m[0])
		}
	}
	return append(dst, '{'), 1
}

// isExtended reports whether a JSON text has a value of MongoDB's extended JSON.
func isExtended(text []byte) bool {
	return bytes.Contains(text, []byte(`"$`)) && extendedBegin().Match(text)
}

var extendedBegin = safetext.Pattern(`\{\s*"\$(?:number|date")`)
