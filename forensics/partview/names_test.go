package partview

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/forensics/facts"
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
			if got, ok := n.of(ref); !ok || got != of || ref > 0 != (of.variant == 0) || ref == 0 {
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
