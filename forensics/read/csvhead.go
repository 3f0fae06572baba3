package read

import (
	"bytes"
	"unicode/utf8"

	"github.com/svc-edge/svc-verify/forensics/read/rows"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// csvHead is the header of a table of text.
type csvHead struct {
	delimiter byte
	names     [][]byte
	size      int // of the header, and of the bytes before it
}

// Bounds on the bytes examined to recognise a header.
const (
	maxFields  = 4096
	maxHeader  = 64 << 10
	fewRecords = 16 // behind the header
)

// csvHeader reads the header that b begins with. There is one if the first line is nothing but
// two or more names, and if at least half of the records that follow have as many fields. more
// means that the stream continues after b.
func csvHeader(b []byte, more bool) (csvHead, bool) {
	start := len(b) - len(bytes.TrimPrefix(b, bom))
	delimiters := []byte(",;\t|")
	if m := leadingLine().FindSubmatch(b[start:]); m != nil {
		if start += len(m[0]); len(m[1]) > 0 {
			delimiters = m[1]
		}
	}
	if first := bytes.IndexByte(b[start:], '\n'); first < 0 || first > maxHeader || !nameStart(b[start:]) {
		return csvHead{}, false
	}
	var best csvHead
	for _, delimiter := range delimiters {
		if h, ok := headerBy(b[start:], delimiter, more); ok && len(h.names) > len(best.names) {
			best = h
		}
	}
	best.size += start
	return best, len(best.names) > 0
}

// leadingLine is the line with the delimiter for Excel, or PowerShell's with a type.
var leadingLine = safetext.Pattern(`^(?:(?i:sep)=([\x00-\x7f])\r?\n|#TYPE .*\n)`)

func headerBy(b []byte, delimiter byte, more bool) (csvHead, bool) {
	var scan csvScan
	scan.reset(delimiter, true)
	if scan.scanMore(b, !more) != csvDone || len(scan.fields) < 2 || len(scan.fields) > maxFields {
		return csvHead{}, false
	}
	h := csvHead{delimiter: delimiter, size: scan.i}
	for _, f := range scan.fields {
		name := appendUndoubled(nil, b[f.from:f.to])
		if delimiter == ',' {
			name = bytes.TrimPrefix(name, []byte(" "))
		}
		if !isName(name) {
			return csvHead{}, false
		}
		h.names = append(h.names, name)
	}
	h.names = rows.Columns(h.names)
	return h, fitsRows(b[h.size:], &h, more)
}

// fitsRows reports whether at least half of the first records fit a header. One that b ends within
// does, if it has no more fields.
func fitsRows(b []byte, h *csvHead, more bool) bool {
	good, bad := 0, 0
	for len(b) > 0 && good+bad < fewRecords {
		if n := blankLine(b); n > 0 {
			b = b[n:]
			continue
		}
		var scan csvScan
		scan.reset(h.delimiter, false)
		state := scan.scanMore(b, !more)
		cut := state == csvMore || state == csvTorn && scan.i == len(b)
		switch {
		case cut && len(scan.fields) < len(h.names), state == csvDone && len(scan.fields) == len(h.names):
			good++
		default:
			bad++
		}
		if cut {
			break
		}
		if state == csvTorn {
			scan.i = bytes.IndexByte(b, '\n') + 1
			if scan.i == 0 {
				break
			}
		}
		b = b[scan.i:]
	}
	return good > 0 && good >= bad
}

// nameStart reports whether the name of a column can begin here.
func nameStart(b []byte) bool {
	c := bytes.TrimPrefix(b, []byte(`"`))
	return len(c) > 0 && (c[0] >= utf8.RuneSelf || 'a' <= c[0]|0x20 && c[0]|0x20 <= 'z' ||
		bytes.IndexByte([]byte("_@$#"), c[0]) >= 0)
}

// isName reports whether a field of a header is a name, and not part of a line of a
// log or of JSON.
func isName(b []byte) bool {
	const longest, words = 128, 6
	return nameStart(b) && len(b) <= longest && b[len(b)-1] != ' ' && bytes.Count(b, []byte(" ")) < words &&
		utf8.Valid(b) && !bytes.ContainsAny(b, "{}<>=:;\"\\\t\r\n\x00")
}
