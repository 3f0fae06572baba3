package unwrap

import (
	"bytes"
	"encoding/base64"
)

// inNumbers are the bytes that numbers are written with, and the separators.
var inNumbers = func() (in [256]bool) {
	for _, c := range []byte("0123456789abcdefABCDEFxX\\ ,:;-\t\r\n") {
		in[c] = true
	}
	return in
}()

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
