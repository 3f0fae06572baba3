package unwrap

import "bytes"

// leastRun is less than the length of an event in base64 or in hexadecimal digits. The
// digests, keys and signatures of other records are shorter.
const leastRun = 300

// searchBlind searches a part of a view in which no anchor shows.
func (f *Finder) searchBlind(v *view, from, to int) {
	f.octetsIn(v, from, to, betweenObjects, f.searchDigits)
}

// octetsIn searches a part of a view for bytes that are written in one of the lists or one
// behind it, and the rest of it by another search.
func (f *Finder) octetsIn(v *view, from, to, way int, rest func(v *view, from, to int)) {
	for more := true; more; {
		var at span
		end := to
		if at, more = f.findListed(v, from, to, way); more {
			end = at.from
		}
		if next := way + 1; next == betweenObjects || next == len(lists) {
			rest(v, from, end)
		} else {
			f.octetsIn(v, from, end, next, rest)
		}
		from = at.to
	}
}

// searchDigits searches a part of a view for bytes in digits, and for letters that are
// escaped.
func (f *Finder) searchDigits(v *view, from, to int) {
	var lines []span
	for at := from; ; at = lines[len(lines)-1].to {
		begun := f.BetweenDigits && at == 0 && (v.depth == 0 || v.depth == 1 && v.verbatim && v.base == 0)
		whole := from == 0 && at == 0 && to == len(v.text) && !begun
		if whole && f.levels[v.depth].sight.findIn(v.text, forRun) < 0 {
			break
		}
		if lines = nextRun(v.text[:to], at, begun, lines[:0]); len(lines) == 0 {
			break
		}
		rest := 0
		for i := range lines {
			if f.encodedAlone(v, lines, i) {
				from = f.searchTogether(v, from, lines[rest:i])
				f.searchHidden(v, from, lines[i].from)
				from, rest = lines[i].to, i+1
			}
		}
		from = f.searchTogether(v, from, lines[rest:])
	}
	f.searchHidden(v, from, to)
}

// searchTogether searches the decoded content of lines of digits, one behind the other, and
// the text before them. It returns where to search next: at from if there is nothing in them.
func (f *Finder) searchTogether(v *view, from int, lines []span) int {
	if len(lines) == 0 || !f.searchEncoded(v, lines) {
		return from
	}
	f.searchHidden(v, from, lines[0].from)
	return lines[len(lines)-1].to
}

// encodedAlone decodes and searches one of several lines of digits. It reports
// whether all in it is whole: then it has nothing to do with the others.
func (f *Finder) encodedAlone(v *view, lines []span, i int) bool {
	if len(lines) == 1 || lines[i].size() < leastRun || v.depth == MaxLevels {
		return false
	}
	before, kept := f.result, len(f.kept)
	if f.searchEncoded(v, lines[i:i+1]) {
		last := len(f.result.Matches) - 1
		cut := last >= 0 && f.result.Matches[last].Kind == Packed && i+1 < len(lines) &&
			lines[i+1].size() <= lines[i].size()
		if len(f.result.Pieces) == len(before.Pieces) && !cut {
			return true
		}
	}
	f.dropResults(before, kept)
	return false
}

// searchEncoded searches the decoded content of lines of digits. It reports whether there was
// something in it.
func (f *Finder) searchEncoded(v *view, lines []span) bool {
	run := span{lines[0].from, lines[len(lines)-1].to}
	if v.depth == MaxLevels || f.Looked > f.budget {
		f.result.Deep = true
		f.keepPiece(v, run.from, run.to) // whatever it is, it was wrapped with care
		return true
	}
	l := &f.levels[v.depth+1]
	for _, c := range codes {
		if !c.decodeDigits(&l.decoding, v.text, lines) {
			continue
		}
		f.Looked += int64(run.to - run.from)
		inner := &view{text: l.decoded, depth: v.depth + 1, up: v, base: run.from, end: run.to, marks: l.marks}
		if f.searchOctets(inner, c.name) {
			return true
		}
	}
	return false
}

// packedIn returns the compressed data, or the archive, in some bytes, nil if there is none.
// MySQL and Qt put its length before it, in four bytes.
func packedIn(isPacked func([]byte) bool, b []byte) []byte {
	const size = 4
	switch {
	case isPacked == nil:
	case isPacked(b):
		return b
	case len(b) > size && (b[0] == 0 || b[size-1] == 0) && isPacked(b[size:]):
		return b[size:]
	}
	return nil
}

// searchOctets searches the decoded bytes of a part of a view. It reports whether there was
// something in them.
func (f *Finder) searchOctets(v *view, step string) bool {
	if packed := packedIn(f.IsPacked, v.text); packed != nil {
		f.steps = append(f.steps, step)
		f.keepMatch(v.up, span{v.base, v.end}, Match{Kind: Packed, Body: packed})
		f.steps = f.steps[:len(f.steps)-1]
		return true
	}
	matches, pieces := len(f.result.Matches), len(f.result.Pieces)
	found := f.searchIn(v, step)
	switch {
	case found:
		f.openAt(v, f.result.Matches[len(f.result.Matches)-1].End)
	case len(f.result.Pieces) == pieces:
		f.openAt(v, v.surfacePlace(max(0, len(v.text)-leastOpen), false))
	}
	return len(f.result.Matches) > matches || len(f.result.Pieces) > pieces
}

// leastOpen is more than the beginning of an event has before it is known for one.
const leastOpen = 1 << 10

// leastLine is less than encoders write on a line before they break it. So a word
// on the line before, or behind, does not count.
const leastLine = 38

// nextRun returns the next run of digits that is long enough for an event, line for
// line, none if there is none. It looks only where such a run has a digit. If begun is
// set, the text begins with the rest of a line.
func nextRun(text []byte, from int, begun bool, lines []span) []span {
	for probe := from + leastLine - 1; probe < len(text); probe += leastLine {
		if !isDigit(text, probe) {
			continue
		}
		line := span{probe, lineEnd(text, probe)}
		for line.from > from && isDigit(text, line.from-1) {
			line.from--
		}
		lines = lines[:0]
		if begun && line.from > from {
			if end := lineEnd(text, from); end+lineBreak(text[end:]) == line.from {
				lines = append(lines, span{from, end})
			}
		}
		lines, begun = append(lines, line), false
		for line.size() >= leastLine {
			next := line.to + lineBreak(text[line.to:])
			if line = (span{next, lineEnd(text, next)}); next == lines[len(lines)-1].to || line.to == next ||
				line.size() < leastLine && line.to < len(text) && bytes.IndexByte([]byte(" \t"), text[line.to]) >= 0 &&
					lineBreak(text[line.to:]) == 0 {
				break // a word of another line
			}
			lines = append(lines, line)
		}
		last := &lines[len(lines)-1]
		if last.to-lines[0].from >= leastRun {
			for last.to < len(text) && text[last.to] == '=' {
				last.to++
			}
			return lines
		}
		probe = max(probe, last.to-1)
		from = last.to
	}
	return nil
}

// isDigit reports whether there is a digit at i, or one half of an escaped slash.
func isDigit(text []byte, i int) bool {
	return isBase64(text[i]) || text[i] == '\\' && i+1 < len(text) && text[i+1] == '/'
}

func lineEnd(text []byte, i int) int {
	for i < len(text) && isDigit(text, i) {
		i++
	}
	return i
}

// lineBreak returns the length of the line break, as it is or escaped, that a text
// begins with; with the spaces and marks of quotation that the next line begins with.
func lineBreak(b []byte) int {
	i := len(b) - len(bytes.TrimLeft(b, " \t\\"))
	if i == len(b) || b[i] != '\r' && b[i] != '\n' { // no mark that a line continues
		i = 0
	}
	for _, end := range []string{"\r", `\r`, "\n", `\n`} {
		if bytes.HasPrefix(b[i:], []byte(end)) {
			i += len(end)
		}
	}
	for i > 0 && i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '>') {
		i++
	}
	return i
}

func isHexDigit(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }
