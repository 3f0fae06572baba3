package read

import (
	"bytes"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/unwrap"
)

// readText reads lines that are no JSON values: whatever is in them.
func (v *values) readText() error {
	f := v.freeFinder()
	defer v.doneWith(f)
	f.BetweenDigits, v.inDigits = v.inDigits, false
	for size := v.blocks.first; ; size *= 4 {
		n, more := v.blockLength(size)
		if n == 0 {
			return v.longLine()
		}
		b := v.in.peekBytes(n)
		result := f.Find(b)
		if !more {
			return v.reportLines(b, result)
		}
		cut := cutPlace(b, result, true)
		if cut == 0 && result.Open >= 0 && size < v.blocks.most {
			continue // it continues afterwards
		}
		cut = cutResult(b, result, cut)
		v.goesOn, v.inDigits = true, result.InDigits || b[cut-1] != '\n'
		return v.reportLines(b[:cut], result)
	}
}

// overlap is how much of a block is searched again with the text that follows: more than the
// beginning of an event has in any wrapping before it is known for one.
const overlap = 1 << 10

// cutPlace returns where a block is cut, as something can continue after it: between two
// digits, or else at the last line that begins before that, and that no match crosses. If
// matches share all lines, it is where the last of these lines begins; 0 if there is one line.
func cutPlace(b []byte, r *unwrap.Result, lines bool) int {
	place := max(0, len(b)-overlap)
	if r.Open >= 0 && (r.InDigits || r.Open < place) {
		place = r.Open
	}
	if r.InDigits || !lines {
		return place
	}
	last := lineStart(b, place)
	cut := last
	for i := len(r.Matches) - 1; i >= 0; i-- {
		if m := &r.Matches[i]; m.Start < cut && m.End > cut {
			cut = lineStart(b, m.Start)
		}
	}
	if cut == 0 && r.Open < 0 {
		return last
	}
	return cut
}

// lineStart returns where the line begins that a place is on.
func lineStart(b []byte, place int) int { return bytes.LastIndexByte(b[:place], '\n') + 1 }

// cutResult drops from a result the matches that begin after a place, or after the end of the
// match that crosses it, and returns where that is. A piece is cut there. At 0 nothing is cut:
// the whole block counts.
func cutResult(b []byte, r *unwrap.Result, place int) int {
	if place == 0 {
		return len(b)
	}
	for _, m := range r.Matches {
		if m.Start < place {
			place = max(place, m.End)
		}
	}
	r.Matches = slices.DeleteFunc(r.Matches, func(m unwrap.Match) bool { return m.Start >= place })
	r.Pieces = slices.DeleteFunc(r.Pieces, func(p unwrap.Span) bool { return p.Start >= place })
	for i := range r.Pieces {
		r.Pieces[i].End = min(r.Pieces[i].End, place)
	}
	return place
}

// blockLength returns the length of the lines that come next and are to be searched together: up to
// one that is a JSON value by itself. more means that the text may continue after them.
func (v *values) blockLength(size int) (n int, more bool) {
	for n < size {
		line, ok := v.in.peekLine(n, v.limits.Unit)
		switch {
		case !ok:
			return n, true
		case len(line) == 0, n > 0 && v.isValue(line):
			return n, false
		}
		n += len(line)
	}
	return n, true
}

// isValue reports whether a line is a JSON object by itself, as far as its ends and, if an
// event begins there, its brackets tell.
func (v *values) isValue(line []byte) bool {
	line = bytes.TrimRight(line, " \t\r\n")
	return looksWhole(line) && line[0] == '{' &&
		(!bytes.HasPrefix(line, []byte(unwrap.EventStart)) || v.valueSize(line) > 0)
}

// reportLines reports the records in lines of text, and consumes them. Stretches of them with
// nothing of an event are the records of other services.
func (v *values) reportLines(b []byte, result *unwrap.Result) error {
	at := v.in.offset
	d := &v.doc
	*d = doc{stream: v.stream, b: b, base: at, short: finding.SourceUnparseable, torn: isTorn(b)}
	stretches := betweenMatches(b, result)
	if len(result.Matches)+len(result.Pieces) > 0 {
		if err := d.reportFormat(General, textWhy); err != nil {
			return err
		}
		v.last = General
	}
	d.rec = Record{} // a format that is reported ends a record before it
	_, err := d.reportFound(b, result)
	for _, s := range stretches {
		err = errors.Join(err, d.reportOthers(b[s.Start:s.End]))
	}
	v.yaml = v.yaml || slices.ContainsFunc(result.Matches, isYAML)
	if last := b[lineStart(b, len(b)):]; d.torn && err == nil && v.last == General {
		switch n := len(result.Matches); {
		case breaksRow(last):
			err = d.remarkOn(last, finding.SourcePartialTail, "the file ends within a row of a table")
		case v.yaml && (n == 0 || result.Matches[n-1].End < len(b)):
			err = d.remarkOn(last, finding.SourcePartialTail, "the file ends within a line of YAML")
		}
	}
	v.in.skipBytes(len(b))
	v.noteFollowed(at)
	v.inline = false
	return err
}

// textWhy is why a stream is taken for text with events in it.
const textWhy = "events stand in other text"

// isYAML reports whether a match is a mapping of YAML.
func isYAML(m unwrap.Match) bool { return len(m.Steps) > 0 && m.Steps[len(m.Steps)-1] == unwrap.YAML }

// breaksRow reports whether a line begins with the frame of a table and does not end with it.
func breaksRow(line []byte) bool {
	for _, frame := range []string{"|", "│", "┃", "║"} {
		if bytes.HasPrefix(line, []byte(frame)) {
			return !bytes.HasSuffix(bytes.TrimRight(line, " "), []byte(frame))
		}
	}
	return false
}

// betweenMatches returns the stretches of whole lines in which nothing was found.
func betweenMatches(b []byte, r *unwrap.Result) []unwrap.Span {
	taken := slices.Clone(r.Pieces)
	for _, m := range r.Matches {
		taken = append(taken, unwrap.Span{Start: m.Start, End: m.End})
	}
	slices.SortFunc(taken, func(a, b unwrap.Span) int { return a.Start - b.Start })
	var free []unwrap.Span
	at := 0
	for _, s := range append(taken, unwrap.Span{Start: len(b), End: len(b)}) {
		line := len(b)
		if s.Start < len(b) {
			line = min(at, s.Start)
			line += lineStart(b[line:], s.Start-line)
		}
		if gap := b[min(at, s.Start):s.Start]; len(gap) > 1 && len(bytes.Trim(gap, "\x00\r\n")) == 0 {
			line = s.Start
		}
		if line > at && len(bytes.TrimSpace(b[at:line])) > 0 {
			free = append(free, unwrap.Span{Start: at, End: line})
		}
		if s.End < at { // on a line that is taken
			continue
		}
		_, rest, _ := bytes.Cut(b[s.End:], []byte("\n"))
		at = len(b) - len(rest)
	}
	return free
}

// reportOthers reports lines in which nothing is.
func (d *doc) reportOthers(lines []byte) error {
	d.dropped = true
	d.reports++
	skip := Skip{Place: d.placeOf(lines), Code: finding.SourceNoRecord, Detail: "text of another service", Excerpt: lines}
	zeros := len(bytes.Trim(lines, "\x00 \t\r\n")) == 0 // a crash leaves such
	if zeros || !isPrintable(lines) && !slices.Contains(d.told, General) {
		skip.Code, skip.Detail = finding.SourceUnparseable, "neither text nor a JSON value"
	}
	if skip.Code == finding.SourceNoRecord {
		d.findDigits(lines)
	}
	return d.skip(skip)
}

// isPrintable reports whether bytes are text, in UTF-8 or an older encoding.
func isPrintable(b []byte) bool {
	odd := 0
	for _, c := range b {
		if c == 0 {
			return false
		}
		if c < ' ' && bytes.IndexByte([]byte("\t\n\r\f\b\x1b\x1e"), c) < 0 {
			odd++
		}
	}
	return odd*64 <= len(b) && (utf8.Valid(b) || odd == 0)
}

// searchUnknown searches a stream of an unknown format for plain events, or events in text. If there
// are none, the stream is unknown, for a reason.
func (s *stream) searchUnknown(why string) error {
	start, found, size := s.in.offset, false, s.blocks.first
	excerpt := bytes.Clone(s.in.peekBytes(excerptSize))
	known, parcel := strangerOf(s.in.peekBytes(sniffSize)), false
	var end tail
	var image png
	f := s.freeFinder()
	defer s.doneWith(f)
	for s.ctx.Err() == nil && len(s.in.peekBytes(1)) > 0 {
		b := s.in.peekBytes(size)
		result := f.Find(b)
		if len(b) == size {
			if result.Open == 0 && size < s.blocks.most {
				size *= 4
				continue
			}
			b = b[:cutResult(b, result, cutPlace(b, result, false))]
		}
		f.BetweenDigits = result.InDigits
		size = s.blocks.first
		if len(result.Matches)+len(result.Pieces) > 0 {
			if err := s.reportFormat(General, "events stand between other octets"); err != nil {
				return err
			}
			d := &doc{stream: s, b: b, base: s.in.offset, short: finding.SourceUnparseable}
			if _, err := d.reportFound(b, result); err != nil {
				return err
			}
			found = true
		}
		parcel = parcel || known != nil && known.listed && holdsPacked(slices.Concat(end, b))
		end.addBytes(b)
		image.followImage(b)
		s.in.skipBytes(len(b))
	}
	s.noteFollowed(start)
	if last := end.strangerByEnd(); last != nil && (known == nil || known.listed) {
		known = last
	}
	skip := Skip{Code: finding.SourceUnknownFormat, Detail: why, Excerpt: excerpt, Place: s.placeFrom(start)}
	switch {
	case !found && image.isWhole():
		skip.Code, skip.Detail = finding.SourceNoRecord, "an image in PNG, which is no evidence"
	case known == nil && found:
		skip.Code, skip.Detail = finding.SourceNoRecord, "the text around the events: "+why
	case known != nil:
		skip.Code, skip.Detail, skip.Help = known.judgeFile(found, parcel)
	}
	return errors.Join(s.ctx.Err(), s.skip(skip))
}
