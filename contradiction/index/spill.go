package index

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/svc-edge/svc-verify/internal/spool"
)

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)

	errChanged = fmt.Errorf("index: a temporary file: %w", spool.ErrChanged)
)

// spill is a temporary file that only grows, behind a buffer. It is made when the buffer is
// full for the first time: content that fits into memory never reaches a disk.
type spill struct {
	dir  string // "" is the system's directory for temporary files
	room int    // bytes of the buffer
	file *spool.Temporary
	tail []byte // bytes that are not in the file yet
	size int64  // of the file
	err  error  // the first that there was
}

// append adds a piece, and returns where it is. A piece is never divided between
// the file and the buffer.
func (s *spill) append(piece []byte) (offset int64, err error) {
	if s.err == nil && len(s.tail)+len(piece) > s.room {
		s.err = s.flush()
	}
	if s.err != nil {
		return 0, s.err
	}
	offset = s.size + int64(len(s.tail))
	s.tail = append(s.tail, piece...)
	return offset, nil
}

// flush moves the buffer to the file.
func (s *spill) flush() error {
	if len(s.tail) == 0 {
		return nil
	}
	if s.file == nil {
		f, err := spool.Create(s.dir)
		if err != nil {
			return fmt.Errorf("index: %w", err)
		}
		s.file = f
	}
	if _, err := s.file.WriteAt(s.tail, s.size); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	s.size += int64(len(s.tail))
	s.tail = s.tail[:0]
	return nil
}

// read fills b with the bytes at an offset, and compares them with their checksum.
func (s *spill) read(b []byte, offset int64, sum uint32) error {
	if offset >= s.size {
		copy(b, s.tail[offset-s.size:])
	} else if _, err := s.file.ReadAt(b, offset); errors.Is(err, io.EOF) {
		return errChanged
	} else if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	if crc32.Checksum(b, castagnoli) != sum {
		return errChanged
	}
	return nil
}

// close removes the file. The spill is empty then.
func (s *spill) close() error {
	s.tail, s.size = nil, 0
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	return err
}
