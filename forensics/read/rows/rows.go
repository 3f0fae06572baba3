// Package rows writes rows of tables as the text of JSON objects.
//
// A text in a row has every byte that the table has, also those that are not UTF-8. Bytes that
// the table does not call a text, and that are not text, are in base64.
package rows

import (
	"bytes"
	"encoding/base64"
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// Text is a row. It is used for one row after the other. A column without a value is
// left out by not writing its name.
type Text struct{ out []byte }

// Open starts a row.
func (t *Text) Open() { t.out = append(t.out[:0], '{') }

// Close ends the row and returns it. It is valid until the next row starts.
func (t *Text) Close() []byte {
	t.out = append(t.out, '}')
	return t.out
}

// writeComma separates a value from the one before it.
func (t *Text) writeComma() {
	switch t.out[len(t.out)-1] {
	case '{', '[', ':':
	default:
		t.out = append(t.out, ',')
	}
}

// Name writes the name of the next value.
func (t *Text) Name(name []byte) {
	t.String(name)
	t.out = append(t.out, ':')
}

// Begin starts a list or an object within the row, by its opening bracket; End ends
// it by its closing one.
func (t *Text) Begin(bracket byte) {
	t.writeComma()
	t.out = append(t.out, bracket)
}

// End ends the list or object that Begin started.
func (t *Text) End(bracket byte) { t.out = append(t.out, bracket) }

// Null writes null.
func (t *Text) Null() {
	t.writeComma()
	t.out = append(t.out, "null"...)
}

// Bool writes true or false.
func (t *Text) Bool(v bool) {
	t.writeComma()
	t.out = strconv.AppendBool(t.out, v)
}

// Int writes an integer.
func (t *Text) Int(v int64) {
	t.writeComma()
	t.out = strconv.AppendInt(t.out, v, 10)
}

// Float writes a number as it is. JSON has none that is not finite: null.
func (t *Text) Float(v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		t.Null()
		return
	}
	t.writeComma()
	t.out = strconv.AppendFloat(t.out, v, 'g', -1, 64)
}

// Time writes a time since 1970 as RFC 3339 does, in UTC.
func (t *Text) Time(seconds, nanoseconds int64) {
	t.writeComma()
	t.out = append(t.out, '"')
	t.out = time.Unix(seconds, nanoseconds).UTC().AppendFormat(t.out, time.RFC3339Nano)
	t.out = append(t.out, '"')
}

// String writes a text, byte for byte.
func (t *Text) String(s []byte) {
	t.writeComma()
	t.out = AppendString(t.out, s)
}

// Octets writes bytes that need not be text: as a text if they are one in UTF-8, and
// else in base64. So a row is not called damaged for a digest in one of its columns.
func (t *Text) Octets(b []byte) {
	if utf8.Valid(b) {
		t.String(b)
		return
	}
	t.writeComma()
	t.out = append(t.out, '"')
	t.out = base64.StdEncoding.AppendEncode(t.out, b)
	t.out = append(t.out, '"')
}

// AppendString appends a text as a JSON string. Bytes that are not UTF-8 are kept.
func AppendString(dst, s []byte) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for from, i := 0, 0; ; i++ {
		if i == len(s) {
			return append(append(dst, s[from:]...), '"')
		}
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[from:i]...)
		if from = i + 1; c < ' ' {
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		} else {
			dst = append(dst, '\\', c)
		}
	}
}

// maxColumn bounds the name of a column, which each row repeats.
const maxColumn = 256

// Columns makes names that are all different, since a member must not be there twice.
// Two columns have one name where tables were joined.
func Columns(names [][]byte) [][]byte {
	used := make(map[string]int, len(names)) // how often each name is there
	unique := make([][]byte, len(names))
	for i, name := range names {
		plain := bytes.ToValidUTF8(name[:min(len(name), maxColumn)], []byte("\ufffd"))
		name = bytes.Clone(plain)
		for used[string(name)] > 0 {
			used[string(plain)]++
			name = strconv.AppendInt(append(bytes.Clone(plain), '#'), int64(used[string(plain)]), 10)
		}
		used[string(name)]++
		unique[i] = name
	}
	return unique
}
