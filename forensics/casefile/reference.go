package casefile

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// sourceFile is the source that lines by reference are read from: one file at a
// time. Its path was written by whoever made the case.
type sourceFile struct {
	path string // "" for none
	file *os.File
	err  error // why it cannot be read
	size int64
}

func (s *sourceFile) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// open opens a regular file, without following a link at its end.
func (s *sourceFile) open(path string) error {
	if s.path == path {
		return s.err
	}
	if err := s.close(); err != nil {
		return err
	}
	*s = sourceFile{path: path}
	s.file, s.size, s.err = OpenSource(path)
	return s.err
}

// OpenSource opens a source that a case names, and returns its size. A case can
// come from an attacker, so OpenSource opens only regular files, does not follow a
// link at the end of the path, and does not wait for a pipe.
func OpenSource(path string) (*os.File, int64, error) {
	f, err := access.OpenUnlinked(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

// lineEnd is room for what ends a line.
const lineEnd = 2

// line reads the event that stands where a row says. Whether it is the row's is
// for the caller to find out.
func (s *sourceFile) line(row *bodyRow) (l event.Line, err error) {
	switch {
	case row.absolute == "":
		return l, errors.New("the event is kept by reference, and no path of its source is known")
	case row.length < 0 || row.length > form.MaxEvent+lineEnd:
		return l, fmt.Errorf("an event by reference of %d bytes", row.length)
	}
	if err := s.open(row.absolute); err != nil {
		return l, fmt.Errorf("a source that the case refers to: %w", err)
	}
	if row.offset < 0 || row.offset > s.size-row.length {
		return l, fmt.Errorf("%s has changed since it was ingested: %d bytes", safetext.Quote(row.absolute), s.size)
	}
	raw := make([]byte, row.length)
	if _, err := s.file.ReadAt(raw, row.offset); err != nil {
		return l, fmt.Errorf("a source that the case refers to: %w", err)
	}
	if !event.Scan(bytes.TrimSpace(raw), &l) {
		return l, fmt.Errorf("%s has changed since it was ingested: no event at byte %d", safetext.Quote(row.absolute),
			row.offset)
	}
	return l, nil
}

// isOf reports whether a line is a copy of an event, octet for octet.
func isOf(l *event.Line, e *facts.Event) bool {
	return l.Recorded == e.Recorded && l.Link == e.Link && l.Signature == e.Signature && string(l.KeyID) == e.KeyID
}

// ReferenceError reports that a source no longer has an event where the case refers
// to it. The evidence is at fault then, not the case.
type ReferenceError struct{ err error }

func (e *ReferenceError) Error() string { return e.err.Error() }
func (e *ReferenceError) Unwrap() error { return e.err }
