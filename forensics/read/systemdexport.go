package read

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
)

// isJournalExport reports whether a stream begins as an entry of a systemd journal
// in its export form: with a field that only the journal itself sets.
func isJournalExport(b []byte) bool {
	b = bytes.TrimLeft(b, "\n")
	return bytes.HasPrefix(b, entryStart) || bytes.HasPrefix(b, []byte("__REALTIME_TIMESTAMP="))
}

// entryStart is how an entry begins, and nextEntry how one does behind another.
var (
	entryStart = []byte("__CURSOR=")
	nextEntry  = []byte("\n__CURSOR=")
)

// journalExport reads entries of a systemd journal in its export form: a field on
// each line, and an empty line behind each entry.
func (s *stream) journalExport() error {
	return s.eachPart(func() error {
		if s.in.peekBytes(1)[0] == '\n' {
			s.in.skipBytes(1)
			return nil
		}
		return s.readEntry()
	})
}

// exportEntry is an entry in the window of a stream.
type exportEntry struct {
	size     int                // of the bytes that were read
	values   [mostPicked]extent // of the members that are picked
	messages []extent
	fault    *fault // its fault, if any
}

// extent is where a value is in the window, which moves as it grows.
type extent struct{ from, to int }

// maxMessages bounds the messages of an entry; genuine entries have one.
const maxMessages = 1024

// readEntry reads the entry that comes next.
func (s *stream) readEntry() error {
	at, mark := s.in.offset, len(s.batches)
	defer func() { s.batches = s.batches[:mark] }()
	var e exportEntry
	for s.readField(&e) {
	}
	s.countLooked(e.size)
	place := Place{Container: s.container, Offset: at, Length: int64(e.size)}
	var err error
	switch {
	case e.fault != nil && e.fault.code == finding.SourcePartialTail && len(e.messages) > 0:
		err = s.entryMessages(&e, place)
		if err == nil {
			err = s.noteAt(at+int64(e.size), e.fault.code, e.fault.text)
		}
	case e.fault != nil:
		return s.damagedEntry(&e)
	case len(e.messages) == 0:
		err = s.skip(Skip{Place: place, Code: finding.SourceNoRecord, Detail: "an entry without a message",
			Excerpt: s.in.peekBytes(e.size)})
	default:
		err = s.entryMessages(&e, place)
	}
	s.in.skipBytes(e.size)
	s.noteFollowed(at)
	return err
}

// readField reads the next field. It returns false at the end of the entry.
func (s *stream) readField(e *exportEntry) bool {
	line, ok := s.in.peekUntil(e.size, '\n', s.limits.Unit)
	switch {
	case !ok:
		e.fault = &fault{finding.SourceLimit, 0, s.limitText()}
		return false
	case len(line) == 0:
		return false
	case line[len(line)-1] != '\n':
		e.size += len(line)
		e.fault = &fault{finding.SourcePartialTail, 0, "the file ends within an entry"}
		return false
	case len(line) == 1:
		e.size++
		return false
	}
	name, text, plain := bytes.Cut(line[:len(line)-1], []byte("="))
	if !isFieldName(name) {
		e.fault = &fault{finding.SourceUnparseable, 0, "no field of a journal entry"}
		return false
	}
	known := slices.Index(systemdForm().tops, string(name))
	batch := s.keys.hasBatchName(name)
	e.size += len(line)
	value := extent{e.size - 1 - len(text), e.size - 1}
	if !plain {
		value, ok = s.binaryField(e)
	}
	switch {
	case !ok:
		return false
	case known == systemdForm().texts[0].member.top && len(e.messages) < maxMessages:
		e.messages = append(e.messages, value)
	case known >= 0 && known != systemdForm().texts[0].member.top:
		e.values[known] = value
	case batch:
		s.addBatches(InRecord, s.in.window()[value.from:value.to])
	}
	return true
}

// messages reads the messages of an entry.
func (s *stream) entryMessages(e *exportEntry, place Place) error {
	w := s.in.window()
	var m picked
	for i, v := range e.values {
		if v.to > 0 {
			m.tops[i] = w[v.from:v.to]
		}
	}
	p, f := systemdForm().partOf(&m)
	if f != nil {
		return s.skipLost(s.in.offset, w[:e.size], f)
	}
	p.place, p.ids = place, s.batches
	for _, m := range e.messages {
		p.text = w[m.from:m.to]
		if err := s.addPart(p); err != nil {
			return err
		}
	}
	return nil
}

// damagedEntry skips bytes that are no entry, up to the next one.
func (s *stream) damagedEntry(e *exportEntry) error {
	return s.passSpan(e.fault.code, e.fault.text, func() {
		s.in.skipBytes(max(e.size, 1))
		if e.fault.code != finding.SourcePartialTail {
			s.seekPlace(len(nextEntry), func(b []byte) int { return bytes.Index(b, nextEntry) })
		}
	})
}

// isFieldName reports whether a text is the name of a field.
func isFieldName(name []byte) bool {
	return len(name) > 0 && len(name) <= 64 && !bytes.ContainsFunc(name, func(c rune) bool {
		return c != '_' && (c < 'A' || c > 'Z') && (c < '0' || c > '9')
	})
}

// binaryField reads the value of a field that has its length before it, which is
// little-endian, and a line feed behind it.
func (s *stream) binaryField(e *exportEntry) (value extent, ok bool) {
	const prefix = 8
	head := s.in.peekBytes(e.size + prefix)[e.size:]
	if len(head) < prefix {
		e.size += len(head)
		e.fault = &fault{finding.SourcePartialTail, 0, "the file ends within an entry"}
		return value, false
	}
	size := binary.LittleEndian.Uint64(head)
	if size > uint64(s.limits.Unit-min(e.size, s.limits.Unit)) {
		e.fault = &fault{finding.SourceLimit, 0, "a field is longer than the limit, or its length is damaged"}
		return value, false
	}
	value = extent{e.size + prefix, e.size + prefix + int(size)}
	b := s.in.peekBytes(value.to + 1)
	switch {
	case len(b) <= value.to && !bytes.Contains(b[e.size:], nextEntry):
		e.size = len(b)
		e.fault = &fault{finding.SourcePartialTail, 0, "the file ends within an entry"}
		return value, false
	case len(b) <= value.to || b[value.to] != '\n':
		e.fault = &fault{finding.SourceUnparseable, 0, "the length of a field is wrong"}
		return value, false
	}
	e.size = value.to + 1
	return value, true
}
