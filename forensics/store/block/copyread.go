package block

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// Reader reads a block of copies, one after another.
type Reader struct {
	r         Decoder
	Shares    []Share // that places may name
	Last      bool    // the block is the last one of the log
	count     int
	at        int // copies that were read
	left      int // arrivals that were not read
	weight    int
	sequences []uint64
	recorded  []byte
	digests   []byte
	computed  []byte
	outside   []chain.Hash
	used      int // hashes of outside that were used
	keys      texts
	types     texts
	batches   texts
	places    []before
	placed    int // places that were used
	columns   [columns]column
	occurred  int64
	skips     skips

	Unjudged   bool  // copies may be unjudged
	kept       *kept // nil if nothing is kept for the block
	keptMemory kept
}

// texts are the texts of a block, numbered in the order of their first use.
type texts struct {
	all  []string
	used uint64
}

func (l *texts) read(r *Decoder) {
	n := r.Count(1)
	l.all, l.used = l.all[:0], 0
	seen := make(map[string]bool, n)
	for range n {
		text := r.Text()
		r.Check(!seen[text], "each text once")
		l.all, seen[text] = append(l.all, text), true
	}
}

func (l *texts) of(n uint64) (string, bool) {
	if n >= uint64(len(l.all)) || n > l.used {
		return "", false
	}
	if n == l.used {
		l.used++
	}
	return l.all[n], true
}

// Open begins a block with the content b, at a place in the file.
func (c *Reader) Open(b []byte, at int64) error {
	c.r = Decoder{B: b, At: at}
	r := &c.r
	first := r.Number(MaxSequence)
	beyond := r.Number(MaxSequence - first)
	c.count = r.Count(len(chain.Hash{}) + DigestSize)
	c.left = int(r.Number(int64(c.count) * MaxArrivals))
	r.Check(c.count > 0 && c.left >= c.count, "a copy that arrived")
	c.keys.read(r)
	c.types.read(r)
	c.batches.read(r)
	c.readPlaces(r)
	c.readOutside(r)
	c.computed = r.Octets(c.count * len(chain.Hash{}))
	for i := range c.columns {
		c.columns[i] = column{b: r.Octets(MaxContent)}
	}
	size := c.count * (len(chain.Hash{}) + DigestSize)
	if len(r.B) != size {
		r.Fail(fmt.Sprintf("%d octets of hashes and digests", size), fmt.Sprint(len(r.B)))
	}
	if r.Fault != nil {
		return r.Fault
	}
	c.recorded = r.Take(c.count * len(chain.Hash{}))
	c.digests = r.Take(c.count * DigestSize)
	c.at, c.weight, c.occurred, c.used, c.placed, c.kept = 0, 0, 0, 0, 0, nil
	return c.readSequences(uint64(first), uint64(first+beyond))
}

func (c *Reader) readPlaces(r *Decoder) {
	c.places = c.places[:0]
	n := r.Count(1)
	seen := make(map[int]bool, n)
	for range n {
		share := int(r.Number(math.MaxInt32))
		r.Check(!seen[share] && share < len(c.Shares), "each share once")
		c.places, seen[share] = append(c.places, before{share: share}), true
	}
}

func (c *Reader) readOutside(r *Decoder) {
	c.outside = c.outside[:0]
	n := r.Count(len(chain.Hash{}))
	seen := make(map[chain.Hash]bool, n)
	for range n {
		h := r.Hash()
		r.Check(!seen[h] && h != chain.Hash{}, "each hash once")
		c.outside, seen[h] = append(c.outside, h), true
	}
}

// readSequences reads the column of sequences, as links name them.
func (c *Reader) readSequences(first, last uint64) error {
	c.sequences = c.sequences[:0]
	column, n := &c.columns[colSequence], first
	for i := range c.count {
		step := column.next()
		if n+step < n || i == 0 && step != 0 {
			column.fail()
		}
		n += step
		c.sequences = append(c.sequences, n)
	}
	if !column.done() || n != last {
		c.r.Fail(fmt.Sprintf("ascending sequences from %d to %d", first, last), "others")
		return c.r.Fault
	}
	return nil
}

// Next reads a copy into v. It returns false at the end of the block.
func (c *Reader) Next(v *Copy) (bool, error) {
	if c.at == c.count {
		return false, c.checkEnd()
	}
	if c.weight >= FullWeight {
		c.r.Fail("the end of a block that is full", "more copies")
		return false, c.r.Fault
	}
	i := c.at
	v.Sequence = c.sequences[i]
	v.Recorded = chain.Hash(c.recorded[i*len(v.Recorded):][:len(v.Recorded)])
	v.Digest = [DigestSize]byte(c.digests[i*DigestSize:][:DigestSize])
	ok := c.hashes(v)
	v.KeyID, ok = c.readText(&c.keys, colKey, ok)
	v.Type, ok = c.readText(&c.types, colType, ok)
	c.occurred += unzigzag(c.columns[colOccurred].next())
	v.OccurredAt = c.occurred
	signed := c.columns[colSigned].next()
	v.Signed = event.Neither + event.Signed(signed)
	if signed == unjudged && c.Unjudged {
		v.Signed, signed = event.Unjudged, 0
	}
	if c.kept != nil {
		ok = c.kept.next(v, i) && ok
	}
	v.Size = int64(c.columns[colSize].next())
	count := c.columns[colArrivals].next() + 1
	if !ok || signed > signedOf(event.OverRecorded) || v.Size < 0 || count == 0 ||
		count > min(uint64(c.left), MaxArrivals) {
		return false, c.Damaged()
	}
	c.at, c.left = i+1, c.left-int(count)
	v.Arrivals = v.Arrivals[:0]
	for n := range int(count) {
		v.Arrivals = append(v.Arrivals, Arrival{})
		if !c.arrival(&v.Arrivals[n], v.Size) || n > 0 && CompareArrival(&v.Arrivals[n-1], &v.Arrivals[n]) >= 0 {
			return false, c.Damaged()
		}
	}
	c.weight += weightOf(v)
	return true, nil
}

// hashes reads the hashes of a copy whose own is known.
func (c *Reader) hashes(v *Copy) bool {
	switch c.columns[colComputed].next() {
	case 0:
		v.Computed = v.Recorded
	case 1:
		if len(c.computed) == 0 {
			return false
		}
		c.computed = c.computed[copy(v.Computed[:], c.computed):]
		if v.Computed == v.Recorded {
			return false
		}
	default:
		return false
	}
	return c.readLink(&v.Previous, v.Sequence-1, colPrevious) && c.readLink(&v.Skip, c.skips.of(v.Sequence), colSkip)
}

func (c *Reader) readLink(h *chain.Hash, to uint64, column int) bool {
	n := c.columns[column].next()
	if n == linkNone {
		*h = chain.Hash{}
		return true
	}
	i, found := firstOf(c.sequences[:c.at], to)
	inside := c.recorded[i*len(h):][:len(h)]
	if n == linkInside {
		*h = chain.Hash(inside)
		return found && !isZero(h)
	}
	n -= linkOutside
	if n >= uint64(len(c.outside)) || n > uint64(c.used) {
		return false
	}
	if n == uint64(c.used) {
		c.used++
	}
	*h = c.outside[n]
	return !found || !bytes.Equal(h[:], inside)
}

// isZero reports whether a hash is zero. The first byte decides for most.
func isZero(h *chain.Hash) bool { return h[0] == 0 && *h == chain.Hash{} }

func (c *Reader) readText(l *texts, column int, ok bool) (string, bool) {
	text, known := l.of(c.columns[column].next())
	return text, ok && known
}

// arrival reads an arrival of a copy of so many bytes.
func (c *Reader) arrival(a *Arrival, size int64) bool {
	n := c.columns[colShare].next()
	if n >= uint64(len(c.places)) || n > uint64(c.placed) {
		return false
	}
	if n == uint64(c.placed) {
		c.placed++
	}
	b := &c.places[n]
	a.Share = b.share
	container := c.columns[colContainer].next()
	a.Container = int(min(container, math.MaxInt32))
	a.Record = b.record + unzigzag(c.columns[colRecord].next())
	a.Offset = b.end + unzigzag(c.columns[colOffset].next())
	a.Length = size + unzigzag(c.columns[colLength].next())
	fidelity := c.columns[colFidelity].next()
	a.Fidelity = facts.Fidelity(fidelity)
	batch, known := c.columns[colBatch].next(), true
	if a.Batch = ""; batch > 0 {
		a.Batch, known = c.batches.of(batch - 1)
		known = known && a.Batch != ""
	}
	a.ObservedAt = b.observed + unzigzag(c.columns[colObserved].next())
	b.record, b.end, b.observed = a.Record+1, a.Offset+a.Length, a.ObservedAt
	s := &c.Shares[a.Share]
	return known && fidelity <= math.MaxUint8 && a.Container < len(s.Containers) && container <= math.MaxInt32 &&
		a.Record >= 0 && a.Record < s.Records && a.Offset >= 0 && a.Length >= 0
}

// Damaged returns the error for the copy that is read.
func (c *Reader) Damaged() error {
	c.r.Fail(fmt.Sprintf("copy %d of the block in its form", c.at), "something else")
	return c.r.Fault
}

// checkEnd checks that everything in the block was used, and that it had to end here.
func (c *Reader) checkEnd() error {
	ok := c.left == 0 && len(c.computed) == 0 && c.used == len(c.outside) && c.placed == len(c.places) &&
		c.keys.used == uint64(len(c.keys.all)) && c.types.used == uint64(len(c.types.all)) &&
		c.batches.used == uint64(len(c.batches.all)) && (c.kept == nil || c.kept.done()) && (c.weight >= FullWeight || c.Last)
	for i := range c.columns {
		ok = ok && c.columns[i].done()
	}
	if !ok {
		c.r.Fail("a block in its canonical form", "something else")
		return c.r.Fault
	}
	return nil
}

// SequencesOf returns the first sequence of a block of copies or statements, and the
// last one of a block of copies.
func SequencesOf(b []byte) (first, last uint64) {
	first, n := binary.Uvarint(b)
	last, _ = binary.Uvarint(b[max(0, n):])
	return first, first + last
}
