package index

import (
	"context"
	"hash/crc32"
	"iter"
	"math/bits"
	"slices"
)

// cancelEvery is how many records or entries pass between two looks at the context.
const cancelEvery = 4096

// sorter sorts more records than fit into memory. What it is given goes into a
// buffer; a full buffer is sorted and becomes a run in the file; in the end the
// runs are merged.
type sorter struct {
	room    int      // records of the buffer, which takes them twice
	page    int      // records of a block, which is what is read at once
	records []record // the buffer
	spare   []record // as large, to sort with
	runs    []run
	file    spill
	block   []byte // for one block, between uses
}

// run is a sorted part of the file, in blocks that are full but for the last.
type run struct {
	offset int64
	count  int      // records
	base   uint32   // no entry of the run is smaller
	sums   []uint32 // the checksum of each block
}

// add adds a record. No entry is smaller than the one before.
func (s *sorter) add(r record) error {
	if n := len(s.records); n == s.room || n > 0 && r.entry-s.records[0].entry > mostApart {
		if err := s.endRun(); err != nil {
			return err
		}
	}
	s.records = append(s.records, r)
	return nil
}

// endRun writes the buffer as a run.
func (s *sorter) endRun() error {
	if len(s.records) == 0 {
		return nil
	}
	r := run{count: len(s.records), base: s.records[0].entry}
	s.sort()
	for block := range slices.Chunk(s.records, s.page) {
		b := s.block[:0]
		for _, record := range block {
			b = appendRecord(b, record, r.base)
		}
		offset, err := s.file.append(b)
		if err != nil {
			return err
		}
		if len(r.sums) == 0 {
			r.offset = offset
		}
		r.sums = append(r.sums, crc32.Checksum(b, castagnoli))
		s.block = b
	}
	s.runs = append(s.runs, r)
	s.records = s.records[:0]
	return nil
}

// sort sorts the buffer. Hashes fall evenly, so their first bits put the records
// into parts that are short, unless a part is of one key: then it is in order, as
// entries ascend.
func (s *sorter) sort() {
	shift := 64 - min(16, bits.Len(uint(len(s.records))))
	ends := make([]int, 1<<(64-shift)+1)
	for _, r := range s.records {
		ends[r.key>>shift+1]++
	}
	for i := range ends[1:] {
		ends[i+1] += ends[i]
	}
	s.spare = slices.Grow(s.spare[:0], len(s.records))[:len(s.records)]
	for _, r := range s.records {
		end := &ends[r.key>>shift] // at first it is where the part begins
		s.spare[*end] = r
		*end++
	}
	begin := 0
	for _, end := range ends[:len(ends)-1] {
		slices.SortFunc(s.spare[begin:end], compareRecords)
		begin = end
	}
	s.records, s.spare = s.spare, s.records
}

// sorted yields all records in their order. Nothing can be added afterwards.
func (s *sorter) sorted(ctx context.Context) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		if len(s.runs) == 0 {
			s.sort()
			for i, r := range s.records {
				if i%cancelEvery == 0 && ctx.Err() != nil {
					yield(record{}, ctx.Err())
					return
				}
				if !yield(r, nil) {
					return
				}
			}
			return
		}
		if err := s.merge(ctx, yield); err != nil {
			yield(record{}, err)
		}
	}
}
