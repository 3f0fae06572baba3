package eddsa

import (
	"crypto/ed25519"
	"crypto/sha512"
	"sync"

	"filippo.io/edwards25519"
	"filippo.io/edwards25519/field"
)

// batchSize is how many signatures go through the tables side by side. The
// more they are, the more of them find a row of a table in the cache.
const batchSize = 1024

// ahead is how many entries are touched before they are added, so that the
// machine fetches them side by side and not one after the other.
const ahead = 32

// few is how many signatures are too few to keep the machine busy fetching: all
// their entries are touched first, which the cache has room for.
const few = 4

// digits contains the digits of the scalar in every place, by position. The places at the end
// are not used: thanks to them the digits of one place do not all fall into the same set of
// the cache.
type digits [mostPositions][batchSize + 32]int16

// tables are used to decide on a signature.
type tables struct {
	base     *table // of the base point B
	minusKey *table // of -A, where A is the public key
}

// radixOf is 0 for no tables.
func (t *tables) radixOf() uint {
	if t == nil {
		return 0
	}
	return t.minusKey.radix
}

// batch is the room to work on up to batchSize signatures. Those refused for
// their form take no place in it.
type batch struct {
	n      int // places in use
	item   [batchSize]int
	s, k   digits // of the scalars
	points [batchSize]point

	zs, scratch [batchSize]field.Element

	message []byte
	scalar  edwards25519.Scalar

	first field.Element // read by touchEntry
	last  uint64
}

var batches = sync.Pool{New: func() any { return new(batch) }}

// verifyItems sets valid[i] for every item that holds under the key of the tables,
// and leaves the others.
func (t *tables) verifyItems(public ed25519.PublicKey, items []Item, valid []bool) {
	b := batches.Get().(*batch)
	for len(items) > 0 {
		n := min(batchSize, len(items))
		b.loadItems(t, public, items[:n])
		b.computeSums(t)
		b.compareResults(items[:n], valid[:n])
		items, valid = items[n:], valid[n:]
	}
	batches.Put(b)
}

// loadItems gives a place to each item whose signature is 64 bytes R and S with
// S < l, the order of the base point, and computes the digits of S and of
// k = SHA-512(R, A, message) mod l for it (RFC 8032, 5.1.7).
func (b *batch) loadItems(t *tables, public ed25519.PublicKey, items []Item) {
	b.n = 0
	for i := range items {
		item := &items[i]
		if len(item.Signature) != ed25519.SignatureSize {
			continue
		}
		s := [32]byte(item.Signature[32:])
		if !belowOrder(&s) {
			continue
		}
		k := b.challengeOf(public, item)
		b.s.recodeInteger(b.n, &s, t.base.radix)
		b.k.recodeInteger(b.n, &k, t.minusKey.radix)
		b.item[b.n] = i
		b.n++
	}
}

// challengeOf returns k. The key is hashed as its raw bytes, canonical or not.
func (b *batch) challengeOf(public ed25519.PublicKey, item *Item) [32]byte {
	b.message = append(append(append(b.message[:0], item.Signature[:32]...), public...), item.Message...)
	digest := sha512.Sum512(b.message)
	if _, err := b.scalar.SetUniformBytes(digest[:]); err != nil {
		panic("eddsa: SHA-512 is 64 bytes long: " + err.Error())
	}
	return [32]byte(b.scalar.Bytes())
}

// computeSums computes S·B - k·A in every place. It processes the positions one by one, so
// that two rows serve the whole batch, and so that additions next to each other do not wait
// for each other's result.
func (b *batch) computeSums(t *tables) {
	if b.n <= few {
		b.touchAll(t)
	}
	b.beginSums(t.base.rows[0], b.s[0][:b.n])
	for i, row := range t.base.rows[1:] {
		b.addMultiples(row, b.s[i+1][:b.n])
	}
	for i, row := range t.minusKey.rows {
		b.addMultiples(row, b.k[i][:b.n])
	}
}

// touchAll touches all entries that are needed.
func (b *batch) touchAll(t *tables) {
	for i, row := range t.base.rows {
		for _, d := range b.s[i][:b.n] {
			b.touchEntry(row, d)
		}
	}
	for i, row := range t.minusKey.rows {
		for _, d := range b.k[i][:b.n] {
			b.touchEntry(row, d)
		}
	}
}

// beginSums sets every place to the multiple that its digit selects.
func (b *batch) beginSums(row []entry, own []int16) {
	for from, to := 0, 0; from < len(own); from = to {
		to = b.fetchEntries(row, own, from)
		for i := from; i < to; i++ {
			b.points[i].setMultiple(row, own[i])
		}
	}
}

// addMultiples adds in every place the multiple that its digit selects.
func (b *batch) addMultiples(row []entry, own []int16) {
	for from, to := 0, 0; from < len(own); from = to {
		to = b.fetchEntries(row, own, from)
		for i := from; i < to; i++ {
			b.points[i].addMultiple(row, own[i])
		}
	}
}

// fetchEntries touches the next entries that are needed, and returns where they end.
func (b *batch) fetchEntries(row []entry, own []int16, from int) (to int) {
	to = min(from+ahead, len(own))
	for _, d := range own[from:to] {
		b.touchEntry(row, d)
	}
	return to
}

// touchEntry reads from both lines of the cache that the entry for a digit occupies, or from
// some entry if the digit has none.
func (b *batch) touchEntry(row []entry, d int16) {
	minus := uint16(d) >> 15
	e := &row[((uint16(d)^-minus)+minus-1)&uint16(len(row)-1)]
	b.first = e.side[0]
	b.last += e.end
}

// compareResults accepts the items whose R is, byte for byte, the encoding of the
// point in their place (RFC 8032, 5.1.2).
func (b *batch) compareResults(items []Item, valid []bool) {
	zs := b.zs[:b.n]
	for i := range zs {
		zs[i] = b.points[i].Z
	}
	invertAll(zs, b.scratch[:b.n])
	for i := range zs {
		var x, y field.Element
		x.Multiply(&b.points[i].X, &zs[i])
		y.Multiply(&b.points[i].Y, &zs[i])
		r := (*[32]byte)(y.Bytes())
		r[31] |= byte(x.IsNegative() << 7)
		valid[b.item[i]] = *r == [32]byte(items[b.item[i]].Signature)
	}
}
