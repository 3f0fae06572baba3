package bag

import (
	"math"
	"testing"

	"github.com/svc-edge/svc-verify/internal/form"
)

// TestOxumSum: files that were never written have more bytes together than a number can state.
// None is read, and later files are read as they would be without them.
func TestOxumSum(t *testing.T) {
	const all = math.MaxInt64
	for name, c := range map[string]struct {
		sizes []int64
		read  []bool
		sum   int64
	}{
		"three of 8 EiB":           {[]int64{all, all - 1, all}, make([]bool, 3), form.MaxInt},
		"two, and others":          {[]int64{all, 20, all, 21}, []bool{false, true, false, false}, form.MaxInt},
		"the largest number":       {[]int64{form.MaxInt}, make([]bool, 1), form.MaxInt},
		"one less than the number": {[]int64{form.MaxInt - 21, 21}, make([]bool, 2), form.MaxInt},
		"less":                     {[]int64{form.MaxInt - 22, 21}, make([]bool, 2), form.MaxInt - 1},
	} {
		k := &checker{}
		k.result.Info = []Tag{{Label: "Payload-Oxum", Value: "20.1"}}
		for i, size := range c.sizes {
			if got := k.withinOxum("data/a", &file{size: size}); got != c.read[i] {
				t.Errorf("%s: file %d is to be read: %t", name, i, got)
			}
		}
		if got := k.result.Payload.Octets; got != c.sum {
			t.Errorf("%s: %d octets, want %d", name, got, c.sum)
		}
	}
}
