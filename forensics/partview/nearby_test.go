package partview

import (
	"context"
	"iter"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/must"
)

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

// TestNearby: the copies that are held equal the content's copies, for any questions.
func TestNearby(t *testing.T) {
	hits := 0 // of all draws: in some, all questions are about a crowd
	rapid.Check(t, func(t *rapid.T) {
		top := rapid.SampledFrom([]uint64{6, 200}).Draw(t, "highest") // with 6, there are crowds
		all := rapid.SliceOfN(rapid.Uint64Range(1, top), 0, 80).Draw(t, "sequences")
		slices.Sort(all)
		n := nearby{most: rapid.IntRange(1, 12).Draw(t, "most")}
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
	})
	must.That(t, hits > 0, "no question was answered from what is held")
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
