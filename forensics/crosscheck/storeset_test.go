package crosscheck

import (
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"

	"pgregory.net/rapid"
)

// TestStoreSet: sets of stores are what sets of numbers are, and no set changes another.
func TestStoreSet(t *testing.T) {
	numbers := rapid.SliceOfDistinct(rapid.IntRange(0, 200), func(n int) int { return n })
	of := func(all []int) (s storeSet) {
		for _, n := range all {
			s = s.union(setOf(n))
		}
		return s
	}
	rapid.Check(t, func(r *rapid.T) {
		a, b, n := numbers.Draw(r, "a"), numbers.Draw(r, "b"), rapid.IntRange(0, 200).Draw(r, "n")
		x, y := of(a), of(b)
		both := slices.Sorted(slices.Values(slices.Concat(a, b)))
		without := slices.DeleteFunc(slices.Clone(a), func(m int) bool { return m == n })
		slices.Sort(without)
		for what, holds := range map[string]bool{
			"union":   slices.Equal(slices.Collect(x.union(y).all()), slices.Compact(both)),
			"without": slices.Equal(slices.Collect(x.without(n).all()), without),
			"has":     x.has(n) == slices.Contains(a, n),
			"other":   x.other(n) == (len(without) > 0),
			"count":   x.count() == len(a),
			"meets":   x.meets(y) == slices.ContainsFunc(a, func(m int) bool { return slices.Contains(b, m) }),
			"as it was": slices.Equal(slices.Collect(x.all()), slices.Sorted(slices.Values(a))) &&
				slices.Equal(slices.Collect(y.all()), slices.Sorted(slices.Values(b))),
		} {
			check.That(r, holds, "%s: %v, %v, %d", what, a, b, n)
		}
	})
}
