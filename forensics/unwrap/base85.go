package unwrap

import (
	"bytes"
	"encoding/binary"
)

// alphabet85 is an alphabet of base85, in which five digits are four bytes.
type alphabet85 struct {
	values [256]byte
	starts [4][]byte // the beginning of an event, if so many bytes are before it in the first group
}

// The alphabets of Ascii85, of RFC 1924 and of ZeroMQ.
var alphabets85 = []*alphabet85{
	newAlphabet85("!\"#$%&'()*+,-./0123456789:;<=>?@" + upper + "[\\]^_`" + lower[:21]),
	newAlphabet85("0123456789" + upper + lower + "!#$%&()*+-;<=>?@^_`{|}~"),
	newAlphabet85("0123456789" + lower + upper + ".-:+=^!/*?&<>()[]{}@%$#"),
}

func newAlphabet85(digits string) *alphabet85 {
	a := &alphabet85{values: digitValues(digits, len(digits))}
	for before := range a.starts {
		octets := append(make([]byte, before), EventStart...)
		if before > 0 { // the first group is not known
			octets = octets[4:]
		}
		for ; len(octets) >= 4; octets = octets[4:] {
			var group [5]byte
			value := binary.BigEndian.Uint32(octets)
			for i := range group {
				group[4-i] = digits[value%85]
				value /= 85
			}
			a.starts[before] = append(a.starts[before], group[:]...)
		}
	}
	return a
}

// firstBase85 returns where a group of digits begins that an event has at its beginning, -1 if
// there is none, and its alphabet.
func firstBase85(text []byte) (at int, a *alphabet85) {
	at = -1
	for _, one := range alphabets85 {
		for _, start := range one.starts {
			if i := bytes.Index(text, start); i >= 0 && (at < 0 || i < at) {
				at, a = i, one
			}
		}
	}
	return at, a
}

// findBase85 finds digits of base85 that begin an event.
func findBase85(text []byte) int {
	at, a := firstBase85(text)
	if at < 0 {
		return -1
	}
	for from, digits := at, 0; from > 0; from-- {
		switch c := text[from-1]; {
		case a.values[c] != none:
			if digits++; digits%5 == 0 {
				at = from - 1
			}
		case c != '\r' && c != '\n':
			return at
		}
	}
	return at
}

func decodeBase85(d *decoding, src []byte) (at int) {
	_, a := firstBase85(src)
	var value uint64
	n, group := 0, 0
	flush := func() {
		octets := n - 1
		for ; n > 0 && n < 5; n++ {
			value = value*85 + 84
		}
		if octets > 0 && value < 1<<32 {
			d.decoded = append(d.decoded, binary.BigEndian.AppendUint32(nil, uint32(value))[:octets]...)
		}
		value, n = 0, 0
	}
	for ; at < len(src); at++ {
		c := src[at]
		switch v := a.values[c]; {
		case c == '\r':
		case c == '\n':
			if bytes.HasPrefix(src[at+1:], a.starts[0]) {
				flush()
			}
		case v == none:
			flush()
			return at
		default:
			if n == 0 {
				group = at
				d.markSome(at)
			}
			if value, n = value*85+uint64(v), n+1; n == 5 {
				flush()
			}
		}
	}
	if n > 0 { // it can go on behind the text
		at = group
	}
	flush()
	return at
}
