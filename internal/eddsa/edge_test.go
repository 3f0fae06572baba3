package eddsa

import (
	"slices"
	"testing"

	"filippo.io/edwards25519"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/check"
)

// decided fails the test unless a family of cases had both verdicts in it: one
// that only ever sees refusals would agree with anything that refuses.
func decided(t *testing.T, held, of int) {
	t.Helper()
	check.That(t, held != 0 && held != of, "%d of %d signatures hold; the family should have both", held, of)
	t.Logf("%d of %d signatures hold", held, of)
}

// TestSmallOrder uses A and R from the encodings of small order, canonical or not, with S = 0,
// 1 and l, and enough messages that k·A has every value. With -short, each A meets a third of
// the R.
func TestSmallOrder(t *testing.T) {
	r := source(1)
	scalars := [][]byte{make([]byte, 32), append([]byte{1}, make([]byte, 31)...), unhex(t, order)}
	held, of := 0, 0
	for n, a := range smallOrder {
		var items []Item
		for m, commitment := range smallOrder {
			if testing.Short() && (n+m)%3 != 0 {
				continue
			}
			for i := range 24 {
				s := scalars[max(0, i%6-3)]
				items = append(items, Item{r.bytes(50), append(unhex(t, commitment), s...)})
			}
		}
		if n%4 == 0 {
			agree(t, [32]byte(unhex(t, a)), items) // with wide tables too
		}
		held += agreeWith(t, tabled([32]byte(unhex(t, a))), items)
		of += len(items)
	}
	decided(t, held, of)
}

// TestWeakness: a key in another than its canonical encoding is weak, also one of large order: its
// y is 2^255-19 and 0 to 18 more.
func TestWeakness(t *testing.T) {
	points := 0
	for more := range byte(19) {
		for sign := range byte(2) {
			key := [32]byte(slices.Repeat([]byte{0xff}, 32))
			key[0], key[31] = 0xed+more, 0x7f|sign<<7
			check.That(t, Weakness(key) != "", "%x is as good as any", key)
			if _, err := new(edwards25519.Point).SetBytes(key[:]); err == nil {
				points++
			}
		}
	}
	check.That(t, points > 4, "%d encodings of points", points)
	check.Equal(t, Weakness([32]byte(edwards25519.NewGeneratorPoint().Bytes())), "", "the generator")
}

// TestMixedOrder adds a component of small order to A, to R and to both. Such
// a signature holds by chance only; the cofactored equation would take them all.
func TestMixedOrder(t *testing.T) {
	r := source(2)
	held, of := 0, 0
	for a := range 8 {
		f := newForger(t, r.bytes(32), a)
		var items []Item
		for component := range 8 {
			for range chance.Sized(24, 4) {
				m := r.bytes(50)
				signature := f.sign(t, m, component)
				items = append(items,
					Item{m, signature},
					Item{m, plusOrder(t, signature)},
					Item{m, flip(signature, 255)},
					Item{m, flip(signature, 511)})
			}
		}
		held += agree(t, f.public, items)
		of += len(items)
	}
	decided(t, held, of)
}

// TestPlusOrder: S + l makes the same sum of points, and is refused.
func TestPlusOrder(t *testing.T) {
	public, items := signed(3, 40)
	honest := agree(t, public, items)
	for i := range items {
		items[i].Signature = plusOrder(t, items[i].Signature)
	}
	if forged := agree(t, public, items); honest != len(items) || forged != 0 {
		t.Errorf("of %d signatures %d hold, and %d with S + l", len(items), honest, forged)
	}
}

// TestEveryBit turns over each bit of one signature.
func TestEveryBit(t *testing.T) {
	public, items := signed(4, 1)
	honest := items[0]
	for bit := range 512 {
		items = append(items, Item{honest.Message, flip(honest.Signature, bit)})
	}
	held := agree(t, public, items)
	check.That(t, held == 1, "%d signatures hold, want the honest one only", held)
}

// TestLengths: messages around the block length of SHA-512 and far above, and
// signatures that are not 64 bytes long.
func TestLengths(t *testing.T) {
	f := newForger(t, []byte("lengths"), 0)
	r := source(5)
	var items []Item
	for n := range 300 {
		m := r.bytes(n)
		items = append(items, Item{m, f.sign(t, m, 0)})
	}
	for _, n := range []int{1 << 10, 1<<16 - 1, 1 << 20} {
		m := r.bytes(n)
		items = append(items, Item{m, f.sign(t, m, 0)})
	}
	right := len(items)
	for n := range 130 {
		cut := append([]byte(nil), items[50].Signature...)
		cut = append(cut, make([]byte, 66)...)[:n]
		if n != 64 {
			items = append(items, Item{items[50].Message, cut})
		}
	}
	items = append(items, Item{})
	held := agree(t, f.public, items)
	check.That(t, held == right, "%d signatures hold, want %d", held, right)
}

// TestRandomDamage spoils about half of the signatures of many keys.
func TestRandomDamage(t *testing.T) {
	r := source(6)
	held, of := 0, 0
	for seed := range chance.Sized(10, 2) {
		public, items := signed(byte(100+seed), 300)
		for i := range items {
			switch item := &items[i]; r.IntN(8) {
			case 0, 1:
				item.Signature = flip(item.Signature, r.IntN(512))
			case 2:
				item.Message = flip(item.Message, r.IntN(400))
			case 3:
				item.Signature = r.bytes(r.IntN(70))
			case 4:
				item.Message = r.bytes(r.IntN(500))
			}
		}
		held += agree(t, public, items)
		of += len(items)
	}
	decided(t, held, of)
}

// TestOtherKeys: a signature holds under its own key and under no other, and
// nothing holds under bytes that encode no point.
func TestOtherKeys(t *testing.T) {
	public, items := signed(7, 20)
	other, _ := signed(8, 0)
	held := agree(t, other, items)
	check.That(t, held == 0, "%d signatures hold under another key", held)
	for refused := 0; refused < 5; public[0]++ {
		if New(public).minus == nil {
			refused++
			held := agree(t, public, items)
			check.That(t, held == 0, "%d signatures hold under %x, which encodes no point", held, public)
		}
	}
}
