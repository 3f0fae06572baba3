package read_test

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/harness/worst"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestWorkIsLinear: of twice as much, twice as much is looked at.
func TestWorkIsLinear(t *testing.T) {
	looked := func(input string) int64 {
		return must.Get(read.Looked(t.Context(), bytes.NewReader([]byte(input)), read.Options{}, &dumps.Found{}))(t)
	}
	n := 40_000
	if testing.Short() {
		n = 10_000
	}
	half, whole := worst.Texts(n), worst.Texts(2*n)
	for _, name := range slices.Sorted(maps.Keys(half)) {
		once, twice := looked(half[name]), looked(whole[name])
		if once == 0 || float64(twice) > 2.2*float64(once) {
			t.Errorf("%s: %d octets looked at in %d, %d in %d", name, once, len(half[name]), twice, len(whole[name]))
		}
	}
}
