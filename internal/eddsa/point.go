package eddsa

import "filippo.io/edwards25519/field"

// point is a point of the curve in extended coordinates: x = X/Z, y = Y/Z,
// x·y = T/Z.
//
// addMultiple is the mixed addition for a = -1 of Hisil, Wong, Carter and Dawson
// (https://eprint.iacr.org/2008/522, section 3.1), with A, B, C and D halved.
// It is complete on this curve: it holds for any two points, equal, opposite,
// of small order or the identity, and its Z is never zero.
type point struct{ X, Y, Z, T field.Element }

// setIdentity sets p to the identity.
func (p *point) setIdentity() {
	p.X.Zero()
	p.Y.One()
	p.Z.One()
	p.T.Zero()
}

// setMultiple sets p to d times the point that the row of a table belongs to.
func (p *point) setMultiple(row []entry, d int16) {
	if d == 0 {
		p.setIdentity()
		return
	}
	minus := uint16(d) >> 15
	e := &row[(uint16(d)^-minus)+minus-1] // |d| - 1
	p.X.Subtract(&e.side[1^minus], &e.side[minus])
	p.Y.Add(&e.side[0], &e.side[1])
	p.Z.One()
	p.T.Multiply(&p.X, &p.Y)
}

// addMultiple adds d times the point that the row of a table belongs to. The
// negative of an entry has its sides exchanged and the sign of its product
// turned, which exchanges F and G. The signs of digits are as good as random,
// so they select by index: a branch would be mispredicted half of the time.
func (p *point) addMultiple(row []entry, d int16) {
	if d == 0 {
		return
	}
	minus := uint16(d) >> 15
	e := &row[(uint16(d)^-minus)+minus-1] // |d| - 1

	var a, b, c field.Element
	var fg [2]field.Element
	a.Subtract(&p.Y, &p.X)
	a.Multiply(&a, &e.side[minus])
	b.Add(&p.Y, &p.X)
	b.Multiply(&b, &e.side[1^minus])
	c.Multiply(&p.T, &e.product)
	fg[minus].Subtract(&p.Z, &c)
	fg[1^minus].Add(&p.Z, &c)
	p.setSum(&a, &b, &fg)
}

// setSum ends an addition, with A, B, F and G as in the paper.
func (p *point) setSum(a, b *field.Element, fg *[2]field.Element) {
	var e, h field.Element
	e.Subtract(b, a)
	h.Add(b, a)
	p.X.Multiply(&e, &fg[0])
	p.Y.Multiply(&fg[1], &h)
	p.T.Multiply(&e, &h)
	p.Z.Multiply(&fg[0], &fg[1])
}
