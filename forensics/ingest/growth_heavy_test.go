//go:build heavy

package ingest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
)

// TestGrowth: whatever a file holds, a case uses at most ten bytes for each of its bytes after
// decompression, and something for the file.
func TestGrowth(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	all := worsts()
	kinds := make([]worst, 0, len(all))
	for _, name := range sortedKeys(all) {
		kinds = append(kinds, all[name])
	}
	for i := range 6 {
		all[fmt.Sprint("mix ", i)] = mixed(kinds)
		all[fmt.Sprint("mix of three ", i)] = mixed([]worst{kinds[r.IntN(len(kinds))], kinds[r.IntN(len(kinds))],
			kinds[r.IntN(len(kinds))]})
	}
	for _, name := range sortedKeys(all) {
		b, octets := all[name](r, growthInput)
		size := grown(t, b)
		t.Logf("%-30s %8d octets, %8d decompressed, %9d of case: %.2f", name, len(b), octets, size,
			float64(size-emptyCase)/float64(octets))
		most := int64(emptyCase + growthFree + mostGrowth*octets)
		check.That(t, size <= most,
			"%s: a case of %d octets from %d (%d after decompression), want at most %d", name, size, len(b), octets, most)
	}
}
