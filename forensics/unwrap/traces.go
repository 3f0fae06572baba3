package unwrap

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/svc-edge/svc-verify/chain/event"
)

// traceNames are names of the members of an event (SPEC 4.1, 4.2). Other records
// have some of them, but hardly the first two.
var traceNames = [...]string{"previous_hash", "skip_hash", "occurred_at", "log_id", "key_id", "signature", "tenant_id",
	"salt"}

// enoughNames is how many of the names are a trace, if one of the first two is
// among them.
const enoughNames = 4

// traceCodes are the base64 forms of the protocol and of a name that only events have: once or
// twice over, wherever it begins in the encoded text.
var traceCodes = func() (all []string) {
	for _, name := range []string{event.Protocol, "previous_hash"} {
		once := base64Forms(name)
		all = append(all, once...)
		for _, form := range once {
			all = append(all, base64Forms(form)...)
		}
	}
	return all
}()

// base64Forms returns the forms of a text in base64, whatever is before and after it. The
// bytes that it shares with its neighbours are left out.
func base64Forms(text string) (forms []string) {
	for shift := range 3 {
		code := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), text...))
		from := []int{0, 2, 3}[shift]
		to := (shift + len(text)) / 3 * 4
		forms = append(forms, code[from:to])
	}
	return forms
}

// shortestCode is not longer than any of traceCodes.
const shortestCode = 12

// hasRun reports whether there are so many digits of base64 in a row. It looks only
// where such a run has a digit.
func hasRun(b []byte, least int) bool {
	for at := least - 1; at < len(b); {
		from := at
		for from > at-least && isBase64(b[from]) {
			from--
		}
		if from == at-least {
			return true
		}
		at = from + least
	}
	return false
}

// HasTraces reports whether a text that is no event contains members of one: plain, escaped in
// any depth, or in base64.
func HasTraces(b []byte) bool {
	plain := withoutEscapes(b)
	if unbroken.nextEscape(plain) < len(plain) { // a line break can stand within a name
		plain, _ = unbroken.decodeLayer(nil, plain, nil)
	}
	return bytes.Contains(plain, []byte(event.Protocol)) ||
		bytes.IndexByte(plain, '_') >= 0 && hasNames(plain) ||
		hasRun(plain, shortestCode) && slices.ContainsFunc(traceCodes, func(code string) bool {
			return bytes.Contains(plain, []byte(code))
		})
}

// hasNames reports whether enough of the names stand in a text.
func hasNames(b []byte) bool {
	n, own := 0, false
	for i, name := range traceNames {
		if bytes.Contains(b, []byte(name)) {
			n, own = n+1, own || i < 2
		}
	}
	return own && n >= enoughNames
}

// withoutEscapes returns a text with every escaped byte of ASCII as that byte: escapes of
// JSON, XML, URLs and shells. Other text, such as names of the members of events, is left as
// it is. NUL bytes are left out, as UTF-16 has them.
func withoutEscapes(b []byte) []byte {
	if escapes.nextEscape(b) == len(b) {
		return b
	}
	plain, _ := escapes.decodeLayer(make([]byte, 0, len(b)), b, nil)
	return plain
}

var escapes = &layer{"", "\x00\\%&", asciiEscape}

// asciiEscape reads an escape of a byte of ASCII, also where it was escaped once more.
func asciiEscape(dst, src []byte) ([]byte, int) {
	n := 1 // of the beginning of the escape
	repeats := func(s string) {
		for bytes.HasPrefix(src[n:], []byte(s)) {
			n += len(s)
		}
	}
	digits, base, end := 2, 16, 0
	switch src[0] {
	case 0:
		return dst, 1
	case '\\':
		repeats(`\`)
		if n < len(src) && bytes.IndexByte([]byte(".-_"), src[n]) >= 0 { // Markdown
			return append(dst, src[n]), n + 1
		}
		switch {
		case hasFolded(src[n:], "u00"):
			end = n + 3
		case hasFolded(src[n:], "x"):
			end = n + 1
		default:
			return append(dst, src[:n]...), n // of as many backslashes as there are none begins an escape
		}
	case '%':
		repeats("25")
		end = n
	case '&':
		repeats("amp;")
		for _, named := range [...]string{"period;.", "lowbar;_"} {
			if name := named[:len(named)-1]; bytes.HasPrefix(src[n:], []byte(name)) {
				return append(dst, named[len(name)]), n + len(name)
			}
		}
		if end, base = n+1, 10; hasFolded(src[n:], "#x") {
			end, base = n+2, 16
		}
		digits = bytes.IndexByte(src[min(end, len(src)):min(len(src), end+8)], ';')
		if n < len(src) && src[n] != '#' || digits < 1 {
			return append(dst, '&'), 1
		}
	}
	if c, ok := octetAt(src, end, digits, base); ok && c < utf8.RuneSelf {
		if src[0] == '&' {
			digits++ // the semicolon
		}
		return append(dst, c), end + digits
	}
	if src[0] != '\\' {
		n = 1
	}
	return append(dst, src[:n]...), n
}

// hasFolded reports whether a text begins with a prefix, in letters of any case.
func hasFolded(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && strings.EqualFold(string(b[:len(prefix)]), prefix)
}

// tracesBetween adds the texts between the matches and the pieces that have traces of an event
// as pieces: digits behind others that were decoded can begin in the middle of a byte.
func (f *Finder) tracesBetween(text []byte) {
	if len(f.result.Matches) == 0 {
		return // all of it was searched for traces
	}
	rows := f.row.between != "" || f.byName
	if rows { // pieces are names, or parts of rows, which are looked at again below
		f.result.Pieces = slices.DeleteFunc(f.result.Pieces, func(p Span) bool {
			return isOfNames(text[p.Start:p.End]) ||
				slices.ContainsFunc(f.result.Matches, func(m Match) bool { return m.Start < p.End && p.Start < m.End })
		})
	}
	pieces := f.result.Pieces
	slices.SortFunc(pieces, func(a, b Span) int { return a.Start - b.Start })
	at := 0
	for i := 0; i <= len(f.result.Matches); i++ {
		next := Span{len(text), len(text)}
		if i < len(f.result.Matches) {
			next = Span{f.result.Matches[i].Start, f.result.Matches[i].End}
		}
		gap := Span{at, next.Start}
		for len(pieces) > 0 && pieces[0].End <= gap.Start {
			pieces = pieces[1:]
		}
		known := len(pieces) > 0 && pieces[0].Start < gap.End
		between := text[gap.Start:max(gap.Start, gap.End)] // matches can overlap
		_, lines, _ := bytes.Cut(between, []byte("\n"))
		torn := rows && i == len(f.result.Matches) && rowValues().Match(lines) && lines[len(lines)-1] != '\n'
		if !known && (torn || (rows || len(between) >= leastRun) && (HasTraces(between) || f.byName && MayHold(between)) &&
			!(rows && isOfNames(between))) {
			f.result.Pieces = append(f.result.Pieces, gap)
		}
		at = max(at, next.End)
	}
}
