package read

import (
	"bytes"
	"time"
)

// criLine is a line of a log that the kubelet keeps of a container:
//
//	2026-03-02T09:00:00.123456789Z stdout P the text
//
// P is a part of a line, and F the last one. The CRI names further tags behind
// the first, after colons, and defines none.
type criLine struct {
	output string // stdout or stderr
	last   bool
	time   int64
	at     int // where the text begins
}

// parseCRI reads the beginning of a line.
func parseCRI(line []byte) (c criLine, ok bool) {
	const shortest, longest = len("2026-03-02T09:00:00Z"), len("2026-03-02T09:00:00.123456789+00:00")
	n := bytes.IndexByte(line[:min(len(line), longest+1)], ' ')
	if n < shortest || line[4] != '-' || line[10] != 'T' {
		return c, false
	}
	switch rest := line[n+1:]; {
	case bytes.HasPrefix(rest, []byte("stdout ")):
		c.output = "stdout"
	case bytes.HasPrefix(rest, []byte("stderr ")):
		c.output = "stderr"
	default:
		return c, false
	}
	c.at = n + 1 + len("stdout ")
	tags := line[c.at:]
	if len(tags) < 2 || tags[0] != 'P' && tags[0] != 'F' {
		return c, false
	}
	end := bytes.IndexByte(tags[:min(len(tags), mostTags)], ' ')
	if end < 0 || end > 1 && tags[1] != ':' {
		return c, false
	}
	at, err := time.Parse(time.RFC3339Nano, string(line[:n]))
	if err != nil {
		return c, false
	}
	c.last, c.time = tags[0] == 'F', at.UnixNano()
	c.at += end + 1
	return c, true
}

// mostTags bounds the tags of a line.
const mostTags = 64

// isCRI reports whether a stream begins with a line of a container's log, or has
// two of them behind a line that was torn.
func isCRI(b []byte) bool {
	if _, ok := parseCRI(b); ok {
		return true
	}
	for range 2 {
		n := bytes.IndexByte(b, '\n')
		if n < 0 {
			return false
		}
		b = b[n+1:]
		if _, ok := parseCRI(b); !ok {
			return false
		}
	}
	return true
}

// readCRI reads the log of a container.
func (s *stream) readCRI() error { return s.eachLine(s.criLine) }

func (s *stream) criLine(line []byte) error {
	text := bytes.TrimRight(line, "\r\n")
	c, ok := parseCRI(text)
	switch {
	case len(text) == 0:
		return nil
	case !ok:
		return s.looseLine(line)
	}
	place := Place{Container: s.container, Offset: s.in.offset, Length: int64(len(text))}
	return s.addPart(part{key: c.output, text: text[c.at:], place: place, time: c.time, last: c.last, torn: isTorn(line)})
}
