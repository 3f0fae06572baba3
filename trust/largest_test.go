//go:build heavy

package trust

import (
	"runtime"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/eddsa"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/vectors"
)

// allocated returns how many bytes a function allocates.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// TestLargestFile: a trust file has up to 65,536 node keys, and is read with memory that grows
// as its size does. The data that a session keeps of each key besides the tables is bounded,
// when all have been used.
func TestLargestFile(t *testing.T) {
	doc := file(map[string]string{"nodes": vectors.NodeKeys(form.MaxNodeKeys, 4)})
	var root *Root
	took := allocated(func() { root = must.Get(Parse(doc))(t) })
	if most := int64(16*len(doc)) + 1<<20; took > most {
		t.Errorf("%d bytes for a file of %d, want at most %d", took, len(doc), most)
	}
	check.That(t, len(root.Keys(Node)) == form.MaxNodeKeys && root.NodeCount() == form.MaxNodeKeys/4 &&
		len(root.Nodes()) == root.NodeCount(), "%d keys of %d nodes", len(root.Keys(Node)), root.NodeCount())
	if keys := root.NodeKeys(root.Nodes()[7]); len(keys) != 4 || keys[3].Node != root.Nodes()[7] {
		t.Errorf("the keys of a node are %v", keys)
	}
	keys := eddsa.NewKeys(SessionMemory)
	took = allocated(func() {
		for _, k := range root.Keys(Node) {
			keys.Of(k.Public)
		}
	})
	check.That(t, took <= SessionMemory, "%d bytes for the keys alone", took)
}
