package read

import "unicode/utf8"

// isEBCDIC reports whether b is text in EBCDIC, by its letters, digits and spaces: hardly
// one of them is a letter in ASCII, or in a character set that is made of it. A frame that is
// drawn has few different characters.
func isEBCDIC(b []byte) bool {
	const least, enough, letters = 32, 512, 8
	b = b[:min(len(b), enough)]
	n, different := 0, make(map[byte]bool)
	for _, c := range b {
		if low := c & 0xf; c == 0x40 || c >= 0xf0 && low <= 9 || c >= 0x80 && c>>4&3 <= 1 && low >= 1 && low <= 9 ||
			(c>>4 == 0xa || c>>4 == 0xe) && low >= 2 && low <= 9 {
			n++
			different[c] = true
		}
	}
	return len(b) >= least && n >= len(b)-len(b)/3 && len(different) >= letters && !isUTF8(b)
}

// isUTF8 reports whether b is text in UTF-8. The last character may be cut.
func isUTF8(b []byte) bool {
	for cut := range min(utf8.UTFMax, len(b)) {
		if utf8.Valid(b[:len(b)-cut]) {
			return true
		}
	}
	return false
}
