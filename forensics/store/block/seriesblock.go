package block

import (
	"math"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

const (
	mostPerCopy = 4 // arrivals of a copy in a series

	// farTime bounds times in a series, so that differences of them are exact.
	farTime = 1 << 60
)

// SeriesBlock is a block of copies that are one series but for how they arrived.
type SeriesBlock struct {
	reader   *Reader
	recorded []byte
	digests  []byte
	skips    []uint64 // as links
	targets  []uint64 // the sequences that skip links name
	types    []uint64 // indexes
	times    []int64
	observed []int64 // of the first arrival of each copy
	Series   []Series
	unjudged bool // the signatures are unjudged

	numbers [columns][]uint64 // the columns of sizes and arrivals
}

func (b *SeriesBlock) hash(i int) chain.Hash {
	return chain.Hash(b.recorded[i*len(chain.Hash{}):][:len(chain.Hash{})])
}

func (b *SeriesBlock) previous(i int) chain.Hash {
	if i == 0 {
		return b.reader.outside[0]
	}
	return b.hash(i - 1)
}

func (b *SeriesBlock) skip(i int) chain.Hash {
	if n := b.skips[i]; n >= linkOutside {
		return b.reader.outside[n-linkOutside]
	}
	return b.hash(int(b.targets[i] - b.reader.sequences[0]))
}

// Open reads a block that was opened. It returns false if there are no series in it, or
// it is not in its form; then nothing of it may be used.
func (b *SeriesBlock) Open(c *Reader) bool {
	b.reader, b.recorded, b.digests, b.Series = c, c.recorded, c.digests, b.Series[:0]
	first, last := c.sequences[0], c.sequences[c.count-1]
	return len(c.keys.all) == 1 && len(c.computed) == 0 && first > 0 && last-first == uint64(c.count-1) &&
		b.steady(colComputed, 0) && b.steady(colKey, 0) && b.isSigned() &&
		b.links() && b.clock() && b.texts() && b.arrivals()
}

// isSigned reports whether the signature of each copy holds for its content, or is there and
// was judged of none.
func (b *SeriesBlock) isSigned() bool {
	saved := b.reader.columns[colSigned]
	b.unjudged = false
	if b.steady(colSigned, signedOf(event.OverContent)) {
		return true
	}
	b.reader.columns[colSigned], b.unjudged = saved, true
	return b.reader.Unjudged && b.reader.kept != nil && b.steady(colSigned, unjudged)
}

// steady reports whether a column has the same number for each copy.
func (b *SeriesBlock) steady(column int, v uint64) bool {
	c := &b.reader.columns[column]
	return c.repeats(b.reader.count, v) && c.done()
}

// column reads a column of so many numbers.
func (b *SeriesBlock) column(to []uint64, column, n int) ([]uint64, bool) {
	c := &b.reader.columns[column]
	to = c.appendAll(to[:0], n)
	return to, c.done()
}

// links reads the links, which use the hashes outside of the block in their order.
func (b *SeriesBlock) links() (ok bool) {
	c, used := b.reader, uint64(0)
	outside := func(n uint64) bool {
		n -= linkOutside
		if n == used {
			used++
		}
		return n < used && n < uint64(len(c.outside))
	}
	previous := &c.columns[colPrevious]
	if !outside(previous.next()) || !previous.repeats(c.count-1, linkInside) || !previous.done() {
		return false
	}
	if b.skips, ok = b.column(b.skips, colSkip, c.count); !ok {
		return false
	}
	b.targets = b.targets[:0]
	for i, n := range b.skips {
		to := c.skips.of(c.sequences[i])
		b.targets = append(b.targets, to)
		inside := to >= c.sequences[0]
		if inside != (n == linkInside) || !inside && !outside(n) || isZero((*chain.Hash)(b.recorded[i*len(chain.Hash{}):])) {
			return false
		}
	}
	return used == uint64(len(c.outside))
}

// clock reads the times.
func (b *SeriesBlock) clock() bool {
	column, at := &b.reader.columns[colOccurred], int64(0)
	b.times = b.times[:0]
	for range b.reader.count {
		step := unzigzag(column.next())
		if at += step; at > farTime || at < -farTime || step > farTime || step < -farTime {
			return false
		}
		b.times = append(b.times, at)
	}
	return column.done()
}

// texts reads the types, in the order of their first use.
func (b *SeriesBlock) texts() (ok bool) {
	c, used := b.reader, uint64(0)
	if b.types, ok = b.column(b.types, colType, c.count); !ok {
		return false
	}
	for _, n := range b.types {
		if n == used {
			used++
		}
		if n >= used || n >= uint64(len(c.types.all)) {
			return false
		}
	}
	return used == uint64(len(c.types.all))
}

// arrivals reads the arrivals, and cuts the block where they are in other containers.
func (b *SeriesBlock) arrivals() (ok bool) {
	c := b.reader
	saved := c.columns
	if b.inOne() {
		return true
	}
	c.columns, c.weight, b.Series = saved, 0, b.Series[:0]
	for _, column := range []int{colSize, colArrivals} {
		if b.numbers[column], ok = b.column(b.numbers[column], column, c.count); !ok {
			return false
		}
	}
	for column := colShare; column < columns; column++ {
		if b.numbers[column], ok = b.column(b.numbers[column], column, c.left); !ok {
			return false
		}
	}
	b.observed = b.observed[:0]
	var these, before [mostPerCopy]Arrival
	at, count := 0, 0 // arrivals so far, and of the copy before
	for i := range c.count {
		n := b.numbers[colArrivals][i] + 1
		if n == 0 || n > mostPerCopy || at+int(n) > c.left || c.weight >= FullWeight {
			return false
		}
		goesOn := i > 0 && int(n) == count
		for j := range int(n) {
			a := &these[j]
			if !b.arrival(a, at+j, i) || j > 0 && a.Share <= these[j-1].Share {
				return false
			}
			goesOn = goesOn && a.Share == before[j].Share && a.Container == before[j].Container &&
				a.Fidelity == before[j].Fidelity && a.Record > before[j].Record
			c.weight += 16 + len(a.Batch)
		}
		c.weight += 64 + len(c.keys.all[0]) + len(c.types.all[b.types[i]])
		if !goesOn {
			b.endSeries(i, before[:count])
			b.beginSeries(i, these[:n])
		}
		b.observed = append(b.observed, these[0].ObservedAt)
		before, count, at = these, int(n), at+int(n)
	}
	b.endSeries(c.count, before[:count])
	return at == c.left && c.placed == len(c.places) && c.batches.used == uint64(len(c.batches.all)) &&
		(c.weight >= FullWeight || c.Last)
}

// inOne reads the arrivals of a block whose copies each came once, in one container, without a
// batch id and without a time of observation, each right after the one before: one series. It
// returns false for others.
func (b *SeriesBlock) inOne() bool {
	c, n := b.reader, b.reader.count
	if len(c.places) != 1 || c.left != n || len(c.batches.all) > 0 || !b.steady(colArrivals, 0) ||
		!b.steady(colShare, 0) || !b.steady(colBatch, 0) || !b.steady(colObserved, 0) {
		return false
	}
	container, fidelity, record := &c.columns[colContainer], &c.columns[colFidelity], &c.columns[colRecord]
	a := Arrival{Place: Place{Share: c.places[0].share}}
	s := &c.Shares[a.Share]
	in, form := container.next(), fidelity.next()
	a.Container, a.Fidelity, a.Record = int(in), facts.Fidelity(form), unzigzag(record.next())
	if in >= uint64(len(s.Containers)) || form > math.MaxUint8 || a.Record < 0 || a.Record > s.Records-int64(n) ||
		!container.repeats(n-1, in) || !fidelity.repeats(n-1, form) || !record.repeats(n-1, 0) ||
		!container.done() || !fidelity.done() || !record.done() {
		return false
	}
	size, offset, length := &c.columns[colSize], &c.columns[colOffset], &c.columns[colLength]
	end, weight := int64(0), 80+len(c.keys.all[0])
	for i, t := range b.types {
		octets := int64(size.next())
		a.Offset, a.Length = end+unzigzag(offset.next()), octets+unzigzag(length.next())
		if end = a.Offset + a.Length; octets < 0 || a.Offset < 0 || a.Length < 0 || c.weight >= FullWeight {
			return false
		}
		if c.weight += weight + len(c.types.all[t]); i == 0 {
			b.beginSeries(0, []Arrival{a})
		}
	}
	if !size.done() || !offset.done() || !length.done() || c.weight < FullWeight && !c.Last {
		b.Series = b.Series[:0]
		return false
	}
	a.Record += int64(n - 1)
	b.endSeries(n, []Arrival{a})
	b.observed = slices.Grow(b.observed[:0], n)[:n]
	clear(b.observed)
	return true
}

// arrival reads an arrival, of a copy.
func (b *SeriesBlock) arrival(a *Arrival, at, i int) bool {
	c, n := b.reader, b.numbers[colShare][at]
	if n >= uint64(len(c.places)) || n > uint64(c.placed) {
		return false
	}
	if n == uint64(c.placed) {
		c.placed++
	}
	p := &c.places[n]
	s := &c.Shares[p.share]
	size, container, fidelity := int64(b.numbers[colSize][i]), b.numbers[colContainer][at], b.numbers[colFidelity][at]
	a.Share, a.Container, a.Fidelity = p.share, int(container), facts.Fidelity(fidelity)
	a.Record = p.record + unzigzag(b.numbers[colRecord][at])
	a.Offset = p.end + unzigzag(b.numbers[colOffset][at])
	a.Length = size + unzigzag(b.numbers[colLength][at])
	a.ObservedAt = p.observed + unzigzag(b.numbers[colObserved][at])
	known := true
	if a.Batch = ""; b.numbers[colBatch][at] > 0 {
		a.Batch, known = c.batches.of(b.numbers[colBatch][at] - 1)
		known = known && a.Batch != ""
	}
	p.record, p.end, p.observed = a.Record+1, a.Offset+a.Length, a.ObservedAt
	return known && size >= 0 && fidelity <= math.MaxUint8 && container < uint64(len(s.Containers)) &&
		a.Record >= 0 && a.Record < s.Records && a.Offset >= 0 && a.Length >= 0
}

// beginSeries begins a series with a copy. The memory of series of earlier blocks is used again.
func (b *SeriesBlock) beginSeries(i int, arrivals []Arrival) {
	n := len(b.Series)
	if n == cap(b.Series) {
		b.Series = append(b.Series, Series{})
	}
	b.Series = b.Series[:n+1]
	s := &b.Series[n]
	*s = Series{First: b.reader.sequences[i], KeyID: b.reader.keys.all[0], Begins: append(s.Begins[:0], arrivals...),
		Ends: s.Ends[:0], block: b, at: i, older: s.older[:0]}
}

// endSeries ends the present series, ahead of a copy.
func (b *SeriesBlock) endSeries(i int, arrivals []Arrival) {
	if len(b.Series) == 0 {
		return
	}
	s := &b.Series[len(b.Series)-1]
	s.Last, s.Ends = b.reader.sequences[i-1], append(s.Ends, arrivals...)
	for k := s.at; k < i; k++ {
		if b.targets[k] < s.First {
			s.older = append(s.older, chain.Older{From: b.reader.sequences[k], Hash: b.skip(k)})
		}
		if k > s.at {
			step := b.times[k] - b.times[k-1]
			s.Back, s.Ahead = max(s.Back, -step), max(s.Ahead, step)
		}
	}
}
