package spool

import (
	"bufio"
	"bytes"
	"container/heap"
	"encoding/binary"
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
	room    int    // bytes of the buffer
	buffer  []byte // the records since the last run
	records []span // where each is in the buffer
	file    *Temporary
	runs    []span64
}

type span struct{ start, end int }

type span64 struct{ start, end int64 }

// runBuffer is how much of a run is read at once.
const runBuffer = 16 << 10

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
	start := len(s.buffer)
	s.buffer = append(s.buffer, record...)
	s.records = append(s.records, span{start, len(s.buffer)})
	return nil
}

// at returns a record of the buffer.
func (s *Sorter) at(r span) []byte { return s.buffer[r.start:r.end:r.end] }

func (s *Sorter) sortBuffer() {
	slices.SortStableFunc(s.records, func(a, b span) int { return bytes.Compare(s.at(a), s.at(b)) })
}

// writeRun writes the buffer as a run, and empties it.
func (s *Sorter) writeRun() error {
	if s.file == nil {
		f, err := Create(s.dir)
		if err != nil {
			return describe(err)
		}
		s.file = f
	}
	s.sortBuffer()
	run := span64{}
	if n := len(s.runs); n > 0 {
		run.start = s.runs[n-1].end
	}
	out := bufio.NewWriterSize(io.NewOffsetWriter(s.file, run.start), buffer)
	run.end = run.start
	for _, r := range s.records {
		size := binary.AppendUvarint(out.AvailableBuffer(), uint64(r.end-r.start))
		run.end += int64(len(size) + r.end - r.start)
		if _, err := out.Write(size); err != nil {
			return describe(err)
		}
		if _, err := out.Write(s.at(r)); err != nil {
			return describe(err)
		}
	}
	if err := out.Flush(); err != nil {
		return describe(err)
	}
	s.runs = append(s.runs, run)
	s.buffer, s.records = s.buffer[:0], s.records[:0]
	return nil
}

// All yields every record in ascending order; each is valid until the next one. No
// record may be added afterwards. An error is the last thing that it yields.
func (s *Sorter) All() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		s.sortBuffer()
		if len(s.runs) == 0 {
			for _, r := range s.records {
				if !yield(s.at(r), nil) {
					return
				}
			}
			return
		}
		if err := s.merge(yield); err != nil {
			yield(nil, err)
		}
	}
}

// merge yields the records of the runs and of the buffer in their order.
func (s *Sorter) merge(yield func([]byte, error) bool) error {
	if len(s.records) > 0 {
		if err := s.writeRun(); err != nil {
			return err
		}
	}
	var runs runHeap
	for _, r := range s.runs {
		c := &runReader{in: bufio.NewReaderSize(io.NewSectionReader(s.file, r.start, r.end-r.start), runBuffer)}
		if err := c.advance(); err != nil {
			return err
		}
		runs = append(runs, c)
	}
	heap.Init(&runs)
	for len(runs) > 0 {
		first := runs[0]
		if !yield(first.next, nil) {
			return nil
		}
		switch err := first.advance(); {
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

// runReader reads the records of a run.
type runReader struct {
	in   *bufio.Reader
	next []byte // what was read last
}

// advance reads the next record; the error is io.EOF at the end of the run.
func (r *runReader) advance() error {
	size, err := binary.ReadUvarint(r.in)
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	if err != nil {
		return describe(err)
	}
	r.next = slices.Grow(r.next[:0], int(size))[:size]
	if _, err := io.ReadFull(r.in, r.next); err != nil {
		return describe(errors.Join(errShort, err))
	}
	return nil
}

var errShort = errors.New("it is shorter than it was written")

// runHeap has the run with the smallest next record on top.
type runHeap []*runReader

func (h runHeap) Len() int           { return len(h) }
func (h runHeap) Less(i, j int) bool { return bytes.Compare(h[i].next, h[j].next) < 0 }
func (h runHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *runHeap) Push(x any) { *h = append(*h, x.(*runReader)) }

// Pop implements heap.Interface.
func (h *runHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
