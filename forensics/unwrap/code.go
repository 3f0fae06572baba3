package unwrap

import "bytes"

// code is an encoding of bytes in digits of some bits.
type code struct {
	name   string
	bits   uint
	values [256]byte // of the digits, none for others
}

const none = 0xff

// newCode makes a code of its digits in their order; several alphabets stand behind
// each other.
func newCode(name string, bits uint, alphabets string) *code {
	return &code{name: name, bits: bits, values: digitValues(alphabets, 1<<bits)}
}

// digitValues returns the value of each digit, none for other characters. The digits of
// several alphabets of one size follow each other.
func digitValues(alphabets string, size int) (values [256]byte) {
	for i := range values {
		values[i] = none
	}
	for i := range len(alphabets) {
		values[alphabets[i]] = byte(i % size)
	}
	return values
}

const upper, lower = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"

// base64 has two alphabets, which differ in the last two digits.
var base64Code = newCode("base64", 6, upper+lower+"0123456789+/"+upper+lower+"0123456789-_")

// codes are the encodings that are known, the one with the fewest digits first.
var codes = []*code{
	newCode("hexadecimal", 4, "0123456789abcdef0123456789ABCDEF"),
	newCode("base32", 5, upper+"234567"+lower+"234567"),
	newCode("base32 with its other digits", 5, "0123456789"+upper[:22]+"0123456789"+lower[:22]),
	base64Code,
}

// isBase64 reports whether a byte is a digit of base64. All other codes use some of them.
func isBase64(c byte) bool { return base64Code.values[c] != none }

// decodeDigits decodes the digits of lines. It reports whether they are digits of this code:
// the first ones are, and many or nearly all others. At another byte, or where a line ends
// within a byte and the next one begins as an object does, or is the first behind a short one,
// something else begins.
func (c *code) decodeDigits(d *decoding, text []byte, lines []span) bool {
	const enough = 32
	var bits, value uint
	digits, others, first, group := 0, 0, 0, lines[0].from
	d.beginPart()
	for i, line := range lines {
		at := line.from + c.prefixSize(text[line.from:line.to])
		if c.beginObject(text[at:line.to]) || i > 1 && lines[i-1].size() < min(lines[i-2].size(), line.size()) {
			bits = 0
		}
		for ; at < line.to; at++ {
			if bits == 0 {
				group = at
				d.markSome(at)
			}
			v := c.values[text[at]]
			if v != none {
				value, bits, digits = value<<c.bits|uint(v), bits+c.bits, digits+1
				if bits >= 8 {
					bits -= 8
					d.decoded = append(d.decoded, byte(value>>bits))
				}
				continue
			}
			if text[at] == '\\' {
				continue
			}
			if bits, d.last = 0, -markEvery; text[at] == '=' {
				continue
			}
			if others++; others == 1 {
				first = digits
			}
			if first < enough {
				return false
			}
		}
	}
	end := lines[len(lines)-1].to
	if bits > 0 && len(bytes.TrimRight(text[end:], "\r\n")) == 0 {
		end = group // it can go on behind the text
	}
	d.markAt(end)
	return others <= digits/enough || first >= leastRun
}

// prefixSize returns the length of the mark of a literal, such as 0x, that digits begin with.
func (c *code) prefixSize(b []byte) int {
	if i := bytes.IndexAny(b[:min(len(b), 2)], "xX"); i >= 0 && c.bits == 4 && (i == 0 || b[0] == '0') {
		return i + 1
	}
	return 0
}

// beginObject reports whether digits begin an object of JSON.
func (c *code) beginObject(b []byte) bool {
	const digits = 3
	var value uint
	for _, d := range b[:min(len(b), digits)] {
		value = value<<c.bits | uint(c.values[d])
	}
	start := uint('{')<<8 | '"'
	return len(b) >= digits && value>>(digits*c.bits-12) == start>>4
}
