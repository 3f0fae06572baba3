package block

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/chain"
)

// TestSkips: sequences in any order name what chain says.
func TestSkips(t *testing.T) {
	var s skips
	for n := range uint64(1_000_000) {
		if got, want := s.of(n), chain.Skip(n); got != want {
			t.Fatalf("%d: %d, want %d", n, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		var s skips
		n := rapid.Uint64Range(0, 1<<60).Draw(t, "from")
		for range 200 {
			if got, want := s.of(n), chain.Skip(n); got != want {
				t.Fatalf("%d: %d, want %d", n, got, want)
			}
			n += rapid.SampledFrom([]uint64{1, 1, 1, 2, 9841, 1 << 63}).Draw(t, "step")
		}
	})
}
