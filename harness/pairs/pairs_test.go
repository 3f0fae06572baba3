package pairs

import (
	"bytes"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
)

// TestPairs: the names are distinct, the pairs are always the same, and there is
// one of each code. That they contradict each other, package contradiction tests.
func TestPairs(t *testing.T) {
	all := All()
	again := all
	if !testing.Short() {
		again = All()
	}
	names, codes := map[string]bool{}, map[string]int{}
	for i, p := range all {
		check.That(t, !names[p.Name] && p.Title != "" && !bytes.Equal(p.A, p.B),
			"%s stands twice, or has no title, or is of one document", p.Name)
		names[p.Name] = true
		codes[p.Code+" "+p.Shows]++
		check.That(t, bytes.Equal(p.A, again[i].A) && bytes.Equal(p.B, again[i].B), "%s is not always the same", p.Name)
	}
	check.That(t, len(codes) == 8 && codes[" "] >= 8,
		"not each code, each thing that is shown, and eight near misses: %v", codes)
}
