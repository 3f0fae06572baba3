package spool

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"slices"
)

// run is a sorted part of a Sorter's file, in blocks that are full but for the last.
type run struct {
	start, size int64
	sums        []uint32 // the checksum of each block
}

// blockSize is how much of a run is read at once.
const blockSize = 16 << 10

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)

	// ErrChanged is the error of a temporary file that someone else changed.
	ErrChanged = errors.New("it is not as it was written")
)

// appendDifference appends the step from one record to the next: how many first bytes they
// share, and the size of the next if it differs. It also returns the bytes that differ.
func appendDifference(dst, last, next []byte) (head, rest []byte) {
	shared := 0
	for shared < min(len(last), len(next)) && last[shared] == next[shared] {
		shared++
	}
	if len(last) == len(next) {
		return binary.AppendUvarint(dst, uint64(shared)<<1), next[shared:]
	}
	return binary.AppendUvarint(binary.AppendUvarint(dst, uint64(shared)<<1|1), uint64(len(next))), next[shared:]
}

// prefixOf returns the first bytes of a record as a number: most records differ in them.
func prefixOf(record []byte) uint64 {
	if len(record) >= 8 {
		return binary.BigEndian.Uint64(record)
	}
	var first [8]byte
	copy(first[:], record)
	return binary.BigEndian.Uint64(first[:])
}

// runWriter appends to a run.
type runWriter struct {
	file io.WriterAt
	*run
}

func (w *runWriter) Write(b []byte) (int, error) {
	n, err := w.file.WriteAt(b, w.start+w.size)
	for rest := b[:n]; len(rest) > 0; {
		inBlock := w.size % blockSize
		if inBlock == 0 {
			w.sums = append(w.sums, 0)
		}
		part := rest[:min(len(rest), int(blockSize-inBlock))]
		last := &w.sums[len(w.sums)-1]
		*last = crc32.Update(*last, castagnoli, part)
		w.size += int64(len(part))
		rest = rest[len(part):]
	}
	return n, err
}

// runReader reads the records of a run. No byte of a block is used before the checksum of
// the block is compared.
type runReader struct {
	file   io.ReaderAt
	run    run
	read   int64  // bytes of the blocks that were read
	block  []byte // the memory of a block
	rest   []byte // the unread bytes of the block
	record []byte // the record that was read last
	prefix uint64 // of the record
}

// fillBlock reads the next block. The error is io.EOF at the end of the run.
func (r *runReader) fillBlock() error {
	size := min(r.run.size-r.read, blockSize)
	if size == 0 {
		return io.EOF
	}
	r.block = slices.Grow(r.block[:0], int(size))[:size]
	if _, err := r.file.ReadAt(r.block, r.run.start+r.read); errors.Is(err, io.EOF) {
		return describeError(ErrChanged)
	} else if err != nil {
		return describeError(err)
	}
	if crc32.Checksum(r.block, castagnoli) != r.run.sums[r.read/blockSize] {
		return describeError(ErrChanged)
	}
	r.read += size
	r.rest = r.block
	return nil
}

// ReadByte implements io.ByteReader.
func (r *runReader) ReadByte() (byte, error) {
	if len(r.rest) == 0 {
		if err := r.fillBlock(); err != nil {
			return 0, err
		}
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b, nil
}

// readNext reads the next record. The error is io.EOF at the end of the run.
func (r *runReader) readNext() error {
	head, err := binary.ReadUvarint(r)
	if err != nil {
		return err
	}
	shared, size := int(head>>1), uint64(len(r.record))
	if head&1 == 1 {
		if size, err = binary.ReadUvarint(r); err != nil {
			return err
		}
	}
	r.record = slices.Grow(r.record[:shared], int(size)-shared)[:size]
	for missing := r.record[shared:]; len(missing) > 0; {
		if len(r.rest) == 0 {
			if err := r.fillBlock(); err != nil {
				return err
			}
		}
		n := copy(missing, r.rest)
		missing, r.rest = missing[n:], r.rest[n:]
	}
	r.prefix = prefixOf(r.record)
	return nil
}

// runHeap has the run with the smallest record on top.
type runHeap []*runReader

func (h runHeap) Len() int { return len(h) }
func (h runHeap) Less(i, j int) bool {
	if h[i].prefix != h[j].prefix {
		return h[i].prefix < h[j].prefix
	}
	return bytes.Compare(h[i].record, h[j].record) < 0
}
func (h runHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *runHeap) Push(x any) { *h = append(*h, x.(*runReader)) }

// Pop implements heap.Interface.
func (h *runHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
