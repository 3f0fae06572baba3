package eddsa

import (
	"encoding/binary"
	"math/bits"
	"sync"

	"filippo.io/edwards25519"
	"filippo.io/edwards25519/field"
)

const (
	narrow = 8  // bits of a digit: tables of 512 KiB, built in 2 ms
	wide   = 13 // tables of 10 MiB, built in 30 ms; a third less to add up

	// mostPositions is how many digits a scalar has at most.
	mostPositions = (scalarBits + narrow - 1) / narrow

	// scalarBits is the length of a scalar: 253 bits and the carry of its digits.
	scalarBits = 254
)

// table holds the points j·2^(radix·i)·P for one point P: row i has the points for the digit
// at position i, for j from 1 to 2^(radix-1). A multiple of P by an integer below 2^253 is
// then a sum of one entry of each row; the sign is applied when adding.
type table struct {
	radix uint // bits of a digit
	rows  [][]entry
}

// entry is the affine point (x, y) as the mixed addition needs it. The halves save the
// addition a doubling of Z. With the last word an entry is two whole lines of the cache.
type entry struct {
	side    [2]field.Element // (y - x) / 2 and (y + x) / 2
	product field.Element    // d·x·y, where d is the constant of the curve
	end     uint64           // 0
}

// entrySize is the size of an entry in bytes.
const entrySize = 128

// The tables of the base point: one of each radix for the process, built when it
// is first needed and never changed.
var (
	narrowBase = sync.OnceValue(func() *table { return newTable(edwards25519.NewGeneratorPoint(), narrow) })
	wideBase   = sync.OnceValue(func() *table { return newTable(edwards25519.NewGeneratorPoint(), wide) })
)

// baseTable returns the table of the base point.
func baseTable(radix uint) *table {
	if radix == wide {
		return wideBase()
	}
	return narrowBase()
}

// tableSize returns the size of a table in bytes, 0 for radix 0.
func tableSize(radix uint) int {
	if radix == 0 {
		return 0
	}
	return int((scalarBits+radix-1)/radix) * (entrySize << (radix - 1))
}

// newTable computes the table of a point, which may be any point of the curve.
func newTable(p *edwards25519.Point, radix uint) *table {
	positions, multiples := (scalarBits+radix-1)/radix, 1<<(radix-1)
	t := &table{radix: radix, rows: make([][]entry, positions)}
	all := make([]entry, int(positions)*multiples)
	c, p := newConstants(multiples), new(edwards25519.Point).Set(p)
	for i := range t.rows {
		t.rows[i], all = all[:multiples:multiples], all[multiples:]
		c.fillRow(t.rows[i], p)
	}
	return t
}

// constants are the numbers that affine points become entries with, and the
// room to do it for the multiples of a row.
type constants struct {
	half field.Element // 1/2
	d    field.Element // -121665/121666, the constant of the curve (RFC 8032, 5.1)

	xs, ys, zs, scratch []field.Element
}

func newConstants(multiples int) *constants {
	var one, denominator field.Element
	one.One()
	room := make([]field.Element, 4*multiples)
	c := &constants{xs: room[:multiples], ys: room[multiples : 2*multiples], zs: room[2*multiples : 3*multiples],
		scratch: room[3*multiples:]}
	c.half.Add(&one, &one)
	c.half.Invert(&c.half)
	denominator.Mult32(&one, 121666)
	c.d.Mult32(&one, 121665)
	c.d.Negate(&c.d)
	c.d.Multiply(&c.d, denominator.Invert(&denominator))
	return c
}

// fillRow sets row to the multiples of p, and p to its multiple for the next row,
// which is twice the last of this one.
func (c *constants) fillRow(row []entry, p *edwards25519.Point) {
	multiple := new(edwards25519.Point).Set(p)
	for j := range row {
		x, y, z, _ := multiple.ExtendedCoordinates()
		c.xs[j], c.ys[j], c.zs[j] = *x, *y, *z
		if j < len(row)-1 {
			multiple.Add(multiple, p)
		}
	}
	p.Add(multiple, multiple)
	invertAll(c.zs, c.scratch)
	for j := range row {
		var x, y field.Element
		x.Multiply(&c.xs[j], &c.zs[j])
		y.Multiply(&c.ys[j], &c.zs[j])
		c.setAffine(&row[j], &x, &y)
	}
}

// setAffine makes the entry of the affine point (x, y).
func (c *constants) setAffine(e *entry, x, y *field.Element) {
	e.side[0].Subtract(y, x)
	e.side[0].Multiply(&e.side[0], &c.half)
	e.side[1].Add(y, x)
	e.side[1].Multiply(&e.side[1], &c.half)
	e.product.Multiply(x, y)
	e.product.Multiply(&e.product, &c.d)
}

// invertAll replaces each of zs by its inverse (none may be zero), with one
// inversion for all of them (Montgomery's trick). scratch is as long as zs.
func invertAll(zs, scratch []field.Element) {
	var product field.Element
	product.One()
	for i := range zs {
		scratch[i] = product // of all before zs[i]
		product.Multiply(&product, &zs[i])
	}
	product.Invert(&product)
	for i := len(zs) - 1; i >= 0; i-- {
		scratch[i].Multiply(&scratch[i], &product)
		product.Multiply(&product, &zs[i])
		zs[i] = scratch[i]
	}
}

// recodeInteger writes a little-endian integer below 2^253 to a place as signed digits:
// digits d[i] from -2^(radix-1) to 2^(radix-1) with the sum of d[i]·2^(radix·i)
// equal to it. It sets as many as a table of this radix has rows.
func (d *digits) recodeInteger(place int, scalar *[32]byte, radix uint) {
	var words [5]uint64 // the last for the bits above
	for i := range 4 {
		words[i] = binary.LittleEndian.Uint64(scalar[8*i:])
	}
	carry, mask, half := uint64(0), uint64(1)<<radix-1, uint64(1)<<(radix-1)
	for i, at := 0, uint(0); at < scalarBits; i, at = i+1, at+radix {
		v := words[at/64] >> (at % 64)
		v |= words[at/64+1] << 1 << (63 - at%64)
		v = v&mask + carry
		carry = (v + half) >> radix
		d[i][place] = int16(v - carry<<radix)
	}
}

// orderWords is l, the order of the base point (RFC 8032, 5.1), the lowest word first.
var orderWords = [4]uint64{0x5812631a5cf5d3ed, 0x14def9dea2f79cd6, 0, 1 << 60}

// belowOrder reports whether a little-endian integer is below l.
func belowOrder(scalar *[32]byte) bool {
	borrow := uint64(0)
	for i, word := range orderWords {
		_, borrow = bits.Sub64(binary.LittleEndian.Uint64(scalar[8*i:]), word, borrow)
	}
	return borrow == 1
}
