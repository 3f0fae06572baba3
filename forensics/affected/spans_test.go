package affected

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/must"
)

// TestSpans: joined spans are ascending and apart, and contain and count the same events as a set.
func TestSpans(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var all []span
		set := map[uint64]bool{}
		for range rapid.IntRange(0, 8).Draw(r, "spans") {
			first := rapid.Uint64Range(1, 40).Draw(r, "first")
			s := span{first, first + rapid.Uint64Range(0, 6).Draw(r, "length")}
			for n := s.first; n <= s.last; n++ {
				set[n] = true
			}
			all = append(all, s)
		}
		joined := joinSpans(all)
		count := uint64(0)
		for n := uint64(0); n <= 50; n++ {
			if set[n] {
				count++
			}
			must.That(t, joined.contain(n) == set[n] && joined.countUpTo(n) == count, "%v: event %d", joined, n)
		}
		for i := range joined {
			must.That(t, i <= 0 || joined[i].first > joined[i-1].last+1, "%v touch", joined)
		}
	})
}
