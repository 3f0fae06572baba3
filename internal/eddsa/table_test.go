package eddsa

import (
	"encoding/binary"
	"math"
	"math/big"
	"slices"
	"testing"
	"unsafe"

	"filippo.io/edwards25519"
	"filippo.io/edwards25519/field"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/must"
)

// multiple computes n·p for any n by doubling and adding: n is not reduced, so a
// component of small order in p counts.
func multiple(n *big.Int, p *edwards25519.Point) *edwards25519.Point {
	if n.Sign() < 0 {
		n, p = new(big.Int).Neg(n), new(edwards25519.Point).Negate(p)
	}
	sum := edwards25519.NewIdentityPoint()
	for i := n.BitLen() - 1; i >= 0; i-- {
		sum.Add(sum, sum)
		if n.Bit(i) == 1 {
			sum.Add(sum, p)
		}
	}
	return sum
}

// affine returns the point that an entry represents.
func (e *entry) affine(t testing.TB) *edwards25519.Point {
	t.Helper()
	var x, y, one, xy field.Element
	x.Subtract(&e.side[1], &e.side[0])
	y.Add(&e.side[1], &e.side[0])
	xy.Multiply(&x, &y)
	p := must.Get(new(edwards25519.Point).SetExtendedCoordinates(&x, &y, one.One(), &xy))(t)
	var product field.Element
	product.Multiply(&xy, &newConstants(1).d)
	must.That(t, product.Equal(&e.product) == 1, "the product of an entry is not d·x·y")
	return p
}

// points are some of each kind: of every small order, in the prime-order
// subgroup, and mixed.
func points(t testing.TB) (all []*edwards25519.Point) {
	b := edwards25519.NewGeneratorPoint()
	for i := range 8 {
		small := torsion(t, i)
		mixed := new(edwards25519.Point).ScalarBaseMult(scalar([]byte{byte(i)}))
		all = append(all, small, mixed.Add(mixed, small))
	}
	return append(all, b, new(edwards25519.Point).Negate(b))
}

func TestConstants(t *testing.T) {
	c := newConstants(1)
	var one, twice field.Element
	if twice.Add(&c.half, &c.half); twice.Equal(one.One()) != 1 {
		t.Error("two halves are not 1")
	}
	d := []byte{0xa3, 0x78, 0x59, 0x13, 0xca, 0x4d, 0xeb, 0x75, 0xab, 0xd8, 0x41, 0x41, 0x4d, 0x0a, 0x70, 0x00,
		0x98, 0xe8, 0x79, 0x77, 0x79, 0x40, 0xc7, 0x8c, 0x73, 0xfe, 0x6f, 0x2b, 0xee, 0x6c, 0x03, 0x52}
	if got := c.d.Bytes(); !slices.Equal(got, d) { // RFC 8032, 5.1, in little-endian bytes
		t.Errorf("d is %x, want %x", got, d)
	}
}

// TestTable checks entries of every position against their definition; in wide tables, only
// one position in four with -short.
func TestTable(t *testing.T) {
	for radix, size := range map[uint]int{narrow: 512 << 10, wide: 10 << 20} {
		for i, p := range points(t) {
			if radix == wide && i%4 != 1 {
				continue // a table of each kind of point is enough
			}
			tab := newTable(p, radix)
			if got := len(tab.rows) * len(tab.rows[0]) * entrySize; got != size || tableSize(radix) != size {
				t.Errorf("a table takes %d bytes, by its radix %d, want %d", got, tableSize(radix), size)
			}
			last := int64(1) << (radix - 1)
			for i, row := range tab.rows {
				if testing.Short() && radix == wide && i%4 != 3 {
					continue
				}
				for _, j := range []int64{1, 2, int64(3 + i), last - 1, last} {
					n := new(big.Int).Lsh(big.NewInt(j), radix*uint(i))
					must.That(t, row[j-1].affine(t).Equal(multiple(n, p)) == 1, "entry %d of position %d is wrong for %x", j, i,
						p.Bytes())
				}
			}
		}
	}
}

// TestLines: an entry occupies two whole lines of the cache.
func TestLines(t *testing.T) {
	row := newTable(edwards25519.NewGeneratorPoint(), narrow).rows[1]
	if size := unsafe.Sizeof(row[0]); size != entrySize ||
		uintptr(unsafe.Pointer(&row[0]))%64 != 0 { // #nosec G103 -- looks at the address
		t.Errorf("entries of %d bytes, the first at %p", size, &row[0])
	}
}

// TestAdditionIsComplete adds every kind of entry to every kind of point, so
// also a point to itself and to its negative.
func TestAdditionIsComplete(t *testing.T) {
	all := points(t)
	for _, q := range all {
		row := make([]entry, 1<<(narrow-1))
		newConstants(len(row)).fillRow(row, new(edwards25519.Point).Set(q))
		for _, d := range []int16{0, 1, -1, 2, -2, 127, -127, 128, -128} {
			var set point
			set.setMultiple(row, d)
			if got, want := set.checked(t), multiple(big.NewInt(int64(d)), q); got.Equal(want) != 1 {
				t.Fatalf("%d·%x = %x, want %x", d, q.Bytes(), got.Bytes(), want.Bytes())
			}
		}
		for _, p := range all {
			for _, d := range []int16{0, 1, -1, 2, -2, 127, -127, 128, -128} {
				want := multiple(big.NewInt(int64(d)), q)
				want.Add(p, want)
				if got := addMultiple(t, p, row, d); got.Equal(want) != 1 {
					t.Fatalf("%x + %d·%x = %x, want %x", p.Bytes(), d, q.Bytes(), got.Bytes(), want.Bytes())
				}
			}
		}
	}
}

// addMultiple computes p plus d times the point of the row with the addition under test.
func addMultiple(t *testing.T, p *edwards25519.Point, row []entry, d int16) *edwards25519.Point {
	t.Helper()
	x, y, z, xy := p.ExtendedCoordinates()
	acc := point{*x, *y, *z, *xy}
	acc.addMultiple(row, d)
	return acc.checked(t)
}

// checked returns p, which must be on the curve.
func (p *point) checked(t *testing.T) *edwards25519.Point {
	t.Helper()
	must.That(t, p.Z.Equal(new(field.Element)) != 1, "Z is zero")
	return must.Get(new(edwards25519.Point).SetExtendedCoordinates(&p.X, &p.Y, &p.Z, &p.T))(t)
}

// TestRecode: the digits of an integer below 2^253 sum to it.
func TestRecode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digit := rapid.OneOf(rapid.SampledFrom([]byte{0, 1, 126, 127, 128, 129, 254, 255}), rapid.Byte())
		b := [32]byte(rapid.SliceOfN(digit, 32, 32).Draw(t, "bytes"))
		b[31] &= 0x1f
		radix := rapid.SampledFrom([]uint{narrow, 10, wide, 15}).Draw(t, "radix")
		d := new(digits)
		place := rapid.IntRange(0, batchSize-1).Draw(t, "place")
		d.recodeInteger(place, &b, radix)
		got, half := new(big.Int), 1<<(radix-1)
		for i := range d {
			digit := int(d[i][place])
			got.Add(got, new(big.Int).Lsh(big.NewInt(int64(digit)), radix*uint(i)))
			must.That(t, digit >= -half && digit <= half, "the digit %d is in no row", digit)
		}
		bigEndian := slices.Clone(b[:])
		slices.Reverse(bigEndian)
		want := new(big.Int).SetBytes(bigEndian)
		must.That(t, got.Cmp(want) == 0, "the digits of %x sum to %x", want, got)
	})
}

// TestBelowOrder: around the order and its words, belowOrder agrees with package edwards25519
// on the canonical form of scalars.
func TestBelowOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b [32]byte
		for i, word := range orderWords {
			n := rapid.SampledFrom([]uint64{word - 1, word, word, word, word + 1, 0, math.MaxUint64}).Draw(t, "word")
			binary.LittleEndian.PutUint64(b[8*i:], n)
		}
		_, err := new(edwards25519.Scalar).SetCanonicalBytes(b[:])
		must.That(t, belowOrder(&b) == (err == nil), "%x: %t, %v", b, belowOrder(&b), err)
	})
}

func TestInvert(t *testing.T) {
	r := source(9)
	for n := range 20 {
		zs, scratch := make([]field.Element, n), make([]field.Element, n)
		for i := range zs {
			must.Get(zs[i].SetBytes(r.bytes(32)))(t)
		}
		inverses := slices.Clone(zs)
		invertAll(inverses, scratch)
		one := new(field.Element).One()
		for i := range zs {
			if zs[i].Multiply(&zs[i], &inverses[i]); zs[i].Equal(one) != 1 {
				t.Errorf("inverse %d of %d is wrong", i, n)
			}
		}
	}
}
