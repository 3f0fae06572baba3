package evidence

import (
	"math/rand/v2"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestFilter: what was taken in is remembered, and few others seem to be, at both
// loads that the package names.
func TestFilter(t *testing.T) {
	for most, size := range map[int]uint64{20: 1 << 20, 100: 1 << 21} {
		const hashes = 1 << 17
		random := rand.New(rand.NewPCG(size, 1))
		f, others := NewFilter(size), 0
		for range hashes {
			f.Add(random.Uint64())
		}
		random = rand.New(rand.NewPCG(size, 1))
		for range hashes {
			must.That(t, f.Has(random.Uint64()), "a hash was forgotten")
		}
		for range hashes {
			if f.Has(random.Uint64()) {
				others++
			}
		}
		check.That(t, others != 0 && others <= hashes/most,
			"%d bits: %d of %d others seem to be remembered, want less than one in %d", size, others, hashes, most)
	}
	check.That(t, !Filter(nil).Has(1), "the nil Filter has a hash")
}
