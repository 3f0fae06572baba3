package eddsa

import (
	"maps"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/vectors"
)

// TestPublicVectors: the tables give the verdicts of the public vectors, each
// key's at once. One key in eight has wide tables too, and with -short only one key
// in four has any.
func TestPublicVectors(t *testing.T) {
	items, want := map[string][]Item{}, map[string][]bool{}
	for _, v := range vectors.Ed25519(t) {
		key := string(v.Public)
		items[key] = append(items[key], Item{v.Message, v.Signature})
		want[key] = append(want[key], v.Valid)
	}
	for n, key := range slices.Sorted(maps.Keys(items)) {
		if testing.Short() && n%4 != 0 {
			continue
		}
		public := [32]byte([]byte(key))
		if n%8 == 0 {
			agree(t, public, items[key])
		}
		got := make([]bool, len(items[key]))
		must.Do(t, tabled(public).Verify(items[key], got))
		if !slices.Equal(got, want[key]) {
			t.Errorf("key %x, %d signatures: %t, the vectors say %t", public, len(got), got, want[key])
		}
	}
}
