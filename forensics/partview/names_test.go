package partview

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestNames: a reference leads to the copy that it was made for, and no two copies have
// one reference; that of a first copy is positive, and all others are negative.
func TestNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		logs := rapid.SampledFrom([]int{1, 2, 3, 1000, 1 << 20}).Draw(t, "logs")
		n, seen := newNames(logs), map[facts.Ref]name{}
		near := rapid.Uint64Range(0, 1<<53-1).Draw(t, "near")
		for range rapid.IntRange(1, 60).Draw(t, "copies") {
			of := name{log: rapid.Int64Range(1, int64(logs)).Draw(t, "log"),
				sequence: rapid.OneOf(rapid.Uint64Range(1, 1<<53-1), rapid.Uint64Range(near, near+1<<21),
					rapid.SampledFrom([]uint64{1, 1 << 20, 1 << 40, 1<<40 - 1, 1 << 52})).Draw(t, "sequence"),
				variant: rapid.OneOf(rapid.Just(0), rapid.IntRange(0, 5), rapid.IntRange(1000, 5000),
					rapid.IntRange(0, 1<<30)).Draw(t, "variant")}
			ref := must.Get(n.ref(of))(t)
			if got, ok := n.nameOf(ref); !ok || got != of || ref > 0 != (of.variant == 0) || ref == 0 {
				t.Fatalf("%+v has the reference %d, which leads to %+v, %v", of, ref, got, ok)
			}
			if other, ok := seen[ref]; ok && other != of {
				t.Fatalf("%+v and %+v have the reference %d", of, other, ref)
			}
			seen[ref] = of
		}
	})
}

// TestPages: ordinary evidence has no page, and hostile evidence comes to a bound.
func TestPages(t *testing.T) {
	n := newNames(1000)
	for sequence := uint64(1); sequence < 1<<40; sequence = sequence*3 + 1 {
		for _, variant := range []int{0, 1, 4095} {
			if _, err := n.ref(name{1000, sequence, variant}); err != nil || len(n.pages) > 0 {
				t.Fatalf("event %d, copy %d: %d pages, %v", sequence, variant, len(n.pages), err)
			}
		}
	}
	n.pages = make([]name, mostPages-1)
	must.Get(n.ref(name{1, 1<<53 - 1, 1}))(t)
	check.That(t, check.Err(n.ref(name{1, 1 << 52, 1})) != nil, "there are more pages than there may be")
}

// TestFilter: all transactions come through a filter that came in the order that is asked
// for, and few others, whether there are a hundred thousand or five million.
func TestFilter(t *testing.T) {
	for _, all := range []int{100_000, 5_000_000} {
		if !testing.Short() || all < 1_000_000 {
			tryFilter(t, all)
		}
	}
}

func tryFilter(t *testing.T, all int) {
	const twice = 1000
	f := newFilter(128 * int64(all))
	id := func(n int) string { return fmt.Sprintf("tx-%09d", n) }
	for n := range all {
		f.addTwice(id(n))
	}
	for n := range twice {
		f.addTwice(id(n * (all / twice)))
	}
	passed := 0
	for n := range all {
		passes := f.passes(id(n))
		if passes {
			passed++
		} else if n%(all/twice) == 0 {
			t.Fatalf("%s came twice and does not pass", id(n))
		}
	}
	others := passed - twice
	check.That(t, others <= all/100, "%d of %d pass that came once", others, all)
}

// sequences are a content with a copy for each of them, which ascend.
type sequences struct {
	part.Content
	all []uint64
}

// Copies implements part.Content.
func (s sequences) Copies(_ context.Context, _ facts.Log, from uint64) iter.Seq2[*part.Copy, error] {
	return func(yield func(*part.Copy, error) bool) {
		for i, n := range s.all {
			c := part.Copy{Size: int64(i)}
			if c.Sequence = n; n >= from && !yield(&c, nil) {
				return
			}
		}
	}
}

// TestNearby: the copies that are held are those of the content, for any questions.
func TestNearby(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := rapid.SampledFrom([]uint64{6, 200}).Draw(t, "highest") // with 6, there are crowds
		all := rapid.SliceOfN(rapid.Uint64Range(1, top), 0, 80).Draw(t, "sequences")
		slices.Sort(all)
		n := nearby{most: rapid.IntRange(1, 12).Draw(t, "most")}
		hits := 0
		for range 30 {
			from := rapid.Uint64Range(1, top+9).Draw(t, "from")
			to := from + rapid.Uint64Range(0, 9).Draw(t, "more")
			got, held, err := n.copiesWithin(t.Context(), sequences{all: all}, facts.Log{}, from, to)
			must.Do(t, err)
			if !held {
				continue
			}
			hits++
			var want []int64
			for i, s := range all {
				if s >= from && s <= to {
					want = append(want, int64(i))
				}
			}
			var found []int64
			for _, c := range got {
				found = append(found, c.Size)
			}
			must.That(t, slices.Equal(found, want), "from %d to %d: copies %v, want %v", from, to, found, want)
		}
		must.That(t, hits > 0 || len(all) > 2, "no question was answered from what is held")
	})
}

// TestNearbyGaps: questions about both sides of one gap after the other, however wide they are,
// are answered from the copies that are held.
func TestNearbyGaps(t *testing.T) {
	var all []uint64
	for i := range uint64(2000) {
		all = append(all, 1+i*1_000_003)
	}
	n, missed := nearby{most: mostNear}, 0
	for i := range all[1:] {
		for _, at := range []uint64{all[i+1], all[i], all[i+1], all[i]} {
			_, held := must.Two(n.copiesWithin(t.Context(), sequences{all: all}, facts.Log{}, at, at))(t)
			if !held {
				missed++
			}
		}
	}
	must.That(t, missed <= 10, "%d questions were not answered from what is held", missed)
}
