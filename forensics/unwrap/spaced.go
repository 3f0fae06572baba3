package unwrap

import (
	"bytes"
	"encoding/hex"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// spacing is how numbers are written with the same text between any two.
type spacing struct {
	isDigit func(byte) bool
	between []byte
}

const (
	longestNumber  = 8
	longestBetween = 16
	mostBehind     = 1 << 10 // bytes in which the beginning of a line is looked for
)

// spacingAt returns the spacing of the numbers in the first bytes of a text, which can
// begin within one. The text between them is empty if it is not the same.
func spacingAt(text []byte) spacing {
	const enough = 5
	for _, isDigit := range []func(byte) bool{isHexDigit, isDecimalDigit} {
		s := spacing{isDigit: isDigit}
		rest := text[:min(len(text), (enough+1)*(longestNumber+longestBetween))]
		for n := range enough + 1 {
			size := s.countDigits(rest, true)
			rest = rest[size:]
			gap := s.countDigits(rest, false)
			if size > longestNumber || gap == len(rest) || gap == 0 || gap > longestBetween {
				break
			}
			if n == 1 {
				s.between = rest[:gap]
			}
			if n > 0 && !bytes.Equal(rest[:gap], s.between) {
				break
			}
			if rest = rest[gap:]; n == enough && !(s.between[0] == '\\' && gap <= 2) { // escapes are a layer
				return s
			}
		}
	}
	return spacing{}
}

// countDigits returns how many digits, or other bytes, a text begins with.
func (s *spacing) countDigits(b []byte, are bool) int {
	for n, c := range b {
		if s.isDigit(c) != are {
			return n
		}
	}
	return len(b)
}

// spacedNumbers returns the numbers that a text begins with. Where a line ends, they go on with the first
// one on the next line that another follows.
func (s *spacing) spacedNumbers(text []byte) (all []span) {
	for at := s.countDigits(text, false); at < len(text); {
		size := s.countDigits(text[at:], true)
		if size > longestNumber {
			break
		}
		all = append(all, span{at, at + size})
		if at += size; bytes.HasPrefix(text[at:], s.between) {
			at += len(s.between)
			if at < len(text) && s.isDigit(text[at]) {
				continue
			}
		}
		if at = s.nextLine(text, at); at < 0 {
			break
		}
	}
	return all
}

// nextLine returns where the numbers go on behind a line break, -1 if they do not.
func (s *spacing) nextLine(text []byte, at int) int {
	i := bytes.IndexByte(text[at:min(len(text), at+4*longestBetween)], '\n')
	if i < 0 {
		return -1
	}
	line := at + i + 1
	for next := line; next < min(len(text), line+4*longestBetween); {
		next += s.countDigits(text[next:], false)
		size := s.countDigits(text[next:], true)
		if size > 0 && size <= longestNumber && bytes.HasPrefix(text[next+size:], s.between) {
			return next
		}
		next += max(size, 1)
	}
	return -1
}

// findSpaced finds numbers with the same text between them.
func findSpaced(text []byte) int {
	const every = leastRun / 2
	for probe := 0; probe < len(text); probe += every {
		s := spacingAt(text[probe:])
		if len(s.between) == 0 {
			continue
		}
		from := max(0, probe-mostBehind)
		from += bytes.LastIndexByte(text[from:probe], '\n') + 1
		line := text[from:min(len(text), from+4*longestBetween)]
		first := s.nextLine(append([]byte("\n"), line...), 0)
		if first < 0 {
			continue
		}
		from += first - 1
		all := s.spacedNumbers(text[from:])
		if len(all) == 0 {
			continue
		}
		if end := from + all[len(all)-1].to; end-from >= leastRun {
			return from
		} else if end > probe {
			probe = end
		}
	}
	return -1
}

// decodeSpaced reads numbers in the base that all of them can have.
func decodeSpaced(d *decoding, src []byte) int {
	s := spacingAt(src)
	if len(s.between) == 0 {
		return 0
	}
	all := s.spacedNumbers(src)
	if last := len(all) - 1; last > 0 && all[last].to == len(src) && all[last].size() < all[0].size() {
		all = all[:last] // it can go on behind the text
	}
	end := all[len(all)-1].to
	if bytes.HasPrefix(src[end:], s.between) {
		end += len(s.between)
	}
	base, characters := s.baseOf(src, all)
	high := rune(0)
	for _, n := range all {
		d.markSome(n.from)
		number := src[n.from:n.to]
		if base == 0 {
			d.decoded, _ = hex.AppendDecode(d.decoded, number)
			continue
		}
		v, err := strconv.ParseUint(string(number), base, 32)
		switch {
		case err != nil:
			return n.from
		case !characters:
			d.decoded = append(d.decoded, byte(v))
		case high != 0:
			d.decoded, high = utf8.AppendRune(d.decoded, utf16.DecodeRune(high, rune(v))), 0
		case utf16.IsSurrogate(rune(v)):
			high = rune(v)
		default:
			d.decoded = utf8.AppendRune(d.decoded, rune(v))
		}
	}
	return end
}

// baseOf returns the base of numbers, and whether each is a character and not a byte. It is 0 for
// digits that are bytes in hexadecimal, however many.
func (s *spacing) baseOf(src []byte, all []span) (base int, characters bool) {
	size, highest, most := all[0].size(), byte(0), 0
	for _, n := range all {
		if n.size() > size || n.size() < size && bytes.HasPrefix(src[n.to:], s.between) {
			size = 0
		}
		for _, c := range src[n.from:n.to] {
			highest = max(highest, c)
		}
		if v, err := strconv.Atoi(string(src[n.from:n.to])); err == nil {
			most = max(most, v)
		}
	}
	switch {
	case size == 8 && highest == '1':
		return 2, false
	case size == 4 && bytes.ContainsAny(s.between, "uU"):
		return 16, true
	case size == 2, size == 4, size == 8:
		return 0, false
	case size == 3 && highest < '8':
		return 8, false
	case highest <= '9':
		return 10, most > 255
	}
	return 16, true
}

func isDecimalDigit(c byte) bool { return c >= '0' && c <= '9' }
