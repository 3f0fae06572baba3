package read

import (
	"bytes"
	"time"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// criStart is the beginning of a line of a log that the kubelet keeps of a container:
//
//	2026-03-02T09:00:00.123456789Z stdout P the text
//
// P is a part of a line, and F the last one. The CRI names further tags behind
// the first, after colons, and defines none.
var criStart = safetext.Pattern(`^([0-9]{4}-[^ \n]{15,30}) (stdout|stderr) ([PF])(?::[^ \n]*)? `)

// parseCRI reads the beginning of a line, whose text is the rest of it.
func parseCRI(line []byte) (p part, ok bool) {
	if len(line) == 0 || line[0] < '0' || line[0] > '9' {
		return p, false
	}
	m := criStart().FindSubmatch(line)
	if m == nil {
		return p, false
	}
	at, err := time.Parse(time.RFC3339Nano, string(m[1]))
	return part{key: string(m[2]), text: line[len(m[0]):], time: at.UnixNano(), last: m[3][0] == 'F'}, err == nil
}

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
	p, ok := parseCRI(text)
	switch {
	case len(text) == 0:
		return nil
	case !ok:
		return s.looseLine(line)
	}
	p.place, p.torn = Place{Container: s.container, Offset: s.in.offset, Length: int64(len(text))}, isTorn(line)
	return s.addPart(p)
}
