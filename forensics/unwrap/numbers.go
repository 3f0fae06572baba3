package unwrap

import (
	"bytes"
	"encoding/base64"
	"strconv"
	"strings"
)

// numberForm is a way to write bytes as numbers, one by one.
type numberForm struct {
	prefix            string
	base, least, most int // of the digits of one
	signed            bool
}

// numberForms are tried in their order.
var numberForms = []numberForm{{"0x", 16, 1, 2, false}, {`\x`, 16, 2, 2, false}, {`\`, 8, 3, 3, false},
	{"", 2, 8, 8, false}, {"", 16, 2, 2, false}, {"", 10, 1, 3, true}}

const numberSeparators = " ,:;-\t\r\n"

// inNumbers are the bytes that numbers and their types are written with, and the separators.
var inNumbers = setOf(`0123456789abcdefABCDEFxXiu\` + numberSeparators)

// setOf returns for each byte whether it is among the given.
func setOf(given string) (set [256]bool) {
	for _, c := range []byte(given) {
		set[c] = true
	}
	return set
}

// readNumber reads a number, and the separators up to the next one. The size is 0 if there
// is none.
func (n *numberForm) readNumber(b []byte) (octet byte, size int) {
	from := len(n.prefix)
	if !hasFolded(b, n.prefix) {
		return 0, 0
	}
	negative := n.signed && len(b) > 0 && b[0] == '-'
	if negative {
		from++
	}
	for size = from; size < len(b) && size-from <= n.most && isHexDigit(b[size]); {
		size++
	}
	if size-from < n.least || size-from > n.most {
		return 0, 0
	}
	v, err := strconv.ParseUint(string(b[from:size]), n.base, 8)
	if err != nil {
		return 0, 0
	}
	if negative { // as Java shows bytes
		v = -v
	}
	if typed := b[size:]; n.signed && (bytes.HasPrefix(typed, []byte("u8")) || bytes.HasPrefix(typed, []byte("i8"))) {
		size += 2 // as Rust writes numbers
	}
	for end := size; size < len(b) && (strings.IndexByte(numberSeparators, b[size]) >= 0 || lineContinues(b[size:])); {
		if n.signed && size > end && b[size] == '-' {
			break // of the next number
		}
		size++
	}
	return byte(v), size
}

// lineContinues reports whether a text begins with a mark that its line continues.
func lineContinues(b []byte) bool {
	return bytes.HasPrefix(b, []byte("\\\n")) || bytes.HasPrefix(b, []byte("\\\r\n"))
}

// formOf returns the form of the numbers that a text begins with, nil if it begins with
// too few.
func formOf(b []byte) *numberForm {
	const enough = 16
	for i := range numberForms {
		n, at := 0, 0
		for n < enough {
			_, size := numberForms[i].readNumber(b[at:])
			if size == 0 {
				break
			}
			at, n = at+size, n+1
		}
		if n == enough {
			return &numberForms[i]
		}
	}
	return nil
}

// findNumbers finds bytes as numbers. It looks only where so many have a byte. Words
// before them on their line may look like digits too.
func findNumbers(text []byte) int {
	const every, mostBefore = leastRun / 2, 64
	last := 0
	for probe := every; probe < len(text); probe += every {
		if !inNumbers[text[probe]] {
			continue
		}
		from, to := probe, probe
		for from > last && inNumbers[text[from-1]] {
			from--
		}
		for to < len(text) && inNumbers[text[to]] {
			to++
		}
		last = to
		if to-from >= leastRun && bytes.ContainsAny(text[from:min(to, from+2*mostBefore)], numberSeparators+`\`) {
			for at := from; at < from+mostBefore; at++ {
				if (at == from || !isHexDigit(text[at-1])) && formOf(text[at:to]) != nil {
					return at
				}
			}
		}
		probe = max(probe, to-every)
	}
	return -1
}

func decodeNumbers(d *decoding, src []byte) (at int) {
	for form := formOf(src); at < len(src); {
		octet, size := form.readNumber(src[at:])
		if size == 0 {
			break
		}
		d.markSome(at)
		d.decoded, at = append(d.decoded, octet), at+size
	}
	return at
}

// isUuencoded reports whether a line is written as uuencode writes one.
func isUuencoded(line []byte) bool {
	if len(line) == 0 {
		return false
	}
	for _, c := range line {
		if c < ' ' || c > '`' {
			return false
		}
	}
	return len(line)-1 <= (int(line[0]-' ')&63+2)/3*4+1 // some add a sum
}

// findUuencode finds a full line of uuencode.
func findUuencode(text []byte) int {
	return findLine(text, func(c byte) bool { return c == 'M' }, isFullUuencode)
}

// isFullUuencode reports whether a line of uuencode has as many bytes as one can have.
func isFullUuencode(line []byte) bool { return len(line) == 61 && line[0] == 'M' && isUuencoded(line) }

// uuencode has its digits in the order of ASCII, and a space that is written in two ways.
var uuencode = base64.NewEncoding(" !\"#$%&'()*+,-./0123456789:;<=>?@" + upper + "[\\]^_").WithPadding(base64.NoPadding)

func decodeUuencode(d *decoding, src []byte) (at int) {
	for line := range bytes.Lines(src) {
		text := bytes.TrimRight(line, "\r\n")
		if !isUuencoded(text) {
			break
		}
		d.markAt(at)
		at += len(line)
		size := int(text[0]-' ') & 63
		digits := bytes.ReplaceAll(append(bytes.Clone(text[1:]), "   "...), []byte("`"), []byte(" "))
		row, err := uuencode.AppendDecode(nil, digits[:len(digits)/4*4])
		if err != nil {
			break
		}
		d.decoded = append(d.decoded, row[:min(size, len(row))]...)
	}
	return at
}
