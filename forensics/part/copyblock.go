package part

import (
	"encoding/binary"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
)

// The columns of a block of copies: those of copies, then those of arrivals.
const (
	colSequence = iota // above the copy before
	colComputed        // 0 if it is the recorded hash, else 1
	colPrevious        // as a link
	colSkip            // as a link
	colKey             // index in the key ids
	colType            // index in the types
	colOccurred        // after the copy before
	colSigned
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

// copyBlockWriter makes a block of copies.
type copyBlockWriter struct {
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
	outside     []chain.Hash
	hashes      map[chain.Hash]uint64
	places      places
	skips       skips
}

// words numbers texts in the order of their first use.
type words struct {
	all    []string
	number map[string]uint64
	last   uint64 // the number that was asked for last
}

func (w *words) of(text string) uint64 {
	if len(w.all) > 0 && w.all[w.last] == text {
		return w.last
	}
	n, known := w.number[text]
	if !known {
		if w.number == nil {
			w.number = map[string]uint64{}
		}
		n = uint64(len(w.all))
		w.all = append(w.all, text)
		w.number[text] = n
	}
	w.last = n
	return n
}

func (w *words) reset() {
	w.all, w.last = w.all[:0], 0
	clear(w.number)
}

func (w *words) appendTo(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(w.all)))
	for _, text := range w.all {
		b = appendText(b, text)
	}
	return b
}

// places are the shares of a block, each with what its next arrival is measured from.
type places struct {
	all    []before
	number map[int]int
	last   int
}

// before is the last arrival of a share.
type before struct {
	share       int
	record, end int64
	observed    int64
}

// firstOf returns where the first copy of a sequence is among those of a block, which
// ascend. The next one is usually the one behind the last.
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

// appendTo appends the block.
func (w *copyBlockWriter) appendTo(b []byte) []byte {
	b = binary.AppendUvarint(b, w.first)
	b = binary.AppendUvarint(b, w.last-w.first)
	b = binary.AppendUvarint(b, uint64(len(w.sequences)))
	b = binary.AppendUvarint(b, uint64(len(w.columns[colShare])))
	b = w.keys.appendTo(b)
	b = w.types.appendTo(b)
	b = w.batches.appendTo(b)
	b = binary.AppendUvarint(b, uint64(len(w.places.all)))
	for _, p := range w.places.all {
		b = binary.AppendUvarint(b, uint64(p.share))
	}
	b = binary.AppendUvarint(b, uint64(len(w.outside)))
	for i := range w.outside {
		b = append(b, w.outside[i][:]...)
	}
	b = appendText(b, w.computed)
	b = w.appendColumns(b)
	for i := range w.recorded {
		b = append(b, w.recorded[i][:]...)
	}
	return append(b, w.digests...)
}

// appendColumns appends the columns, each with its length.
func (w *copyBlockWriter) appendColumns(b []byte) []byte {
	var column []byte
	for i := range w.columns {
		column = appendColumn(column[:0], w.columns[i])
		b = appendText(b, column)
	}
	return b
}
