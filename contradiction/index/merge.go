package index

import (
	"context"
)

// cursor reads a run from its beginning to its end, one block at a time.
type cursor struct {
	run
	file  *spill
	page  int    // records of a block
	next  record // what was read last, and not yet taken
	read  int    // records read
	block []byte // the rest of the block
	room  []byte // where blocks are read to
}

// advance reads the next record. It returns false at the end of the run.
func (c *cursor) advance() (bool, error) {
	if c.read == c.count {
		return false, nil
	}
	if len(c.block) == 0 {
		c.block = c.room[:min(c.page, c.count-c.read)*recordSize]
		if err := c.file.read(c.block, c.offset+int64(c.read*recordSize), c.sums[c.read/c.page]); err != nil {
			return false, err
		}
	}
	c.next = readRecord(c.block, c.base)
	c.block = c.block[recordSize:]
	c.read++
	return true, nil
}

// merge writes the rest of the buffer, and yields the records of all runs in
// their order. It needs one block of memory for each run.
func (s *sorter) merge(ctx context.Context, yield func(record, error) bool) error {
	if err := s.endRun(); err != nil {
		return err
	}
	s.records, s.spare = nil, nil
	heap, err := s.cursors()
	for n := 0; err == nil && len(heap) > 0; n++ {
		if n%cancelEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		first := heap[0]
		if !yield(first.next, nil) {
			return nil
		}
		var more bool
		if more, err = first.advance(); !more {
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		}
		sink(heap, 0)
	}
	return err
}

// cursors returns a heap of one cursor for each run, the one with the smallest
// record on top.
func (s *sorter) cursors() ([]*cursor, error) {
	heap := make([]*cursor, len(s.runs))
	for i, r := range s.runs {
		heap[i] = &cursor{run: r, file: &s.file, page: s.page, room: make([]byte, s.page*recordSize)}
		if _, err := heap[i].advance(); err != nil {
			return nil, err
		}
	}
	for i := len(heap)/2 - 1; i >= 0; i-- {
		sink(heap, i)
	}
	return heap, nil
}

// sink moves a cursor down to its place in the heap.
func sink(heap []*cursor, i int) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if right := child + 1; right < len(heap) && compareRecords(heap[right].next, heap[child].next) < 0 {
			child = right
		}
		if compareRecords(heap[i].next, heap[child].next) <= 0 {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}
