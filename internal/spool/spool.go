// Package spool keeps records in a temporary file.
package spool

import (
	"bufio"
	"fmt"
	"io"
	"iter"
)

// File is a list of records in a temporary file. It uses 8 bytes of memory per record. It must
// come from [New].
type File struct {
	file    *Temporary
	out     *bufio.Writer
	offsets []int64 // where each record begins, and where the last one ends
}

// buffer is how much is written and read at once.
const buffer = 1 << 16

// New returns an empty list whose file is in dir or, if dir is "", where temporary
// files usually are.
func New(dir string) (*File, error) {
	f, err := Create(dir)
	if err != nil {
		return nil, err
	}
	return &File{file: f, out: bufio.NewWriterSize(f, buffer), offsets: []int64{0}}, nil
}

// Len is the number of records.
func (s *File) Len() int { return len(s.offsets) - 1 }

// Size is how many bytes the records have together.
func (s *File) Size() int64 { return s.offsets[s.Len()] }

// Add appends a record.
func (s *File) Add(record []byte) error {
	if _, err := s.out.Write(record); err != nil {
		return describeError(err)
	}
	s.offsets = append(s.offsets, s.Size()+int64(len(record)))
	return nil
}

// At returns the record of an index, from 0.
func (s *File) At(i int) ([]byte, error) {
	if s.offsets[i+1] > s.Size()-int64(s.out.Buffered()) { // it is not in the file yet
		if err := s.out.Flush(); err != nil {
			return nil, describeError(err)
		}
	}
	record := make([]byte, s.offsets[i+1]-s.offsets[i])
	if _, err := s.file.ReadAt(record, s.offsets[i]); err != nil {
		return nil, describeError(err)
	}
	return record, nil
}

// All yields every record, which is valid until the next one. It can be used more
// than once, but no record may be added meanwhile. An error is the last thing
// that it yields.
func (s *File) All() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if err := s.out.Flush(); err != nil {
			yield(nil, describeError(err))
			return
		}
		in := bufio.NewReaderSize(io.NewSectionReader(s.file, 0, s.Size()), buffer)
		var record []byte
		for i := range s.Len() {
			size := int(s.offsets[i+1] - s.offsets[i])
			if size > cap(record) {
				record = make([]byte, size)
			}
			record = record[:size]
			if _, err := io.ReadFull(in, record); err != nil {
				yield(nil, describeError(err))
				return
			}
			if !yield(record, nil) {
				return
			}
		}
	}
}

// Close removes the file.
func (s *File) Close() error { return s.file.Close() }

func describeError(err error) error { return fmt.Errorf("a temporary file: %w", err) }
