package read

import (
	"bytes"
	"fmt"
)

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
		case c == ' ' || c == '\t' || c == '\r' || c == '\n', c == ',' && s.array:
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

// unit reads the value that comes next, and consumes it.
func (s *stream) unit() error {
	if s.array {
		return s.element()
	}
	line, ok := s.in.line(0, s.limits.Unit)
	if !ok {
		return s.element()
	}
	text := bytes.TrimRight(line, " \t\r\n")
	ended := line[len(line)-1] == '\n'
	switch {
	case s.isEvent(text) && (ended || isWhole(text)):
		return s.event(text, ended)
	case looksWhole(text) && ended:
		return s.take(text[:torn(text)], Unparseable)
	case looksWhole(text):
		return s.take(text[:torn(text)], PartialTail)
	case s.in.offset < s.lonely:
		return s.take(text, Unparseable)
	case text[0] == '{' || text[0] == '"':
		return s.join(len(text), len(line))
	}
	return s.garbage()
}

// looksWhole reports whether a line begins and ends as a value does.
func looksWhole(line []byte) bool {
	if len(line) < 2 {
		return false
	}
	first, last := line[0], line[len(line)-1]
	return first == '{' && last == '}' || first == '"' && last == '"'
}

// isWhole reports whether text is one value as far as its brackets tell.
func isWhole(text []byte) bool {
	var p shape
	n, state := p.scan(text)
	return state == scanDone && n == len(text)
}

// torn returns where on a line the value before it ends that was not finished:
// its writer stopped within it, and began the next one behind. It is the end of
// the line if there is nothing of the kind.
func torn(text []byte) int {
	if i := nextStart(text); i > 0 && !isWhole(text) {
		var p shape
		if _, state := p.scan(text[:i]); state == scanMore {
			return i
		}
	}
	return len(text)
}

// nextStart returns where, behind its first octet, a record seems to begin in
// text, -1 if none does.
func nextStart(text []byte) int {
	first := -1
	for _, start := range starts {
		i := bytes.Index(text[min(1, len(text)):], start) + 1
		// Behind a colon it is the value of a member.
		if i > 0 && text[i-1] != ':' && (first < 0 || i < first) {
			first = i
		}
	}
	return first
}

// take reads a unit: a whole value or, if it ends too early, what there is of
// it; short is what that means.
func (s *stream) take(unit []byte, short Code) error {
	at := s.in.offset
	d := &s.doc
	*d = doc{stream: s, b: unit, base: at, short: short}
	if err := d.value(valueFormat(s.forced)); err != nil {
		return err
	}
	s.in.skip(len(d.b))
	s.followed(at)
	return s.behind(unit[len(d.b):])
}

// behind says what it means that something follows a value on its line.
func (s *stream) behind(rest []byte) error {
	text := bytes.TrimLeft(rest, " \t")
	if len(text) == 0 || s.array {
		return nil
	}
	at := s.in.offset
	if text[0] != '{' && text[0] != '"' {
		s.in.skip(len(rest))
		s.followed(at)
		return s.lost(at, rest, &fault{TrailingData, 0, "no value, after a value on its line"})
	}
	if s.last == SplunkHEC {
		return nil // such requests hold one value after the other
	}
	return s.note(at, ConcatenatedJSON, "another value follows on the same line")
}

// join reads a value that goes on behind the line that it begins on: the first
// size bytes. If the lines that follow look like values of their own, it is a
// torn line instead, and they are read for themselves.
func (s *stream) join(text, size int) error {
	var p shape
	alone := false
	for n := 0; ; {
		line, ok := s.in.line(n, s.limits.Unit)
		w := s.in.window()
		switch {
		case n > 0 && begin(line, w[:text]):
			return s.take(w[:text], Unparseable)
		case !ok || len(line) == 0 && alone:
			s.lonely = s.in.offset + int64(n)
			return s.take(w[:text], Unparseable)
		case len(line) == 0:
			return s.take(bytes.TrimRight(w[:n], " \t\r\n"), PartialTail)
		}
		alone = alone || n > 0 && (line[0] == '{' || bytes.HasPrefix(line, []byte(`"{`))) && looksWhole(bytes.TrimRight(line, " \t\r\n"))
		_, state := p.scan(line)
		if n += len(line); state == scanDone {
			return s.take(bytes.TrimRight(w[:n], " \t\r\n"), Unparseable)
		}
		if state == scanBroken {
			s.lonely = s.in.offset + int64(n)
			return s.take(w[:text], s.tail(size))
		}
	}
}

// tail is what it means that the first size bytes of the window are not whole.
func (s *stream) tail(size int) Code {
	if len(s.in.peek(size+1)) == size {
		return PartialTail
	}
	return Unparseable
}

// begin reports whether a line begins as another does: with an object and the
// same first member.
func begin(line, as []byte) bool {
	const least, most = 4, 12
	n := min(len(as), most)
	return n >= least && as[0] == '{' && as[1] == '"' && bytes.HasPrefix(line, as[:n])
}

// element reads a value that ends where its brackets do.
func (s *stream) element() error {
	var p shape
	for n := 0; ; {
		end, state := p.scan(s.in.window()[n:])
		n += end
		switch {
		case n > s.limits.Unit:
			return s.tooLongElement(&p, n, state)
		case state == scanDone:
			return s.take(s.in.window()[:n], Unparseable)
		case state == scanBroken:
			return s.garbage()
		case !s.in.fill():
			return s.take(s.in.window()[:n], PartialTail)
		}
	}
}

// tooLongElement skips a value of which n bytes are too many already, without
// holding more of it.
func (s *stream) tooLongElement(p *shape, n int, state scanState) error {
	skip := Skip{Code: Limit, Detail: s.limitText(), Excerpt: bytes.Clone(s.in.peek(excerptSize))}
	skip.Place = Place{Container: s.container, Offset: s.in.offset}
	s.in.skip(n)
	for state == scanMore && (len(s.in.window()) > 0 || s.in.fill()) {
		n, state = p.scan(s.in.window())
		s.in.skip(n)
	}
	skip.Place.Length = s.in.offset - skip.Place.Offset
	s.followed(skip.Place.Offset)
	return s.skip(skip)
}

// starts are how records begin. They are looked for in a line that is damaged
// before, such as one that follows on a run of zeros after a crash. In a string
// their quotes would be escaped.
var starts = [][]byte{[]byte(eventStart), []byte(`{"resourceLogs":[`)}

// garbage skips what is no value: up to a record on the same line, or to the
// end of the line.
func (s *stream) garbage() error {
	at := s.in.offset
	head := bytes.Clone(s.in.peek(excerptSize))
	for more := true; more; {
		w := s.in.peek(firstWindow)
		end := len(w)
		if i := bytes.IndexByte(w, '\n'); i >= 0 {
			end, more = i+1, false
		}
		if i := nextStart(w[:end]); i > 0 {
			end, more = i, false
		}
		s.in.skip(end)
		more = more && end == firstWindow
	}
	s.followed(at)
	skip := Skip{Code: Unparseable, Detail: "neither an object nor a string", Excerpt: head}
	skip.Place = Place{Container: s.container, Offset: at, Length: s.in.offset - at}
	return s.skip(skip)
}

// longLine skips a line that is too long to be held.
func (s *stream) longLine() error {
	at := s.in.offset
	skip := Skip{Code: Limit, Detail: s.limitText(), Excerpt: bytes.Clone(s.in.peek(excerptSize))}
	for {
		w := s.in.peek(firstWindow)
		i := bytes.IndexByte(w, '\n')
		s.in.skip(i + 1)
		if i >= 0 || len(w) == 0 {
			break
		}
		s.in.skip(len(w))
	}
	s.followed(at)
	skip.Place = Place{Container: s.container, Offset: at, Length: s.in.offset - at}
	return s.skip(skip)
}

func (s *stream) limitText() string {
	return fmt.Sprintf("larger than the limit of %d bytes", s.limits.Unit)
}

// bodies reads lines that are bodies as a whole.
func (s *stream) bodies() error {
	for s.ctx.Err() == nil && len(s.in.peek(1)) > 0 {
		line, ok := s.in.line(0, s.limits.Unit)
		var err error
		switch text := bytes.TrimRight(line, "\r\n"); {
		case !ok:
			err = s.longLine()
		case len(text) == 0:
			s.in.skip(len(line))
		default:
			err = s.event(text, line[len(line)-1] == '\n')
		}
		if err != nil {
			return err
		}
	}
	return s.ctx.Err()
}
