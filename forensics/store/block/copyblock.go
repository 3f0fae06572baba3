package block

import (
	"encoding/binary"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
)

// The columns of a block of copies: first for copies, then for arrivals.
const (
	colSequence = iota // above the copy before
	colComputed        // 0 if it is the recorded hash, else 1
	colPrevious        // as a link
	colSkip            // as a link
	colKey             // index in the key ids
	colType            // index in the types
	colOccurred        // after the copy before
	colSigned          // as signedOf has it
	colSize
	colArrivals // how many, less one
	colShare    // index in the shares of the block
	colContainer
	colRecord // from one behind the arrival before in the share
	colOffset // from the end of the arrival before in the share
	colLength // above the size of the copy
	colFidelity
	colBatch    // 0 without one, else 1 above the index in the batch ids
	colObserved // after the arrival before in the share
	columns
)

// Links of a copy. A higher number is an index in the hashes of the block, from
// linkOutside.
const (
	linkNone   = iota // no hash: zero
	linkInside        // the recorded hash of the first copy of that sequence in the block
	linkOutside
)

// Writer makes a block of copies.
type Writer struct {
	Keeps bool // the kept columns are made, too

	first, last uint64
	occurred    int64
	weight      int
	sequences   []uint64
	recorded    []chain.Hash
	digests     []byte
	computed    []byte
	columns     [columns][]uint64
	keys, types words
	batches     words
	outside     numbers[chain.Hash] // that links name
	shares      numbers[int]
	lastOf      []before // of each share, by its number
	skips       skips
	kept        keptWriter
}

// numbers numbers values in the order of their first use.
type numbers[T comparable] struct {
	all    []T
	number map[T]uint64
	last   uint64 // the number that was returned last
}

func (w *numbers[T]) of(value T) uint64 {
	if len(w.all) > 0 && w.all[w.last] == value {
		return w.last
	}
	n, known := w.number[value]
	if !known {
		if w.number == nil {
			w.number = map[T]uint64{}
		}
		n = uint64(len(w.all))
		w.all = append(w.all, value)
		w.number[value] = n
	}
	w.last = n
	return n
}

func (w *numbers[T]) reset() {
	w.all, w.last = w.all[:0], 0
	clear(w.number)
}

// words are texts with their numbers.
type words struct{ numbers[string] }

func (w *words) appendTo(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(w.all)))
	for _, text := range w.all {
		b = AppendText(b, text)
	}
	return b
}

// before is the last arrival of a share.
type before struct {
	share       int
	record, end int64
	observed    int64
}

// Reset begins a block.
func (w *Writer) Reset() {
	w.occurred, w.weight = 0, 0
	w.sequences, w.recorded, w.lastOf = w.sequences[:0], w.recorded[:0], w.lastOf[:0]
	w.digests, w.computed = w.digests[:0], w.computed[:0]
	for i := range w.columns {
		w.columns[i] = w.columns[i][:0]
	}
	w.keys.reset()
	w.types.reset()
	w.batches.reset()
	w.outside.reset()
	w.shares.reset()
	w.kept.reset()
}

func (w *Writer) appendValue(column int, v uint64) { w.columns[column] = append(w.columns[column], v) }

// Add adds a copy, and reports whether it fills the block.
func (w *Writer) Add(c *Copy) bool {
	if len(w.sequences) == 0 {
		w.first, w.last = c.Sequence, c.Sequence
	}
	w.appendValue(colSequence, c.Sequence-w.last)
	w.last = c.Sequence
	if c.Computed == c.Recorded {
		w.appendValue(colComputed, 0)
	} else {
		w.appendValue(colComputed, 1)
		w.computed = append(w.computed, c.Computed[:]...)
	}
	w.appendValue(colPrevious, w.linkValue(c.Sequence-1, c.Previous))
	w.appendValue(colSkip, w.linkValue(w.skips.of(c.Sequence), c.Skip))
	w.sequences = append(w.sequences, c.Sequence)
	w.recorded = append(w.recorded, c.Recorded)
	w.digests = append(w.digests, c.Digest[:]...)
	w.appendValue(colKey, w.keys.of(c.KeyID))
	w.appendValue(colType, w.types.of(c.Type))
	w.appendValue(colOccurred, zigzag(c.OccurredAt-w.occurred))
	w.occurred = c.OccurredAt
	w.appendValue(colSigned, signedOf(c.Signed))
	w.appendValue(colSize, uint64(c.Size))
	w.appendValue(colArrivals, uint64(len(c.Arrivals)-1))
	for i := range c.Arrivals {
		w.arrival(&c.Arrivals[i], c.Size)
	}
	if w.Keeps {
		w.kept.addCopy(c)
	}
	w.weight += weightOf(c)
	return w.weight >= FullWeight
}

// signedOf returns how it is written for which hash of a copy its signature holds, or that
// no one judged it. The last is in no part.
func signedOf(s event.Signed) uint64 {
	if s == event.Unjudged {
		return unjudged
	}
	return uint64(s - event.Neither)
}

// unjudged is the number of a copy that no one judged.
const unjudged = 3

func (w *Writer) arrival(a *Arrival, size int64) {
	n := w.shares.of(a.Share)
	if n == uint64(len(w.lastOf)) {
		w.lastOf = append(w.lastOf, before{})
	}
	b := &w.lastOf[n]
	w.appendValue(colShare, n)
	w.appendValue(colContainer, uint64(a.Container))
	w.appendValue(colRecord, zigzag(a.Record-b.record))
	w.appendValue(colOffset, zigzag(a.Offset-b.end))
	w.appendValue(colLength, zigzag(a.Length-size))
	w.appendValue(colFidelity, uint64(a.Fidelity))
	batch := uint64(0)
	if a.Batch != "" {
		batch = 1 + w.batches.of(a.Batch)
	}
	w.appendValue(colBatch, batch)
	w.appendValue(colObserved, zigzag(a.ObservedAt-b.observed))
	b.record, b.end, b.observed = a.Record+1, a.Offset+a.Length, a.ObservedAt
}

// linkValue returns how a link of the copy that is added next is written.
func (w *Writer) linkValue(to uint64, h chain.Hash) uint64 {
	if isZero(&h) {
		return linkNone
	}
	if i, found := firstOf(w.sequences, to); found && w.recorded[i] == h {
		return linkInside
	}
	return linkOutside + w.outside.of(h)
}

// firstOf returns the index of the first copy of a sequence in a block, where copies ascend.
// The next one is usually the one after the last.
func firstOf(sequences []uint64, n uint64) (int, bool) {
	count := uint64(len(sequences))
	if count == 0 || n < sequences[0] || n > sequences[count-1] {
		return 0, false
	}
	if last := count - 1; sequences[last] == n && (last == 0 || sequences[last-1] != n) {
		return int(last), true
	}
	if i := n - sequences[0]; i < count && sequences[i] == n && (i == 0 || sequences[i-1] != n) {
		return int(i), true
	}
	return slices.BinarySearch(sequences, n)
}

// AppendTo appends the block.
func (w *Writer) AppendTo(b []byte) []byte {
	b = binary.AppendUvarint(b, w.first)
	b = binary.AppendUvarint(b, w.last-w.first)
	b = binary.AppendUvarint(b, uint64(len(w.sequences)))
	b = binary.AppendUvarint(b, uint64(len(w.columns[colShare])))
	b = w.keys.appendTo(b)
	b = w.types.appendTo(b)
	b = w.batches.appendTo(b)
	b = binary.AppendUvarint(b, uint64(len(w.shares.all)))
	for _, share := range w.shares.all {
		b = binary.AppendUvarint(b, uint64(share))
	}
	b = binary.AppendUvarint(b, uint64(len(w.outside.all)))
	for i := range w.outside.all {
		b = append(b, w.outside.all[i][:]...)
	}
	b = AppendText(b, w.computed)
	b = w.appendColumns(b)
	for i := range w.recorded {
		b = append(b, w.recorded[i][:]...)
	}
	return append(b, w.digests...)
}

// appendColumns appends the columns, each with its length.
func (w *Writer) appendColumns(b []byte) []byte {
	var column []byte
	for i := range w.columns {
		column = appendColumn(column[:0], w.columns[i])
		b = AppendText(b, column)
	}
	return b
}

// Count returns how many copies were added.
func (w *Writer) Count() int { return len(w.sequences) }
