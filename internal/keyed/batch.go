package keyed

import (
	"crypto/ed25519"
	"crypto/sha512"
	"hash"
	"sync"

	"filippo.io/edwards25519"
	"filippo.io/edwards25519/field"
)

// batchSize is how many signatures share one inversion. From here on more of
// them gain nothing, and their points (160 bytes each) would push the rows of
// the tables (15 KiB each) out of the first-level cache.
const batchSize = 128

// tables are what a signature is decided with.
type tables struct {
	base     *table // of the base point B
	minusKey *table // of -A, where A is the public key
}

// batch is the room to work on up to batchSize signatures. Those refused for
// their form take no place in it.
type batch struct {
	n      int // places in use
	item   [batchSize]int
	s, k   [positions][batchSize]int8 // digits of the scalars, by position
	points [batchSize]point

	zs, scratch [batchSize]field.Element

	hash   hash.Hash
	digest [sha512.Size]byte
	scalar edwards25519.Scalar
}

var batches = sync.Pool{New: func() any { return &batch{hash: sha512.New()} }}

// verify sets valid[i] for every item that holds under the key of the tables,
// and leaves the others.
func (t *tables) verify(public ed25519.PublicKey, items []Item, valid []bool) {
	b := batches.Get().(*batch)
	for len(items) > 0 {
		n := min(batchSize, len(items))
		b.load(public, items[:n])
		b.sum(t)
		b.compare(items[:n], valid[:n])
		items, valid = items[n:], valid[n:]
	}
	batches.Put(b)
}

// load gives a place to each item whose signature is 64 bytes R and S with
// S < l, the order of the base point, and computes the digits of S and of
// k = SHA-512(R, A, message) mod l for it (RFC 8032, 5.1.7).
func (b *batch) load(public ed25519.PublicKey, items []Item) {
	b.n = 0
	for i, item := range items {
		if len(item.Signature) != ed25519.SignatureSize {
			continue
		}
		if _, err := b.scalar.SetCanonicalBytes(item.Signature[32:]); err != nil {
			continue
		}
		b.put(&b.s, [32]byte(item.Signature[32:]))
		b.put(&b.k, b.challenge(public, item))
		b.item[b.n] = i
		b.n++
	}
}

// put writes the digits of a scalar to the next free place.
func (b *batch) put(digits *[positions][batchSize]int8, scalar [32]byte) {
	for i, d := range recode(scalar) {
		digits[i][b.n] = d
	}
}

// challenge returns k. The key is hashed as its raw bytes, canonical or not.
func (b *batch) challenge(public ed25519.PublicKey, item Item) [32]byte {
	b.hash.Reset()
	b.hash.Write(item.Signature[:32])
	b.hash.Write(public)
	b.hash.Write(item.Message)
	if _, err := b.scalar.SetUniformBytes(b.hash.Sum(b.digest[:0])); err != nil {
		panic("keyed: SHA-512 is 64 bytes long: " + err.Error())
	}
	return [32]byte(b.scalar.Bytes())
}

// sum computes S·B - k·A in every place. It takes the positions one by one, so
// that two rows serve the whole batch, and so that additions next to each other
// do not wait for each other's result.
func (b *batch) sum(t *tables) {
	points := b.points[:b.n]
	for i := range points {
		points[i].zero()
	}
	for at := range positions {
		base, minusKey := &t.base[at], &t.minusKey[at]
		s, k := &b.s[at], &b.k[at]
		for i := range points {
			points[i].addMultiple(base, s[i])
		}
		for i := range points {
			points[i].addMultiple(minusKey, k[i])
		}
	}
}

// compare accepts the items whose R is, byte for byte, the encoding of the
// point in their place (RFC 8032, 5.1.2).
func (b *batch) compare(items []Item, valid []bool) {
	zs := b.zs[:b.n]
	for i := range zs {
		zs[i] = b.points[i].Z
	}
	invert(zs, b.scratch[:b.n])
	for i := range zs {
		var x, y field.Element
		x.Multiply(&b.points[i].X, &zs[i])
		y.Multiply(&b.points[i].Y, &zs[i])
		r := (*[32]byte)(y.Bytes())
		r[31] |= byte(x.IsNegative() << 7)
		valid[b.item[i]] = *r == [32]byte(items[b.item[i]].Signature)
	}
}
