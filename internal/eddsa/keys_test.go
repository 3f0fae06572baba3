package eddsa

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

const (
	narrowSize = 512 << 10
	wideSize   = 10 << 20
)

// signers are keys with signatures. Each third signature does not hold.
type signers struct {
	public [][32]byte
	items  [][]Item
}

func newSigners(n int) signers {
	s := signers{}
	for i := range n {
		public, items := signed(byte(120+i), 3)
		items[2].Signature = flip(items[2].Signature, 300)
		s.public, s.items = append(s.public, public), append(s.items, items)
	}
	return s
}

// use verifies signatures of a key, one after another. None of them is wrong,
// since crypto/ed25519 would confirm that, and take long.
func (s signers) use(t testing.TB, keys *Keys, key, signatures int) *Key {
	t.Helper()
	k, valid := keys.Of(s.public[key]), []bool{false}
	for i := range signatures {
		err := k.Verify(s.items[key][i%2:i%2+1], valid)
		must.That(t, err == nil && valid[0], "%v %v", err, valid)
	}
	keys.check(t)
	return k
}

// check: the tables fit in the recorded memory, which is bounded.
func (k *Keys) check(t rapid.TB) {
	t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	size := 0
	for radix := range k.base {
		size += tableSize(radix)
	}
	for _, key := range k.keys {
		size += tableSize(key.tables.Load().radixOf())
	}
	must.That(t, size <= k.size && k.size <= k.most, "tables of %d bytes, %d reserved, of %d", size, k.size, k.most)
}

func radices(keys ...*Key) []uint {
	var all []uint
	for _, k := range keys {
		all = append(all, k.tables.Load().radixOf())
	}
	return all
}

// TestNoMemory: without memory for the tables of the base point and of a key,
// crypto/ed25519 decides alone.
func TestNoMemory(t *testing.T) {
	s := newSigners(1)
	for most, want := range map[int]uint{0: 0, 2*narrowSize - 1: 0, 2 * narrowSize: narrow} {
		if k := s.use(t, NewKeys(most), 0, 2*breakEven); k.tables.Load().radixOf() != want {
			t.Errorf("%d bytes make tables of radix %d, want %d", most, k.tables.Load().radixOf(), want)
		}
	}
}

// TestIdleKeysGiveWay: keys that are used one after another each get tables
// soon, however little memory there is.
func TestIdleKeysGiveWay(t *testing.T) {
	s, keys := newSigners(5), NewKeys(3*narrowSize) // two keys
	var all []*Key
	for i := range s.public {
		all = append(all, s.use(t, keys, i, breakEven+atOnce))
	}
	got := radices(all...)
	check.That(t, slices.Equal(got, []uint{0, 0, 0, narrow, narrow}), "the keys have tables of radix %v", got)
}

// TestBusyKeysKeep: of keys in even use those with tables keep them, and others
// do without. Tables that move would cost more than they save.
func TestBusyKeysKeep(t *testing.T) {
	s, keys := newSigners(4), NewKeys(3*narrowSize)
	all := make([]*Key, len(s.public))
	for range breakEven + 4*patience {
		for i := range all {
			all[i] = s.use(t, keys, i, 1)
		}
	}
	got := radices(all...)
	check.That(t, slices.Equal(got, []uint{narrow, narrow, 0, 0}), "the keys have tables of radix %v", got)
}

// TestMoreUse: a key that is used more than twice as much as one with tables claims its
// memory, and one that is used somewhat more does not.
func TestMoreUse(t *testing.T) {
	for times, want := range map[int][]uint{3: {0, narrow}, 1: {narrow, 0}} {
		s, keys := newSigners(2), NewKeys(2*narrowSize)
		first, second := s.use(t, keys, 0, breakEven), keys.Of(s.public[1])
		for range breakEven {
			s.use(t, keys, 1, times)
			s.use(t, keys, 0, 1)
		}
		got := radices(first, second)
		check.That(t, slices.Equal(got, want), "used %d times as much: tables of radix %v, want %v", times, got, want)
	}
}

// TestWideNeedsRoom: wide tables are made where there is memory for them, and use another
// key's memory only if that key is hardly used.
func TestWideNeedsRoom(t *testing.T) {
	s := newSigners(2)
	const wideRoom = 2 * (wideSize + narrowSize)
	for _, test := range []struct {
		most, other int // signatures of the other key for each of the first
		want        []uint
	}{
		{wideRoom, 1, []uint{wide, narrow}},
		{wideRoom - 1, 1, []uint{narrow, narrow}},
		{wideRoom - 1, 0, []uint{wide, 0}},
		{wideRoom - narrowSize - 1, 0, []uint{narrow, narrow}},
	} {
		keys := NewKeys(test.most)
		first, second := s.use(t, keys, 0, breakEven), s.use(t, keys, 1, breakEven)
		first.seen.Store(wideEven)
		for range 2 * gain * patience {
			s.use(t, keys, 0, 1)
			s.use(t, keys, 1, test.other)
		}
		got := radices(first, second)
		check.That(t, slices.Equal(got, test.want), "%+v: tables of radix %v", test, got)
	}
}

// TestAnyMemory: with any amount of memory and any use of keys, the verdicts equal
// crypto/ed25519's and the memory is bounded.
func TestAnyMemory(t *testing.T) {
	s := newSigners(4)
	rapid.Check(t, func(t *rapid.T) {
		keys := NewKeys(rapid.IntRange(0, 6).Draw(t, "tables") * narrowSize)
		for _, i := range rapid.SliceOfN(rapid.IntRange(0, len(s.public)-1), 1, 12).Draw(t, "keys") {
			k := keys.Of(s.public[i])
			k.seen.Add(rapid.SampledFrom([]uint64{0, atOnce, patience, breakEven, wideEven}).Draw(t, "used"))
			items := slices.Repeat(s.items[i], rapid.IntRange(1, 3).Draw(t, "signatures"))
			valid := make([]bool, len(items))
			must.Do(t, k.Verify(items, valid))
			for j, item := range items {
				must.That(t, valid[j] == k.referenceVerdict(item) && valid[j] == (j%3 != 2), "signature %d: %t", j, valid[j])
			}
			keys.check(t)
		}
	})
}

// TestKeysConcurrent: goroutines take each other's tables away, and no verdict
// changes.
func TestKeysConcurrent(t *testing.T) {
	s, keys := newSigners(5), NewKeys(3*narrowSize)
	var workers sync.WaitGroup
	for worker := range 4 {
		r := rand.New(rand.NewPCG(1, uint64(worker)))
		workers.Go(func() {
			for range chance.Sized(10, 2) {
				i := r.IntN(len(s.public))
				valid := make([]bool, 3)
				for range patience {
					if err := keys.Of(s.public[i]).Verify(s.items[i], valid); err != nil ||
						!slices.Equal(valid, []bool{true, true, false}) {
						t.Errorf("%v, %v", valid, err)
						return
					}
				}
			}
		})
	}
	workers.Wait()
	keys.check(t)
}
