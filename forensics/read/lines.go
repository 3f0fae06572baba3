package read

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/unwrap"
)

// readJoined reads a value that continues after its first line: the first size bytes. If the lines
// that follow look like values of their own, it is a torn line instead, and they are read for
// themselves.
func (v *values) readJoined(text, size int) error {
	var p shape
	alone := false
	for n := 0; ; {
		line, ok := v.in.peekLine(n, v.limits.Unit)
		w := v.in.window()
		switch {
		case n > 0 && beginsAlike(line, w[:text]):
			v.countReread(n)
			return v.readOrCut(w[:text], finding.SourceUnparseable)
		case !ok || len(line) == 0 && alone:
			v.lonely = v.in.offset + int64(n)
			return v.readOrCut(w[:text], finding.SourceUnparseable)
		case len(line) == 0:
			return v.readOrCut(bytes.TrimRight(w[:n], " \t\r\n"), finding.SourcePartialTail)
		}
		alone = alone || n > 0 && (line[0] == '{' || bytes.HasPrefix(line, []byte(`"{`))) &&
			looksWhole(bytes.TrimRight(line, " \t\r\n"))
		v.countLooked(len(line))
		end, state := p.scanPiece(line)
		if state == scanDone {
			more := len(bytes.TrimSpace(line[end:])) > 0
			err := v.readOrCut(w[:n+end], finding.SourceUnparseable)
			v.inline = v.inline || more
			return err
		}
		n += len(line)
		if state == scanBroken {
			v.lonely = v.in.offset + int64(n)
			return v.readOrCut(w[:text], v.tailFault(size))
		}
	}
}

// isFolded reports whether an event begins on a line of size bytes, text without its end, and
// seems to go on behind it: in lines of a width. The last member of a whole one is short.
func (v *values) isFolded(text []byte, size int) bool {
	if !bytes.HasPrefix(text, []byte(unwrap.EventStart)) || bytes.HasSuffix(text, []byte(`"}`)) &&
		bytes.Contains(text[max(0, len(text)-96):], []byte(`"skip_hash"`)) {
		return false
	}
	next := v.in.peekBytes(size + 1)
	return len(next) > size && next[size] != '{'
}

// freeAgain is how many bytes are read again for torn lines, however short the
// stream.
const freeAgain = 1 << 20

// countReread notes that n bytes were read for one line alone. Where the stream would be read
// more than twice over, the lines in these bytes are read by themselves.
func (v *values) countReread(n int) {
	if v.again += int64(n); v.again > v.in.offset+freeAgain {
		v.lonely = v.in.offset + int64(n)
	}
}

// tailFault is the fault if the first size bytes of the window are not whole.
func (v *values) tailFault(size int) finding.Code {
	if len(v.in.peekBytes(size+1)) == size {
		return finding.SourcePartialTail
	}
	return finding.SourceUnparseable
}

// beginsAlike reports whether a line begins as another does: with an object and the
// same first member.
func beginsAlike(line, as []byte) bool {
	const least, most = 4, 12
	n := min(len(as), most)
	return n >= least && bytes.HasPrefix(as, []byte(`{"`)) && bytes.HasPrefix(line, as[:n])
}

// readElement reads a value that ends where its brackets do.
func (v *values) readElement() error {
	var p shape
	for n := 0; ; {
		end, state := p.scanPiece(v.in.window()[n:])
		v.countLooked(end)
		n += end
		if state == scanBroken {
			v.lonely = v.in.offset + int64(n)
		}
		switch {
		case n > v.limits.Unit:
			return v.tooLongElement(&p, n, state)
		case state == scanDone:
			return v.readOrCut(v.in.window()[:n], finding.SourceUnparseable)
		case state == scanBroken:
			return v.skipGarbage(finding.SourceUnparseable, "a line ends within a string")
		case !v.in.fillWindow():
			return v.readOrCut(v.in.window()[:n], finding.SourcePartialTail)
		}
	}
}

// tooLongElement skips a value that is too long after n bytes, without holding more of it.
func (v *values) tooLongElement(p *shape, n int, state scanState) error {
	return v.passSpan(finding.SourceLimit, v.limitText(), func() {
		v.in.skipBytes(n)
		for state == scanMore && (len(v.in.window()) > 0 || v.in.fillWindow()) {
			n, state = p.scanPiece(v.in.window())
			v.in.skipBytes(n)
		}
	})
}

// starts are how records begin. They are looked for in a line that is damaged
// before, such as one that follows on a run of zeros after a crash. In a string
// their quotes would be escaped.
var starts = [][]byte{[]byte(unwrap.EventStart), []byte(`{"resourceLogs":[`)}

// longestStart is the size of the longest of starts, and firstGarbage how much is
// looked through first: behind each value of a line there can be garbage.
const (
	longestStart = len(`{"resourceLogs":[`)
	firstGarbage = 1 << 10
)

// skipGarbage skips bytes that are no value: up to a record on the same line, or to the end of the
// line.
func (v *values) skipGarbage(code finding.Code, why string) error {
	at := v.in.offset
	head := bytes.Clone(v.in.peekBytes(excerptSize))
	var block run
	for step, more := firstGarbage, true; more; step = min(2*step, firstWindow) {
		w := v.in.peekBytes(step)
		end := len(w)
		if i := bytes.IndexByte(w, '\n'); i >= 0 {
			end, more = i+1, false
		}
		if i := v.nextStart(w[:end]); i > 0 {
			end, more = i, false
		}
		v.countLooked(len(w))
		if more = more && len(w) == step; more {
			end -= longestStart // one may begin here, and end behind
		}
		block.add(w[:end])
		v.in.skipBytes(end)
	}
	v.inline = false
	v.noteFollowed(at)
	n := min(len(head), int(v.in.offset-at))
	switch end := string(bytes.TrimRight(head[:n], " \r\n")); {
	case code != finding.SourceTrailingData || n == excerptSize:
	case end == "," && len(v.in.peekBytes(1)) == 0:
		code, why = finding.SourcePartialTail, "the file ends behind a comma"
	case end == "," || end == "$":
		code, why = finding.SourceNoRecord, "the end of a line, as lists and cat -A show it"
	case slices.Contains(v.told, General) && isPrintable(head) && !unwrap.MayHold(head):
		code, why = finding.SourceNoRecord, "text of another service"
	}
	skip := Skip{Code: code, Detail: why, Excerpt: head, Place: v.placeFrom(at)}
	skip.describeBlock(block.asText())
	return v.skip(skip)
}

// longLine skips a line that is too long to be held.
func (s *stream) longLine() error {
	return s.passSpan(finding.SourceLimit, s.limitText(), func() {
		if s.seekPlace(1, func(b []byte) int { return bytes.IndexByte(b, '\n') }) {
			s.in.skipBytes(1)
		}
	})
}

func (s *stream) limitText() string {
	return fmt.Sprintf("larger than the limit of %d bytes", s.limits.Unit)
}

// readBodies reads lines that are bodies as a whole.
func (s *stream) readBodies() error {
	return s.eachPart(func() error {
		line, ok := s.in.peekLine(0, s.limits.Unit)
		if !ok {
			return s.longLine()
		}
		text := bytes.TrimRight(line, "\r\n")
		if len(text) == 0 {
			s.in.skipBytes(len(line))
			return nil
		}
		return s.reportBody(text, lineEnd(line))
	})
}

// eachLine has each line of the stream read, and consumes it then.
func (s *stream) eachLine(read func(line []byte) error) error {
	return s.eachPart(func() error {
		line, ok := s.in.peekLine(0, s.limits.Unit)
		if !ok {
			return s.longLine()
		}
		at := s.in.offset
		s.countLooked(len(line))
		err := read(line)
		s.in.skipBytes(len(line))
		s.noteFollowed(at)
		return err
	})
}

// looseLine reads a line that is none of the format around it.
func (s *stream) looseLine(line []byte) error {
	text := bytes.TrimRight(line, "\r\n")
	s.damages++
	place := Place{Container: s.container, Offset: s.in.offset, Length: int64(len(text))}
	return s.readWrappedLine(&chain{part: part{text: text, place: place, torn: isTorn(line)}})
}
