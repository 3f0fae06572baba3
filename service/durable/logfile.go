package durable

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// logFile is the log as canonical lines.
type logFile struct{ f *os.File }

func openLogFile(path string) (*logFile, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	return &logFile{f}, err
}

func (l *logFile) close() error { return l.f.Close() }

// write adds lines at the end.
func (l *logFile) write(lines [][]byte) error {
	if len(lines) == 0 {
		return nil
	}
	var b bytes.Buffer
	for _, line := range lines {
		b.Write(line)
		b.WriteByte('\n')
	}
	_, err := l.f.Write(b.Bytes())
	return err
}

// last cuts a torn line off the end and returns the sequence of the last whole
// one, 0 if there is none. The file is left positioned at its end.
func (l *logFile) last() (uint64, error) {
	size, err := l.f.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, err
	}
	var tail []byte
	const step = 1 << 16
	for from := size; from > 0 && bytes.Count(tail, []byte("\n")) < 2; {
		n := min(step, from)
		from -= n
		piece := make([]byte, n)
		if _, err := l.f.ReadAt(piece, from); err != nil {
			return 0, err
		}
		tail = append(piece, tail...)
	}
	whole := bytes.LastIndexByte(tail, '\n') + 1
	end := size - int64(len(tail)-whole)
	if err := l.f.Truncate(end); err != nil {
		return 0, err
	}
	if _, err := l.f.Seek(end, io.SeekStart); err != nil || whole == 0 {
		return 0, err
	}
	lines := bytes.Split(tail[:whole-1], []byte("\n"))
	event, err := seal.Parse(lines[len(lines)-1])
	if err != nil {
		return 0, fmt.Errorf("%s: its last line: %w", l.f.Name(), err)
	}
	//nolint:gosec // never negative: the store wrote it
	return uint64(seal.Integer(seal.Member(event, "body"), "sequence")), nil
}

// page is how many documents or events are read at once.
const page = 256

// complete adds to the log's file what was committed and not written.
func (s *Store) complete() error {
	after, err := s.log.last()
	if err != nil {
		return err
	}
	have, err := s.Sequence()
	if err != nil {
		return err
	}
	if after > have {
		return fmt.Errorf("%s ends with event %d, the store with %d: the store was put back to an older state",
			s.log.f.Name(), after, have)
	}
	for after < have {
		lines, err := s.Lines(after, page)
		if err != nil {
			return err
		}
		if err := s.log.write(lines); err != nil {
			return err
		}
		after += uint64(len(lines))
	}
	return s.log.f.Sync()
}
