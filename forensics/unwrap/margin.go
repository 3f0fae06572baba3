package unwrap

import (
	"bytes"
	"slices"
)

// margin is the text before and behind each of some lines: marks of quotation and of comments,
// numbers, times, names, and the quotes of literals.
type margin struct {
	before []byte // with numberMark for any number
	quote  byte   // the text ends with its last one; 0 if it has none
	behind []byte // where there is no quote
}

const (
	leastEvent   = 512 // less than an event has
	numberMark   = 0
	widestMargin = 160
	leastLines   = 3
	costOfMargin = 8 // so many times the lines of a margin may be looked at without it
	youngMargin  = 4 // lines that can show that a margin is narrower
)

const marginStep = "marks around lines"

// appendShape appends the beginning of a line with its numbers as marks or, if numbers is not
// set, up to the first one. A number at the beginning can have spaces before it.
func appendShape(dst, line []byte, numbers bool) []byte {
	rest := line
	if number := bytes.TrimLeft(line, " "); len(number) > 0 && isDecimalDigit(number[0]) {
		rest = number
	}
	for len(rest) > 0 && len(dst) < widestMargin {
		if !isDecimalDigit(rest[0]) {
			dst, rest = append(dst, rest[0]), rest[1:]
			continue
		}
		if !numbers {
			break
		}
		dst, rest = append(dst, numberMark), bytes.TrimLeft(rest, "0123456789")
	}
	return dst
}

// narrowTo narrows a margin to the part that a line has. It ends with no letter and no number:
// these belong to the text.
func (m *margin) narrowTo(shape []byte) {
	n := 0
	for n < min(len(m.before), len(shape)) && m.before[n] == shape[n] {
		n++
	}
	for n > 0 && (countLetters(m.before[n-1:n]) > 0 || bytes.IndexByte([]byte{'_', numberMark}, m.before[n-1]) >= 0) {
		n--
	}
	m.before = m.before[:n]
}

// sizeIn returns the length of a margin in a line, -1 if the line does not have it. Spaces at
// its end can be missing on an empty line.
func (m *margin) sizeIn(line []byte) int {
	at := 0
	for i, c := range m.before {
		if c == numberMark {
			if i == 0 {
				at = len(line) - len(bytes.TrimLeft(line, " "))
			}
			from := at
			for at < len(line) && isDecimalDigit(line[at]) {
				at++
			}
			if at == from {
				return -1
			}
			continue
		}
		if at == len(line) && len(bytes.TrimSpace(m.before[i:])) == 0 {
			return at
		}
		if at == len(line) || line[at] != c {
			return -1
		}
		at++
	}
	return at
}

// marginAt returns the margin that the lines at the beginning of a text have, how long they are,
// and their number. Of too few lines it returns the size of the first. The first line is without
// an indent.
func marginAt(text, indent []byte, numbers bool) (m margin, size, lines int) {
	var shape [widestMargin]byte
	first := 0
	for line := range bytes.Lines(text) {
		content := bytes.TrimRight(line, "\r\n")
		narrow := m
		switch {
		case lines == 0:
			begin := slices.Concat(indent, content[:min(len(content), widestMargin)])
			narrow.before, first = appendShape(nil, begin, numbers), len(line)
		case m.sizeIn(content) < 0 && lines < youngMargin, lines == 1:
			narrow.narrowTo(appendShape(shape[:0], content, numbers))
		}
		if len(bytes.TrimSpace(narrow.before)) == 0 || lines > 0 && narrow.sizeIn(content) < 0 {
			break
		}
		m, size, lines = narrow, size+len(line), lines+1
	}
	if lines < leastLines {
		return margin{}, max(first, 1), 0
	}
	if last := m.before[len(m.before)-1]; bytes.IndexByte([]byte("\"'`"), last) >= 0 {
		m.quote = last
	}
	return m, size, lines
}

// findBehind finds the text behind every line but the last one. It begins with a space, a tag
// or an escape.
func (m *margin) findBehind(text []byte) {
	var common []byte
	n := 0
	last := bytes.LastIndexByte(bytes.TrimRight(text, "\r\n"), '\n') + 1
	for line := range bytes.Lines(text[:last]) {
		line = bytes.TrimRight(line, "\r\n")
		if n++; n == 1 {
			common = line
			continue
		}
		i := 0
		for i < min(len(common), len(line)) && common[len(common)-1-i] == line[len(line)-1-i] {
			i++
		}
		common = common[len(common)-i:]
	}
	if i := bytes.IndexAny(common, " <\\"); i >= 0 && n > 1 {
		m.behind = common[i:]
	}
}

// stripMargin appends the lines of a text without their margin. The first one can have lost the spaces
// that it began with, or all of it.
func (m *margin) stripMargin(d *decoding, text []byte, at int) {
	for line := range bytes.Lines(text) {
		content := bytes.TrimRight(line, "\r\n")
		from := m.sizeIn(content)
		if from < 0 {
			from = max(0, m.withoutIndent().sizeIn(content))
		}
		content = content[from:]
		if i := bytes.LastIndexByte(content, m.quote); m.quote != 0 && i >= 0 {
			content = content[:i]
		}
		content = bytes.TrimSuffix(content, m.behind)
		d.markAt(at + from)
		d.decoded = append(append(d.decoded, content...), '\n')
		at += len(line)
	}
}

// withoutIndent is a margin without the white space that it begins with.
func (m *margin) withoutIndent() *margin { return &margin{before: bytes.TrimLeft(m.before, " \t")} }

// inMargins searches the lines of a part of a view that have a margin without it, if they are
// shorter than an event. It reports whether there was anything in them, and then has searched
// the rest of the part, too.
func inMargins(f *Finder, v *view, from, to int) bool {
	if v.depth == MaxLevels || to-from < leastRun || f.Looked > f.budget || slices.Contains(f.steps, marginStep) {
		return false
	}
	done, tried := from, from // the ends of the lines with finds, and of those tried up to their numbers
	for at := from; at < to; {
		size, found := 0, false
		if at >= tried {
			size, found = linesInMargin(f, v, at, to, false)
			tried = at + size
		}
		if !found {
			size, found = linesInMargin(f, v, at, to, true)
		}
		if found {
			if at > done {
				gapAsItIs(f, v, done, at)
			}
			done = at + size
		}
		at += size
	}
	if done > from && done < to {
		gapAsItIs(f, v, done, to)
	}
	return done > from
}

// linesInMargin searches the lines with a margin that a part of a view begins with, and returns
// their size; without a margin, the size of some lines. The first line of a text can have lost
// its indent or, between digits, its beginning.
func linesInMargin(f *Finder, v *view, from, to int, numbers bool) (size int, found bool) {
	text, first := v.text[from:to], 0
	var indent []byte
	if line := bytes.IndexByte(text, '\n') + 1; from > 0 || v.depth > 0 {
	} else if f.BetweenDigits {
		first = line
	} else if text[0] != ' ' && text[0] != '\t' {
		indent = text[line:][:len(text)-line-len(bytes.TrimLeft(text[line:], " \t"))]
	}
	m, size, lines := marginAt(text[first:], indent, numbers)
	size += first
	return size, size >= leastEvent && lines > 0 && size/lines < leastRun && inMargin(f, v, &m, span{from, from + size})
}

// inMargin searches lines without their margin. It reports whether something was found, and
// not only events that were altered.
func inMargin(f *Finder, v *view, m *margin, part span) bool {
	text := v.text[part.from:part.to]
	for range 2 {
		next := &f.levels[v.depth+1]
		next.beginPart()
		m.stripMargin(&next.decoding, text, part.from)
		next.markAt(part.to)
		f.Looked += int64(len(text))
		inner := &view{text: next.decoded, depth: v.depth + 1, up: v, base: part.from, end: part.to,
			marks: next.marks, verbatim: true}
		before, kept, budget, looked := f.result, len(f.kept), f.budget, f.Looked
		f.budget = min(budget, looked+costOfMargin*int64(len(text)))
		if mayHold(f, inner) && f.searchIn(inner, marginStep) &&
			f.countTrue(len(before.Matches)) > 0 {
			f.budget = budget
			return true
		}
		f.budget = budget + f.Looked - looked
		after := f.result
		f.dropResults(before, kept)
		if after.Open >= 0 && (before.Open < 0 || after.Open < before.Open) { // its end can be behind the text
			f.result.Open, f.result.InDigits = after.Open, after.InDigits
		}
		if m.findBehind(text); len(m.behind) == 0 {
			break
		}
	}
	return false
}
