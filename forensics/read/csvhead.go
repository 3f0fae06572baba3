package read

import (
	"bytes"
	"unicode/utf8"

	"github.com/svc-edge/svc-verify/forensics/read/rows"
)

// csvHead is the header of a table of text.
type csvHead struct {
	delimiter byte
	names     [][]byte
	size      int  // of the header, and of the bytes before it
	drawn     bool // as consoles draw a table: with spaces around cells
	framed    bool // and a bar at both ends of a line
}

// cells returns the fields of a record without those outside the frame, nil if they do not fit the
// header.
func (h *csvHead) cells(fields []csvField) []csvField {
	if h.framed && len(fields) > 2 {
		fields = fields[1 : len(fields)-1]
	}
	if len(fields) != len(h.names) {
		return nil
	}
	return fields
}

// cutsRow reports whether a row of a drawn table has no end: a bar, or a line feed.
func (h *csvHead) cutsRow(row []byte) bool {
	return h.drawn && isTorn(row) && !(h.framed && bytes.HasSuffix(row, []byte("|")))
}

// drawnHeader reads the header of a table that a console drew. It has a ruler before or behind it.
func drawnHeader(b []byte, more bool) (h csvHead, ok bool) {
	isRuler := func(line []byte) bool {
		return bytes.Contains(line, []byte("--")) && len(bytes.Trim(line, "+-|=: \r\n")) == 0
	}
	lines := bytes.SplitAfterN(b[:min(len(b), maxHeader)], []byte("\n"), 4)
	if len(lines) > 2 && isRuler(lines[0]) {
		h.size, lines = len(lines[0]), lines[1:]
	}
	if len(lines) < 3 || !isRuler(lines[1]) {
		return h, false
	}
	h.delimiter, h.drawn, h.size = '|', true, h.size+len(lines[0])+len(lines[1])
	line := bytes.TrimSpace(lines[0])
	if inner, ok := bytes.CutPrefix(line, []byte("|")); ok {
		line, h.framed = bytes.TrimSuffix(inner, []byte("|")), true
	}
	for name := range bytes.SplitSeq(line, []byte("|")) {
		if name = bytes.TrimSpace(name); !isName(name) {
			return h, false
		}
		h.names = append(h.names, name)
	}
	h.names = rows.Columns(h.names)
	return h, len(h.names) > 1 && fitsRows(b[h.size:], &h, more)
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
	start := 0
	if bytes.HasPrefix(b, bom) {
		start = len(bom)
	}
	if h, ok := drawnHeader(b[start:], more); ok {
		h.size += start
		return h, true
	}
	delimiters := []byte(",;\t|")
	if d, n := separatorLine(b[start:]); n > 0 { // Excel's own
		delimiters, start = []byte{d}, start+n
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

// separatorLine reads the line with the delimiter for Excel.
func separatorLine(b []byte) (delimiter byte, size int) {
	const word = "sep="
	if len(b) < len(word)+2 || !bytes.EqualFold(b[:len(word)], []byte(word)) {
		return 0, 0
	}
	if n := blankLine(b[len(word)+1:]); n > 0 {
		return b[len(word)], len(word) + 1 + n
	}
	return 0, 0
}

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
		case cut && len(scan.fields) < len(h.names), state == csvDone && h.cells(scan.fields) != nil:
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
