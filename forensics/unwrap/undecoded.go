package unwrap

import (
	"bytes"
	"strconv"
)

// leastCoded is how many digits in a row are no more than words and names have: a digest
// of SHA-256 has as many in base16.
const leastCoded = 64

// leastCodedLine is how long a line of nothing but digits is at least that one of more of
// them can be.
const leastCodedLine = 16

// Undecoded returns a part of a text in which nothing was found, that looks like bytes in
// digits all the same: more than 64 of base16, base32, base64 or base85 in a row, where the
// ends of lines of nothing else do not count, a line of uuencode, or numbers behind offsets
// that grow by sixteen. It returns nil if there is none. The part keeps the capacity of
// the text, which gives its offset.
func Undecoded(text []byte) []byte {
	var rows [3][]byte // the offsets of the last lines
	from, at := 0, 0   // of the lines of digits that end here
	for line := range bytes.Lines(text) {
		begin := at
		at += len(line)
		word := bytes.TrimSpace(line)
		if isFullUuencode(word) {
			return text[begin:at]
		}
		if rows = [3][]byte{rows[1], rows[2], rowOffset(line)}; growBySixteen(rows, 8) || growBySixteen(rows, 16) {
			return text[begin:at]
		}
		if len(word) < leastCodedLine || bytes.IndexByte(word, ' ') >= 0 {
			for word := range bytes.FieldsSeq(line) {
				if isCoded(word) {
					begin += bytes.Index(line, word)
					return text[begin : begin+len(word)]
				}
			}
			from = at
			continue
		}
		if isCoded(bytes.Join(bytes.Fields(text[max(from, begin-4*leastCoded):at]), nil)) {
			return text[from:at]
		}
	}
	return nil
}

// rowOffset returns the offset that a line of numbers begins with, nil if it has none.
func rowOffset(line []byte) []byte {
	const least = 6
	n := bytes.IndexAny(line, ": ")
	if n < least || len(line) < n+least {
		return nil
	}
	for _, c := range line[:min(len(line), n+leastCodedLine)] {
		if !inNumbers[c] {
			return nil
		}
	}
	return line[:n]
}

// growBySixteen reports whether offsets grow as in a dump.
func growBySixteen(offsets [3][]byte, base int) bool {
	var at [3]int64
	for i, text := range offsets {
		var err error
		if at[i], err = strconv.ParseInt(string(text), base, 64); err != nil {
			return false
		}
	}
	return at[2]-at[1] == 16 && at[1]-at[0] == 16
}

// isCoded reports whether a part of a word looks like bytes in digits.
func isCoded(word []byte) bool {
	if len(word) <= leastCoded {
		return false
	}
	for from := 0; from < len(word); {
		to := lineEnd(word, from)
		var kinds [256]bool
		for _, c := range word[from:to] {
			kinds[kindOfDigit(c)] = true
		}
		letters := kinds['a'] || kinds['A']
		path := bytes.Count(word[from:to], []byte{'/'})*leastMarks >= to-from
		if to-from > leastCoded && kinds['0'] && letters && !path && (kinds['a'] && kinds['A'] || !kinds['/']) {
			return true
		}
		from = to + 1
	}
	for _, a := range groupCodes {
		n, marks := 0, 0
		var kinds [256]bool
		for _, c := range word {
			if n++; a.values[c] == none {
				n, marks, kinds = 0, 0, [256]bool{}
			}
			kinds[kindOfDigit(c)] = true
			if kindOfDigit(c) == 0 && bytes.IndexByte([]byte(inURL), c) < 0 {
				marks++
			}
			if n > leastCoded && marks*leastMarks >= n && kinds['a'] && kinds['A'] && kinds['0'] {
				return true
			}
		}
	}
	return false
}

// inURL is the punctuation of addresses and paths. At least one in leastMarks of the digits of
// base85 is other punctuation. One in leastMarks of the characters of a path is a slash; in
// base64, one in 64 is.
const (
	inURL      = "/._=&%?:+~#@,;-|'\""
	leastMarks = 12
)

// kindOfDigit returns a digit for all of its kind, 0 for no digit of base64.
func kindOfDigit(c byte) byte {
	switch {
	case c >= 'a' && c <= 'z':
		return 'a'
	case c >= 'A' && c <= 'Z':
		return 'A'
	case c >= '0' && c <= '9':
		return '0'
	case isBase64(c):
		return '/'
	}
	return 0
}
