package layout

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestPlans: every two choices that go together are together in some plan, and no
// plan is there twice.
func TestPlans(t *testing.T) {
	all := pairwisePlans()
	seen := map[plan]bool{}
	for _, p := range all {
		check.That(t, !seen[p] && p.isPossible(), "%s is there twice or impossible", p)
		seen[p] = true
	}
	for a := range axes {
		for b := a + 1; b < axes; b++ {
			for _, x := range choices[a] {
				for _, y := range choices[b] {
					have := slices.ContainsFunc(all, func(p plan) bool { return p[a] == x && p[b] == y })
					p := plainestPlan()
					p[a], p[b] = x, y
					check.Equal(t, have, p.isPossible(), "%s with %s", x, y)
				}
			}
		}
	}
}

// TestSameBytes: the same evidence gives the same layouts, each under a name of
// its own, and some of every kind.
func TestSameBytes(t *testing.T) {
	e := must.Get(fleet.Build(fleet.Scene, 1, 200))(t)
	all := must.Get(All(e))(t)
	again := must.Get(All(e))(t)
	names := map[string]bool{}
	half, lacking := 0, 0
	for i, l := range all {
		check.That(t, !names[l.Name], "%s is there twice", l.Name)
		names[l.Name] = true
		if l.HalfWritten {
			half++
		}
		if len(l.Lacking) > 0 {
			lacking++
		}
		must.That(t, slices.Equal(slices.Sorted(maps.Keys(l.Files)), slices.Sorted(maps.Keys(again[i].Files))),
			"%s has other files the second time", l.Name)
		for name, file := range l.Files {
			a, errA := file.Bytes()
			b, errB := again[i].Files[name].Bytes()
			check.That(t, errA == nil && errB == nil && bytes.Equal(a, b),
				"%s: %s has other bytes the second time", l.Name, name)
		}
	}
	check.That(t, half >= 5 && lacking >= 5 && half+lacking <= len(all)-10,
		"of %d layouts %d end in half a record, and %d lack something", len(all), half, lacking)
}
