package eddsa

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/must"
)

// pool returns a key and signatures of every kind under it, with the verdict
// of crypto/ed25519 on each.
func pool(t *testing.T) (k *Key, items []Item, want []bool) {
	t.Helper()
	f := newForger(t, []byte("pool"), 0)
	r := source(30)
	for i := range 100 {
		m := r.bytes(i * 3)
		signature := f.sign(t, m, 0)
		items = append(items, Item{m, signature}, Item{m, f.sign(t, m, i)}, Item{m, flip(signature, r.IntN(512))},
			Item{m, plusOrder(t, signature)}, Item{m, signature[:r.IntN(64)]})
	}
	k = tabled(f.public)
	held := 0
	for _, item := range items {
		want = append(want, k.referenceVerdict(item))
		if k.referenceVerdict(item) {
			held++
		}
	}
	decided(t, held, len(items))
	return k, items, want
}

// TestNeighbours: the verdict on a signature does not depend on which others
// are verified with it, how many they are and where it is among them.
func TestNeighbours(t *testing.T) {
	k, items, want := pool(t)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 2*batchSize+9).Draw(t, "n")
		drawn := rapid.SliceOfN(rapid.IntRange(0, len(items)-1), n, n).Draw(t, "items")
		batch, valid := make([]Item, len(drawn)), make([]bool, len(drawn))
		for i, n := range drawn {
			batch[i] = items[n]
		}
		k.tables.Load().verifyItems(k.public, batch, valid)
		for i, n := range drawn {
			must.That(t, valid[i] == want[n], "item %d is %t at place %d of %d", n, valid[i], i, len(drawn))
		}
	})
}

// TestCalls: nor on how the signatures are divided into calls, before and after
// the table of the key is built.
func TestCalls(t *testing.T) {
	reference, items, want := pool(t)
	rapid.Check(t, func(t *rapid.T) {
		k, valid := New([32]byte(reference.public)), make([]bool, len(items))
		at := 0
		for at < 2*breakEven {
			end := min(at+rapid.IntRange(1, 150).Draw(t, "size"), len(items))
			must.Do(t, k.Verify(items[at:end], valid[at:end]))
			at = end
		}
		for i := range at {
			must.That(t, valid[i] == want[i], "item %d is %t", i, valid[i])
		}
	})
}
