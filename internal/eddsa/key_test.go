package eddsa

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestBreakEven: the table is built when the signatures of a key pass the
// break-even count, in one call or in many, and never for a key without a point.
func TestBreakEven(t *testing.T) {
	public, items := signed(20, breakEven)
	one, all := New(public), New(public)
	valid := make([]bool, breakEven)
	for i := range items {
		must.That(t, one.tables.Load() == nil, "the table is there after %d signatures", i)
		if err := one.Verify(items[i:i+1], valid[i:i+1]); err != nil || !valid[i] {
			t.Fatalf("signature %d: %t, %v", i, valid[i], err)
		}
	}
	err := all.Verify(items, valid)
	must.That(t, err == nil && !slices.Contains(valid, false), "%v, %v", valid, err)
	check.That(t, one.tables.Load() != nil && all.tables.Load() != nil, "no table after %d signatures", breakEven)
	check.That(t, one.tables.Load().base == all.tables.Load().base, "two keys have two tables of the base point")
	for New(public).minus != nil {
		public[0]++
	}
	none := New(public)
	if err := none.Verify(items, valid); err != nil || slices.Contains(valid, true) || none.tables.Load() != nil {
		t.Errorf("%v, %v under a key without a point", valid, err)
	}
}

// TestVerdictsAreSet: the content of valid before a call does not matter.
func TestVerdictsAreSet(t *testing.T) {
	public, items := signed(21, 3)
	items[1].Signature = flip(items[1].Signature, 300)
	items[2].Signature = nil
	for _, k := range []*Key{New(public), tabled(public)} {
		for _, before := range []bool{false, true} {
			valid := []bool{before, before, before}
			err := k.Verify(items, valid)
			check.That(t, err == nil && slices.Equal(valid, []bool{true, false, false}), "%v, %v", valid, err)
		}
		check.Do(t, k.Verify(nil, nil))
	}
}

// TestWideTables: they replace the narrow ones once a key has many signatures, and two keys
// share the tables of the base point.
func TestWideTables(t *testing.T) {
	public, items := signed(26, 2)
	k, other := tabled(public), widened(public)
	valid := make([]bool, 1)
	for _, step := range []struct {
		seen uint64
		want uint
	}{{breakEven, narrow}, {wideEven - 2, narrow}, {wideEven - 1, wide}, {wideEven, wide}} {
		k.seen.Store(step.seen)
		k.decided.Store(1000)
		err := k.Verify(items[:1], valid)
		must.That(t, err == nil && valid[0], "%v %v", valid, err)
		if got := k.tables.Load().minusKey.radix; got != step.want || k.tables.Load().base.radix != got {
			t.Errorf("after %d signatures the digits have %d bits, want %d", step.seen, got, step.want)
		}
		check.That(t, step.seen == wideEven-1 == (k.decided.Load() < sampleFirst),
			"after %d signatures %d count as decided", step.seen, k.decided.Load())
	}
	check.That(t, k.tables.Load().base == other.tables.Load().base, "two keys have two tables of the base point")
}

func TestVerifyWantsOneVerdictPerItem(t *testing.T) {
	public, items := signed(22, 2)
	defer func() {
		check.That(t, recover() != nil, "two items and one verdict are taken")
	}()
	_ = New(public).Verify(items, make([]bool, 1))
}

// TestConcurrent uses one Key from several goroutines, from its first signature
// on; with -race it shows that they share nothing that they change.
func TestConcurrent(t *testing.T) {
	public, items := signed(23, 400)
	want := make([]bool, len(items))
	for i := range items {
		if want[i] = i%7 != 0; !want[i] {
			items[i].Signature = flip(items[i].Signature, i)
		}
	}
	k := New(public)
	var workers sync.WaitGroup
	for size := 33; size < 39; size++ {
		workers.Go(func() {
			for at := 0; at < len(items); at += size {
				end := min(at+size, len(items))
				valid := make([]bool, end-at)
				if err := k.Verify(items[at:end], valid); err != nil || !slices.Equal(valid, want[at:end]) {
					t.Errorf("items %d to %d: %v, %v", at, end, valid, err)
				}
			}
		})
	}
	workers.Wait()
}

// TestNoAllocationPerSignature: the work space is kept from call to call.
func TestNoAllocationPerSignature(t *testing.T) {
	public, items := manySigned()
	k, valid := tabled(public), make([]bool, len(items))
	allocations := testing.AllocsPerRun(2, func() { k.tables.Load().verifyItems(k.public, items, valid) })
	if allocations > 50 { // a lost work space is a handful
		t.Errorf("%.0f allocations for %d signatures", allocations, len(items))
	}
}

// manySigned returns a key with signatures enough that some have any lowest byte of S.
var manySigned = sync.OnceValues(func() ([32]byte, []Item) { return signed(25, 1500) })

// planted is a Key whose table of the base point has one wrong entry: the digit
// 1 in the lowest position of S counts as 2. It returns with it an honest
// signature that the tables refuse, a forged one that they accept, and honest
// ones that the wrong entry has no part in.
func planted(t *testing.T) (k *Key, refused, forged Item, others []Item) {
	t.Helper()
	public, items := manySigned()
	k = tabled(public)
	wrong := &table{radix: narrow, rows: slices.Clone(k.tables.Load().base.rows)}
	wrong.rows[0] = slices.Clone(wrong.rows[0])
	wrong.rows[0][0] = wrong.rows[0][1]
	k.tables.Store(&tables{base: wrong, minusKey: k.tables.Load().minusKey})
	for _, item := range items {
		switch item.Signature[32] {
		case 1:
			refused = item
		case 2:
			forged = Item{item.Message, slices.Clone(item.Signature)}
			forged.Signature[32] = 1
		case 255: // the digit -1
		default:
			others = append(others, item)
		}
	}
	valid := []bool{false, false, false}
	k.tables.Load().verifyItems(k.public, []Item{refused, forged, others[0]}, valid)
	must.That(t, slices.Equal(valid, []bool{false, true, true}), "the wrong entry decides %v", valid)
	return k, refused, forged, others
}

// disagreement checks that a call ends with ErrDisagreement and no verdict.
func disagreement(t *testing.T, k *Key, items []Item) {
	t.Helper()
	valid := slices.Repeat([]bool{true}, len(items))
	if err := k.Verify(items, valid); !errors.Is(err, ErrDisagreement) || slices.Contains(valid, true) {
		t.Errorf("%v, %v; want no verdict and ErrDisagreement", valid, err)
	}
}

// TestWrongTableRefuses: a rejection is always confirmed.
func TestWrongTableRefuses(t *testing.T) {
	k, refused, _, _ := planted(t)
	k.decided.Store(sampleFirst + 1)
	disagreement(t, k, []Item{refused})
}

// TestWrongTableAcceptsAtFirst: all of the first signatures are sampled.
func TestWrongTableAcceptsAtFirst(t *testing.T) {
	for _, at := range []int{0, 1, sampleFirst - 1} {
		k, _, forged, others := planted(t)
		disagreement(t, k, append(slices.Clone(others[:at]), forged))
	}
}

// TestWrongTableAcceptsLater: of sampleEvery signatures that follow each other
// one is sampled, however they come.
func TestWrongTableAcceptsLater(t *testing.T) {
	for skip := range 3 {
		k, _, forged, others := planted(t)
		first := others[:sampleFirst+skip*20]
		must.Do(t, k.Verify(first, make([]bool, len(first))))
		disagreement(t, k, slices.Repeat([]Item{forged}, sampleEvery))
	}
}
