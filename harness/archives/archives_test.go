package archives

import (
	"bytes"
	"slices"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
)

var pool = sync.OnceValue(func() *Pool { return NewPool(1) })

func aPool(t *testing.T) *Pool {
	t.Helper()
	return pool()
}

// TestPool: bundles of a transaction differ, journals grow, and the same seed
// gives the same bytes.
func TestPool(t *testing.T) {
	p := aPool(t)
	for i, of := range p.Bundles {
		check.That(t, len(of) == Exports && !bytes.Equal(of[0], of[1]) && !bytes.Equal(of[1], of[2]),
			"transaction %d has no %d different bundles", i, Exports)
	}
	for i, ages := range p.Journals {
		for j := 1; j < len(ages); j++ {
			check.That(t, len(ages[j]) != len(ages[j-1]) && bytes.HasPrefix(ages[j], ages[j-1]),
				"journal %d did not grow between %d and %d", i, j-1, j)
		}
	}
	again := NewPool(1)
	check.That(t, bytes.Equal(p.Trust, again.Trust) &&
		bytes.Equal(slices.Concat(p.Bundles[3]...), slices.Concat(again.Bundles[3]...)),
		"the same seed gives other octets")
}
