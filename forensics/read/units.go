package read

import "bytes"

// values reads a stream of JSON values: one on each line, one after the other,
// over several lines, or within the brackets of one array.
func (s *stream) values() error {
	if bytes.HasPrefix(s.in.peek(len(bom)), bom) {
		s.in.skip(len(bom))
	}
	start := s.in.offset
	if !s.space() {
		return s.blank(start)
	}
	if s.window0() == '[' {
		s.array = true
		s.in.skip(1)
	}
	for n := 0; s.ctx.Err() == nil; n++ {
		if !s.space() {
			return s.closing(start, n)
		}
		if err := s.unit(); err != nil {
			return err
		}
	}
	return s.ctx.Err()
}

// closing ends a stream of n units.
func (s *stream) closing(start int64, n int) error {
	if err := s.noAction(); err != nil {
		return err
	}
	if s.array {
		return s.note(s.in.offset, PartialTail, "the list of values is not closed")
	}
	if n == 0 {
		return s.blank(start)
	}
	return nil
}

// blank reports a stream without values.
func (s *stream) blank(start int64) error {
	s.followed(start)
	place := Place{Container: s.container, Offset: start, Length: s.in.offset - start}
	return s.skip(Skip{Place: place, Code: NoRecord, Detail: "there are no values"})
}

// space passes what stands between values. It returns false at the end.
func (s *stream) space() bool {
	for len(s.in.peek(1)) > 0 {
		switch c := s.window0(); {
		case c == '\n':
			s.inline = false
			s.in.skip(1)
		case c == ' ' || c == '\t' || c == '\r', c == ',' && s.array:
			s.in.skip(1)
		case c == ']' && s.array:
			s.array = false
			s.in.skip(1)
		default:
			return true
		}
	}
	return false
}

// window0 returns the next octet, 0 at the end.
func (s *stream) window0() byte {
	if b := s.in.peek(1); len(b) > 0 {
		return b[0]
	}
	return 0
}

// unit reads the value that comes next, and consumes it. It looks at no part
// of a line more than a few times, however many values are on it.
func (s *stream) unit() error {
	if s.array && s.in.offset >= s.lonely {
		return s.element()
	}
	line, ok := s.in.line(0, s.limits.Unit)
	if !ok {
		return s.element()
	}
	text := s.trim(line)
	short := lineEnd(line)
	switch {
	case s.inline:
		return s.further(text, short)
	case s.isEvent(text) && (short == Unparseable || s.valueSize(text) == len(text)):
		return s.event(text, short)
	case looksWhole(text):
		return s.whole(text, short)
	case s.in.offset < s.lonely:
		return s.take(text, short)
	case text[0] == '{' || text[0] == '"':
		return s.join(len(text), len(line))
	}
	return s.garbage(Unparseable, "neither an object nor a string")
}

// trim returns a line without the white space at its end. The same line is asked
// for again behind each value on it: where its text ends is found once.
func (s *stream) trim(line []byte) []byte {
	if end := s.in.offset + int64(len(line)); end != s.trimmed.line {
		s.trimmed = lineEnds{line: end, text: s.in.offset + int64(len(bytes.TrimRight(line, " \t\r\n")))}
		s.look(int(end - s.trimmed.text))
	}
	return line[:s.trimmed.text-s.in.offset]
}

// lineEnds are where a line ends, with its line feed, and where its text does.
type lineEnds struct{ line, text int64 }

// lineEnd is what it means that a value on this line is not whole.
func lineEnd(line []byte) Code {
	if line[len(line)-1] == '\n' {
		return Unparseable
	}
	return PartialTail
}

// whole reads a line that begins and ends as a value does. If a record begins
// within it although the value before has not ended, its writer stopped there
// and began the next one behind.
func (s *stream) whole(text []byte, short Code) error {
	v := s.check(text)
	if v.fault == nil || s.nextStart(text) < 0 || s.valueSize(text) > 0 {
		return s.checked(text, short, v)
	}
	for len(text) > 0 {
		n := s.nextStart(text)
		if n < 0 {
			return s.take(text, short)
		}
		if err := s.take(text[:n], Unparseable); err != nil {
			return err
		}
		rest := text[len(s.doc.b):n]
		if at := s.in.offset; len(rest) > 0 {
			s.in.skip(len(rest))
			s.followed(at)
			if err := s.lost(at, rest, &fault{TrailingData, 0, "no value, after a value on its line"}); err != nil {
				return err
			}
		}
		text = text[n:]
	}
	return nil
}

// further reads what follows a value on its line.
func (s *stream) further(text []byte, short Code) error {
	if text[0] != '{' && text[0] != '"' {
		return s.garbage(TrailingData, "no value, after a value on its line")
	}
	if s.last != SplunkHEC { // whose requests hold one value after the other
		if err := s.note(s.in.offset, ConcatenatedJSON, "another value follows on the same line"); err != nil {
			return err
		}
	}
	if n := s.valueSize(text); n > 0 {
		text = text[:n]
	}
	return s.take(text, short)
}

// looksWhole reports whether a line begins and ends as a value does.
func looksWhole(line []byte) bool {
	if len(line) < 2 {
		return false
	}
	first, last := line[0], line[len(line)-1]
	return first == '{' && last == '}' || first == '"' && last == '"'
}

// valueSize returns where the value that text begins with ends as far as its
// brackets tell, 0 if it does not.
func (r *reader) valueSize(text []byte) int {
	var p shape
	n, state := p.scan(text)
	if r.look(n); state == scanDone {
		return n
	}
	return 0
}

// nextStart returns where, behind its first octet, a record seems to begin in
// text, -1 if none does. Behind a colon it would be the value of a member.
func (r *reader) nextStart(text []byte) int {
	for i := 1; i < len(text); i++ {
		n := bytes.Index(text[i:], []byte(`{"`))
		if n < 0 {
			r.look(len(text) - i)
			return -1
		}
		r.look(n)
		i += n
		for _, start := range starts {
			if text[i-1] != ':' && bytes.HasPrefix(text[i:], start) {
				return i
			}
		}
	}
	return -1
}

// take reads a unit: a whole value or, if it ends too early, what there is of
// it; short is what that means.
func (s *stream) take(unit []byte, short Code) error {
	return s.checked(unit, short, s.check(unit))
}

func (s *stream) checked(unit []byte, short Code, v verdict) error {
	at := s.in.offset
	d := &s.doc
	*d = doc{stream: s, b: unit, base: at, short: short}
	if err := d.value(valueFormat(s.forced), v); err != nil {
		return err
	}
	s.in.skip(len(d.b))
	s.followed(at)
	s.inline = len(d.b) < len(unit)
	return nil
}
