package unwrap

import (
	"maps"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/harness/worst"
)

// TestWorkIsLinear: of twice as much, twice as much is looked at.
func TestWorkIsLinear(t *testing.T) {
	n := 20_000
	if testing.Short() {
		n = 4_000
	}
	for _, texts := range []func(int) map[string]string{worst.Texts, worst.Wrapped} {
		half, whole := texts(n), texts(2*n)
		for _, name := range slices.Sorted(maps.Keys(half)) {
			var f, g Finder
			f.Find([]byte(half[name]))
			g.Find([]byte(whole[name]))
			if float64(g.Looked) > 2.2*float64(f.Looked) {
				t.Errorf("%s: %d octets looked at in %d, %d in %d", name, f.Looked, len(half[name]), g.Looked, len(whole[name]))
			}
		}
	}
}
