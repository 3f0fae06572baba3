package unwrap

import "bytes"

// groupCode is a code in which a group of digits is a number of some bytes: base85, in which five
// digits are four bytes, and base45, in which three are two and the last digit is the highest.
type groupCode struct {
	base, digits, octets int
	filler               int  // the value of a digit that is left out at the end
	lowFirst             bool // the lowest digit of a group is its first
	values               [256]byte
	starts               [][]byte // the beginning of an event, if so many bytes are before it in the first group
}

// The codes: Ascii85, base85 of RFC 1924 and of ZeroMQ, and base45 of RFC 9285.
var groupCodes = []*groupCode{
	newGroupCode("!\"#$%&'()*+,-./0123456789:;<=>?@"+upper+"[\\]^_`"+lower[:21], 5, 4, 84, false),
	newGroupCode("0123456789"+upper+lower+"!#$%&()*+-;<=>?@^_`{|}~", 5, 4, 84, false),
	newGroupCode("0123456789"+lower+upper+".-:+=^!/*?&<>()[]{}@%$#", 5, 4, 84, false),
	newGroupCode("0123456789"+upper+" $%*+-./:", 3, 2, 0, true),
}

func newGroupCode(all string, digits, octets, filler int, lowFirst bool) *groupCode {
	g := &groupCode{len(all), digits, octets, filler, lowFirst, digitValues(all, len(all)), nil}
	for before := range octets {
		text := append(make([]byte, before), EventStart...)
		if before > 0 { // the first group is not known
			text = text[octets:]
		}
		var start []byte
		for ; len(text) >= octets; text = text[octets:] {
			value, group := 0, make([]byte, digits)
			for _, c := range text[:octets] {
				value = value<<8 | int(c)
			}
			for i := range group {
				group[g.placeOf(digits-1-i)] = all[value%g.base]
				value /= g.base
			}
			start = append(start, group...)
		}
		g.starts = append(g.starts, start)
	}
	return g
}

// placeOf returns the place in a group of the digit that comes so many behind the highest.
func (g *groupCode) placeOf(i int) int {
	if g.lowFirst {
		return g.digits - 1 - i
	}
	return i
}

// firstGroup returns where a group of digits begins that an event has at its beginning, -1 if
// there is none, and its code.
func firstGroup(text []byte) (at int, g *groupCode) {
	at = -1
	for _, one := range groupCodes {
		for _, start := range one.starts {
			if i := bytes.Index(text, start); i >= 0 && (at < 0 || i < at) {
				at, g = i, one
			}
		}
	}
	return at, g
}

// findGroups finds digits in groups that begin an event.
func findGroups(text []byte) int {
	at, g := firstGroup(text)
	if at < 0 {
		return -1
	}
	for from, digits := at, 0; from > 0; from-- {
		switch c := text[from-1]; {
		case g.values[c] != none:
			if digits++; digits%g.digits == 0 {
				at = from - 1
			}
		case c != '\r' && c != '\n':
			return at
		}
	}
	return at
}

func decodeGroups(d *decoding, src []byte) (at int) {
	_, g := firstGroup(src)
	var group [5]int
	n, from := 0, 0
	flush := func() {
		value, octets := 0, max(n-1, 0)
		for ; n < g.digits; n++ { // those that were left out
			group[n] = g.filler
		}
		for i := range g.digits {
			value = value*g.base + group[g.placeOf(i)]
		}
		if g.lowFirst {
			value <<= 8 * (g.octets - octets)
		}
		if value>>(8*g.octets) == 0 {
			for i := range octets {
				d.decoded = append(d.decoded, byte(value>>(8*(g.octets-1-i))))
			}
		}
		n = 0
	}
	for ; at < len(src); at++ {
		c := src[at]
		switch v := g.values[c]; {
		case c == '\r':
		case c == '\n':
			if bytes.HasPrefix(src[at+1:], g.starts[0]) {
				flush()
			}
		case v == none:
			flush()
			return at
		default:
			if n == 0 {
				from = at
				d.markSome(at)
			}
			group[n] = int(v)
			if n++; n == g.digits {
				flush()
			}
		}
	}
	if n > 0 { // it can go on behind the text
		at = from
	}
	flush()
	return at
}
