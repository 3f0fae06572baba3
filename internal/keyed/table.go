package keyed

import (
	"sync"

	"filippo.io/edwards25519"
	"filippo.io/edwards25519/field"
)

const (
	positions = 32  // signed digits of a scalar in radix 2^8
	multiples = 128 // multiples kept for a position: 1 to 128 times; the sign is applied when adding
)

// table holds the point j·256^i·P, for one point P, as table[i][j-1]: 480 KiB.
// A multiple of P by an integer below 2^253 is then a sum of 32 entries.
type table [positions][multiples]entry

// entry is the affine point (x, y) as the mixed addition takes it. The halves
// save the addition a doubling of Z.
type entry struct {
	side    [2]field.Element // (y - x) / 2 and (y + x) / 2
	product field.Element    // d·x·y, where d is the constant of the curve
}

// baseTable returns the table of the base point: one for the process, built
// when it is first needed and never changed.
var baseTable = sync.OnceValue(func() *table {
	return newTable(edwards25519.NewGeneratorPoint())
})

// newTable computes the table of a point, which may be any point of the curve.
func newTable(p *edwards25519.Point) *table {
	t, c := new(table), newConstants()
	p = new(edwards25519.Point).Set(p)
	for i := range t {
		c.fill(&t[i], p)
	}
	return t
}

// constants are the numbers that affine points become entries with.
type constants struct {
	half field.Element // 1/2
	d    field.Element // -121665/121666, the constant of the curve (RFC 8032, 5.1)
}

func newConstants() *constants {
	var one, denominator field.Element
	one.One()
	c := new(constants)
	c.half.Add(&one, &one)
	c.half.Invert(&c.half)
	denominator.Mult32(&one, 121666)
	c.d.Mult32(&one, 121665)
	c.d.Negate(&c.d)
	c.d.Multiply(&c.d, denominator.Invert(&denominator))
	return c
}

// fill sets row to the multiples of p, and p to 256·p, that of the next row.
func (c *constants) fill(row *[multiples]entry, p *edwards25519.Point) {
	var xs, ys, zs, scratch [multiples]field.Element
	multiple := new(edwards25519.Point).Set(p)
	for j := range row {
		x, y, z, _ := multiple.ExtendedCoordinates()
		xs[j], ys[j], zs[j] = *x, *y, *z
		if j < multiples-1 {
			multiple.Add(multiple, p)
		}
	}
	p.Add(multiple, multiple)
	invert(zs[:], scratch[:])
	for j := range row {
		var x, y field.Element
		x.Multiply(&xs[j], &zs[j])
		y.Multiply(&ys[j], &zs[j])
		c.set(&row[j], &x, &y)
	}
}

// set makes the entry of the affine point (x, y).
func (c *constants) set(e *entry, x, y *field.Element) {
	e.side[0].Subtract(y, x)
	e.side[0].Multiply(&e.side[0], &c.half)
	e.side[1].Add(y, x)
	e.side[1].Multiply(&e.side[1], &c.half)
	e.product.Multiply(x, y)
	e.product.Multiply(&e.product, &c.d)
}

// invert replaces each of zs, none of which is zero, by its inverse, with one
// inversion for all of them (Montgomery's trick). scratch is as long as zs.
func invert(zs, scratch []field.Element) {
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

// recode writes a little-endian integer below 2^253 as signed digits in radix
// 2^8: digits d[i] from -128 to 127 with the sum of d[i]·256^i equal to it.
func recode(scalar [32]byte) (d [positions]int8) {
	carry := 0
	for i, b := range scalar {
		v := int(b) + carry
		carry = (v + 128) >> 8
		d[i] = int8(v) // modulo 256, which is v - 256·carry
	}
	return d
}
