package unwrap

import (
	"bytes"
	"slices"
)

// Digits of an unknown code. An event has more than leastStrange of them in any code. Lines of
// them are longer than names and ids are.
const (
	leastStrange     = 512
	leastStrangeLine = 30
	leastGroups      = 6 // words of one length on a line
)

// disguised is the name of a member of every event, turned by thirteen letters, and backwards.
var disguised = [][]byte{[]byte("cerivbhf_unfu"), []byte("hsah_suoiverp")}

// Strange returns a part of a text that may be an event in a code which nothing decodes: 512
// digits or more, over lines that hold nothing else or in one word, or a name in other letters or
// backwards. It returns nil if there is none. The part keeps the capacity of the text.
func Strange(text []byte) []byte {
	if len(text) < leastStrange {
		return nil
	}
	for _, name := range disguised {
		if i := bytes.Index(text, name); i >= 0 {
			return text[i : i+len(name)]
		}
	}
	var run []byte   // the digits of the last lines
	from, at := 0, 0 // of these lines
	ids := false     // these lines all begin alike
	isRun := func() bool { return len(run) >= leastStrange && !ids && isStrange(run) }
	for line := range bytes.Lines(text) {
		begin := at
		at += len(line)
		word, alone := digitsOn(line)
		if len(run) > 0 && (!alone || len(run) > 4*leastStrange) {
			if isRun() {
				return text[from:begin]
			}
			run = run[:0]
		}
		switch {
		case alone && len(run) == 0:
			from, ids, run = begin, len(word) < 2*leastCoded, append(run, word...)
		case alone:
			ids, run = ids && bytes.Equal(word[:2], run[:2]), append(run, word...)
		case len(word) >= leastStrange && isStrange(word):
			begin += bytes.Index(line, word)
			return text[begin : begin+len(word)]
		}
	}
	if isRun() {
		return text[from:]
	}
	return nil
}

// digitsOn returns the longest word of a line, or its words together if all but the last have one
// length. It is alone if it can be a line of many: there are no other letters.
func digitsOn(line []byte) (word []byte, alone bool) {
	words := bytes.Fields(line)
	letters := 0
	for _, w := range words {
		letters += countLetters(w)
		if len(w) > len(word) {
			word = w
		}
	}
	if len(words) >= leastGroups && len(words[0]) > 3 && areAlike(words) {
		return bytes.Join(words, nil), true
	}
	return word, len(word) >= leastStrangeLine && letters == countLetters(word)
}

// areAlike reports whether all words but the last have one length, and that is not longer.
func areAlike(words [][]byte) bool {
	last := len(words) - 1
	return len(words[last]) <= len(words[0]) &&
		!slices.ContainsFunc(words[:last], func(w []byte) bool { return len(w) != len(words[0]) })
}

func countLetters(b []byte) (n int) {
	for _, c := range b {
		if k := kindOfDigit(c); k == 'a' || k == 'A' {
			n++
		}
	}
	return n
}

// isStrange reports whether a word has so many digits of an unknown code.
func isStrange(word []byte) bool {
	if bytes.IndexByte(word, '\\') >= 0 { // escaped line ends, and slashes
		for _, escape := range []string{`\r`, `\n`, `\`} {
			word = bytes.ReplaceAll(word, []byte(escape), nil)
		}
	}
	for _, run := range bytes.FieldsFunc(word, func(r rune) bool { return r > '~' || !isBase64(byte(r)) && r != '.' }) {
		if groups := bytes.Split(run, []byte("-")); len(groups) > leastCoded && areAlike(groups) {
			run = bytes.Join(groups, nil)
		}
		if dots := bytes.Count(run, []byte(".")); dots*16 < len(run) && len(run) < dots*256 { // more than tokens have
			run = bytes.ReplaceAll(run, []byte("."), []byte("+-")) // no digits of a known code
		}
		for part := range bytes.SplitSeq(run, []byte(".")) {
			if len(part) >= leastStrange && isStrangeRun(part) {
				return true
			}
		}
	}
	for ; len(word) >= leastStrange; word = word[leastStrange/2:] {
		if textureOf(word[:leastStrange]).isOfDigits(true) {
			return true
		}
	}
	return false
}

// texture distinguishes bytes in digits from words: kinds change from one digit to the next.
type texture struct {
	size, changes, different int
	longestLower, most       int
	kinds                    [256]int
}

func textureOf(b []byte) (t texture) {
	var seen [256]int
	lower, last := 0, byte(0)
	for i, c := range b {
		kind := kindOfDigit(c)
		if i > 0 && kind != last {
			t.changes++
		}
		if lower++; kind != 'a' {
			lower = 0
		}
		if seen[c]++; seen[c] == 1 {
			t.different++
		}
		t.longestLower, t.most = max(t.longestLower, lower), max(t.most, seen[c])
		t.kinds[kind]++
		last = kind
	}
	t.size = len(b)
	return t
}

// isOfDigits reports whether digits have the texture of a code: of one with more marks than base64
// has, of numbers, of digits and letters of one case, or of both.
func (t texture) isOfDigits(marked bool) bool {
	lower, upper, marks := t.kinds['a'], t.kinds['A'], t.kinds[0]+t.kinds['/']
	switch {
	case marked:
		return marks*leastMarks >= t.size && t.different >= 56 && t.changes*10 >= t.size*6 && t.longestLower < 9
	case lower+upper+marks == 0:
		return t.most*4 < t.size*3
	case lower == 0 || upper == 0:
		return marks == 0 && t.kinds['0']*10 >= t.size && t.changes*4 >= t.size
	}
	return marks*8 < t.size && t.changes*100 >= t.size*45
}

// isStrangeRun reports whether digits hold an event in a code that lines are too short for, or are
// of no known code: they do not stand for text, nor for bytes that need all digits of the code,
// as nearly all but text does.
func isStrangeRun(b []byte) bool {
	mixed, known := bytes.ContainsAny(b, "+/") && bytes.ContainsAny(b, "-_"), false
	for _, c := range codes {
		var d decoding
		if c == base64Code && mixed || !c.decodeDigits(&d, b, []span{{0, len(b)}}) {
			continue
		}
		if HasTraces(d.decoded) {
			return true
		}
		text := 0
		for _, o := range d.decoded {
			if o == 0 || o == '\n' || o >= ' ' && o <= '~' {
				text++
			}
		}
		whole := textureOf(bytes.ToLower(b)).different*8 >= 7<<c.bits
		if c == base64Code {
			whole = bytes.ContainsAny(b, "+/-_")
		}
		known = known || whole || text*8 >= 7*len(d.decoded)
	}
	t := textureOf(b)
	return !known && (t.isOfDigits(false) || max(t.kinds['a'], t.kinds['A']) == len(b) && isLettered(b, t.different))
}

// isLettered reports whether letters of one case stand for bytes: few are different, or hardly any
// are vowels, and no pattern repeats.
func isLettered(b []byte, different int) bool {
	const few = 20
	vowels, groups := 0, map[string]bool{}
	for i, c := range b {
		if bytes.IndexByte([]byte("aeiouy"), c|0x20) >= 0 {
			vowels++
		}
		groups[string(b[i:min(len(b), i+4)])] = true
	}
	return len(groups) >= leastCoded && (different <= few || vowels*4 < len(b))
}
