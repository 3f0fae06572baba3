package unwrap

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
)

// leastRun is less than an event takes in base64 or in hexadecimal digits. The
// digests, keys and signatures of other records are shorter.
const leastRun = 300

// blind searches a part of a view in which no anchor shows.
func (f *Finder) blind(v *view, from, to int) {
	from = f.allListed(v, from, to, lists)
	rest := from
	for at := from; at < to; {
		run := nextRun(v.text[:to], at)
		if run.from < 0 {
			break
		}
		if f.encoded(v, run) {
			f.hidden(v, rest, run.from)
			rest = run.to
		}
		at = run.to
	}
	f.hidden(v, rest, to)
}

// encoded searches what a run of base64 or hexadecimal digits stands for. It
// reports whether there was something in it.
func (f *Finder) encoded(v *view, run span) bool {
	if v.depth == MaxLevels {
		f.piece(v, run.from, run.to) // whatever it is, it was wrapped with care
		return true
	}
	l := &f.levels[v.depth+1]
	for _, c := range codes {
		var ok bool
		if l.decoded, ok = c.decode(l.decoded[:0], v.text[run.from:run.to]); !ok {
			continue
		}
		f.Looked += int64(run.to - run.from)
		inner := &view{text: l.decoded, depth: v.depth + 1, up: v, base: run.from, end: run.to}
		if f.IsPacked != nil && f.IsPacked(l.decoded) {
			f.steps = append(f.steps, c.name)
			f.keep(v, run, Match{Kind: Packed, Body: l.decoded})
			f.steps = f.steps[:len(f.steps)-1]
			return true
		}
		pieces := len(f.result.Pieces)
		if f.within(inner, c.name) {
			return true
		}
		if len(f.result.Pieces) > pieces {
			if run.to == len(v.text) {
				f.open(v, run.from)
			}
			return true
		}
	}
	return false
}

// codes are the encodings of octets, the one with the fewest digits first.
var codes = []struct {
	name   string
	decode func(dst, src []byte) ([]byte, bool)
}{{"hexadecimal", decodeHex}, {"base64", decodeBase64}}

// digit tells the digits of base64, of which those of hexadecimal are some.
var digit = func() (d [256]bool) {
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_") {
		d[c] = true
	}
	return d
}()

// leastLine is less than encoders write on a line before they break it. So a word
// on the line before, or behind, does not count.
const leastLine = 56

// nextRun returns the next run of digits that is long enough for an event; its
// beginning is -1 if there is none. It looks only where such a run has a digit.
func nextRun(text []byte, from int) span {
	for probe := from + leastLine - 1; probe < len(text); probe += leastLine {
		if !isDigit(text, probe) {
			continue
		}
		run := span{probe, probe}
		for run.from > from && isDigit(text, run.from-1) {
			run.from--
		}
		run.to = lineEnd(text, probe)
		for begin, end := run.from, run.to; end-begin >= leastLine; {
			run.to = end
			next := end + lineBreak(text[end:])
			if next == end {
				break
			}
			begin, end = next, lineEnd(text, next)
			run.to = end
		}
		if run.to-run.from >= leastRun {
			for run.to < len(text) && text[run.to] == '=' {
				run.to++
			}
			return run
		}
		probe = max(probe, run.to-1)
		from = run.to
	}
	return span{-1, -1}
}

// isDigit reports whether there is a digit at i, or one half of an escaped slash.
func isDigit(text []byte, i int) bool {
	return digit[text[i]] || text[i] == '\\' && i+1 < len(text) && text[i+1] == '/'
}

func lineEnd(text []byte, i int) int {
	for i < len(text) && isDigit(text, i) {
		i++
	}
	return i
}

// lineBreak returns the length of the line break, as it is or escaped, that a text
// begins with; with the spaces that the next line begins with.
func lineBreak(b []byte) int {
	i := 0
	for _, end := range []string{"\r", `\r`, "\n", `\n`} {
		if bytes.HasPrefix(b[i:], []byte(end)) {
			i += len(end)
		}
	}
	for i > 0 && i < len(b) && (b[i] == ' ' || b[i] == '\t') {
		i++
	}
	return i
}

// digits appends the digits of a run without what is between them.
func digits(dst, src []byte) []byte {
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case c == '\\' && i+1 < len(src) && (src[i+1] == 'n' || src[i+1] == 'r'):
			i++
		case digit[c]:
			dst = append(dst, c)
		}
	}
	return dst
}

func decodeHex(dst, src []byte) ([]byte, bool) {
	if i := bytes.IndexByte(src[:3], 'x'); i >= 0 { // the mark of a literal
		src = src[i+1:]
	}
	const enough = 32
	for _, c := range src[:min(len(src), enough)] {
		if digit[c] && !isHexDigit(c) {
			return dst, false
		}
	}
	text := digits(dst, src)
	// Where another digit stands, something else begins.
	n, err := hex.Decode(text, text[:len(text)&^1])
	return text[:n], err == nil && n > 0 || 2*n >= leastRun
}

func isHexDigit(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

func decodeBase64(dst, src []byte) ([]byte, bool) {
	text := digits(dst, src)
	for i, c := range text {
		switch c {
		case '-':
			text[i] = '+'
		case '_':
			text[i] = '/'
		}
	}
	if len(text)%4 == 1 {
		text = text[:len(text)-1] // the last one was cut
	}
	n, err := base64.RawStdEncoding.Decode(text, text)
	return text[:n], err == nil && n > 0
}
