package spool

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"errors"
	"io"
	"iter"
	"slices"
)

// Sorter sorts more records than fit in memory, by their bytes. Full buffers are
// sorted and written to a temporary file as runs, and the runs are merged. A Sorter
// whose records fit in its buffer makes no file. It must come from [NewSorter].
type Sorter struct {
	dir     string
	room    int    // bytes of the buffer, below 4 GiB
	buffer  []byte // the records since the last run
	records []span // where each is in the buffer
	file    *Temporary
	runs    []run
}

type span struct {
	prefix     uint64
	start, end uint32
}

// leastRecord is the size up to which a record counts as being of that size, so that
// small records do not fill the memory with their places.
const leastRecord = 16

// NewSorter returns an empty Sorter with a buffer of room bytes. Its file is in dir
// or, if dir is "", where temporary files usually are.
func NewSorter(dir string, room int) *Sorter { return &Sorter{dir: dir, room: room} }

// Add adds a copy of a record.
func (s *Sorter) Add(record []byte) error {
	if n := len(s.records); n > 0 && (len(s.buffer)+len(record) > s.room || n*leastRecord >= s.room) {
		if err := s.writeRun(); err != nil {
			return err
		}
	}
	start := uint32(len(s.buffer))
	s.buffer = append(s.buffer, record...)
	s.records = append(s.records, span{prefixOf(record), start, uint32(len(s.buffer))})
	return nil
}

// recordAt returns a record of the buffer.
func (s *Sorter) recordAt(r span) []byte { return s.buffer[r.start:r.end:r.end] }

func (s *Sorter) sortBuffer() {
	slices.SortFunc(s.records, func(a, b span) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return bytes.Compare(s.recordAt(a), s.recordAt(b))
	})
}

// writeRun writes the buffer as a run, and empties it.
func (s *Sorter) writeRun() error {
	if s.file == nil {
		f, err := Create(s.dir)
		if err != nil {
			return describeError(err)
		}
		s.file = f
	}
	s.sortBuffer()
	r := run{start: s.Size()}
	w := runWriter{file: s.file, run: &r}
	out := bufio.NewWriterSize(&w, blockSize)
	var last []byte
	for _, at := range s.records {
		record := s.recordAt(at)
		head, rest := appendDifference(out.AvailableBuffer(), last, record)
		if _, err := out.Write(head); err != nil {
			return describeError(err)
		}
		if _, err := out.Write(rest); err != nil {
			return describeError(err)
		}
		last = record
	}
	if err := out.Flush(); err != nil {
		return describeError(err)
	}
	s.runs = append(s.runs, r)
	s.buffer, s.records = s.buffer[:0], s.records[:0]
	return nil
}

// Size returns how many bytes of the file the runs have.
func (s *Sorter) Size() int64 {
	if len(s.runs) == 0 {
		return 0
	}
	last := &s.runs[len(s.runs)-1]
	return last.start + last.size
}

// All yields every record in ascending order; each is valid until the next one. No
// record may be added afterwards. An error is the last thing that it yields.
func (s *Sorter) All() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		s.sortBuffer()
		if len(s.runs) == 0 {
			for _, r := range s.records {
				if !yield(s.recordAt(r), nil) {
					return
				}
			}
			return
		}
		if err := s.mergeRuns(yield); err != nil {
			yield(nil, err)
		}
	}
}

// mergeRuns yields the records of the runs and of the buffer in their order.
func (s *Sorter) mergeRuns(yield func([]byte, error) bool) error {
	if len(s.records) > 0 {
		if err := s.writeRun(); err != nil {
			return err
		}
	}
	s.buffer, s.records = nil, nil
	var runs runHeap
	for _, r := range s.runs {
		c := &runReader{file: s.file, run: r}
		if err := c.readNext(); err != nil {
			return err
		}
		runs = append(runs, c)
	}
	heap.Init(&runs)
	for len(runs) > 0 {
		first := runs[0]
		if !yield(first.record, nil) {
			return nil
		}
		switch err := first.readNext(); {
		case errors.Is(err, io.EOF):
			heap.Pop(&runs)
		case err != nil:
			return err
		default:
			heap.Fix(&runs, 0)
		}
	}
	return nil
}

// Close removes the file.
func (s *Sorter) Close() error {
	if s.file == nil {
		return nil
	}
	f := s.file
	s.file, s.runs = nil, nil
	return f.Close()
}
