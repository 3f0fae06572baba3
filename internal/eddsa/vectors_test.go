package eddsa

import (
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/vectors"
)

// TestPublicVectors: the tables give the verdicts of the public vectors, each
// key's at once.
func TestPublicVectors(t *testing.T) {
	items, want := map[string][]Item{}, map[string][]bool{}
	for _, v := range vectors.Ed25519(t) {
		key := string(v.Public)
		items[key] = append(items[key], Item{v.Message, v.Signature})
		want[key] = append(want[key], v.Valid)
	}
	for key := range items {
		public := [32]byte([]byte(key))
		agree(t, public, items[key])
		got := make([]bool, len(items[key]))
		must.Do(t, tabled(public).Verify(items[key], got))
		for i, valid := range got {
			if valid != want[key][i] {
				t.Errorf("key %x, message %x, signature %x: %t, the vector says %t",
					public, items[key][i].Message, items[key][i].Signature, valid, want[key][i])
			}
		}
	}
}
