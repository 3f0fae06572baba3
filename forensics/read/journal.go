package read

import (
	"bytes"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/unwrap"
	"github.com/svc-edge/svc-verify/internal/ijson"
)

// isEvent reports whether a line begins and ends as an event does. Whether it
// is one is for others to say; if it is one, nothing else is on the line.
func (v *values) isEvent(line []byte) bool {
	return line[len(line)-1] == '}' && (v.forced == "" || v.forced == Journal) && !v.array && startsEvent(line)
}

// reportBody reports a line that is a body as a whole, and consumes it. tail is
// PartialTail if the line feed is missing.
func (s *stream) reportBody(line []byte, tail finding.Code) error {
	f := Journal
	if s.forced != "" {
		f = s.forced
	}
	if err := s.reportFormat(f, eventsWhy); err != nil {
		return err
	}
	at := s.in.offset
	s.rec = Record{Place: Place{Container: s.container, Offset: at, Length: int64(len(line))}, Format: f, Body: line,
		Kind: Text, Fidelity: Exact}
	if err := s.reportRecord(); err != nil {
		return err
	}
	s.last = f
	s.in.skipBytes(len(line))
	s.noteFollowed(at)
	if tail != finding.SourcePartialTail || at == 0 || slices.Contains(s.told, General) || s.hasKnownEnd() {
		return nil
	}
	// SPEC 4.5: a last line without line feed is torn, save in a file of one event.
	return s.noteAt(s.in.offset, finding.SourcePartialTail, "the last line has no line feed, and is whole but for it")
}

// hasKnownEnd reports whether the stream is the content of a request or of digits in
// a text, and not a file that is still written.
func (s *stream) hasKnownEnd() bool {
	for step := range strings.SplitSeq(s.container, "!") {
		what, _, _ := strings.Cut(step, "@")
		if what == "request" || what == "base64" || what == "base32" || what == "hexadecimal" {
			return true
		}
	}
	return false
}

// setJournalEvent reads an event that is a JSON value. If it is not canonical, its writer took it
// apart.
func (d *doc) setJournalEvent() error {
	more := strings.Count(topNames(d.b), " ")-1 > len(unwrap.EventMembers()) // a shipper added members
	more = more || bytes.HasPrefix(valueAt(d.b, "body"), []byte(`"`))
	if d.fault == nil && (more || unwrap.MayBeRespelled(d.b)) {
		f := d.freeFinder()
		defer d.doneWith(f)
		if done, err := d.searchAgain(f, !more); done || err != nil {
			return err
		}
	}
	return d.readLeaf(d.b, func(part []byte) *fault {
		d.setEvent(part)
		return nil
	})
}

// setEvent sets the body of d.rec to an event.
func (d *doc) setEvent(part []byte) {
	if ijson.IsCanonical(part) {
		d.rec.Body, d.rec.Kind, d.rec.Fidelity = part, Text, Exact
	} else {
		d.setStructure(part)
	}
}

// reportDocument hands on a document as it is.
func (d *doc) reportDocument(kind Kind) error {
	return d.readLeaf(d.b, func(part []byte) *fault {
		d.rec.Body, d.rec.Kind, d.rec.Fidelity = part, kind, Exact
		return nil
	})
}

// eventsWhy is why a stream is a journal whose events were not parsed.
const eventsWhy = "lines begin as events do"
