package trust

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

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

// TestLargestFile: a trust file has up to 65,536 node keys, and is read with
// memory that grows as its size does.
func TestLargestFile(t *testing.T) {
	nodes := vectors.NodeKeys(form.MaxNodeKeys+1, 4)
	last := strings.LastIndex(nodes, ",")
	doc := file(map[string]string{"nodes": nodes[:last] + "}"})
	var root *Root
	took := allocated(func() {

		root = must.Get(Parse(doc))(t)
	})
	if most := int64(16*len(doc)) + 1<<20; took > most {
		t.Errorf("%d bytes for a file of %d, want at most %d", took, len(doc), most)
	}
	if len(root.Keys(Node)) != form.MaxNodeKeys || root.NodeCount() != form.MaxNodeKeys/4 ||
		len(root.Nodes()) != root.NodeCount() {
		t.Errorf("%d keys of %d nodes", len(root.Keys(Node)), root.NodeCount())
	}
	if keys := root.NodeKeys(root.Nodes()[7]); len(keys) != 4 || keys[3].Node != root.Nodes()[7] {
		t.Errorf("the keys of a node are %v", keys)
	}
	refused(t, file(map[string]string{"nodes": nodes}), form.BadValue, "/nodes")
}

// TestSessionOfLargestFile: what a session keeps of each key besides the tables is
// bounded, when all have been used.
func TestSessionOfLargestFile(t *testing.T) {
	root := must.Get(Parse(file(map[string]string{"nodes": vectors.NodeKeys(form.MaxNodeKeys, 1)})))(t)
	keys := eddsa.NewKeys(SessionMemory)
	took := allocated(func() {
		for _, k := range root.Keys(Node) {
			keys.Of(k.Public)
		}
	})
	if took > SessionMemory {
		t.Errorf("%d bytes for the keys alone", took)
	}
}

// TestOtherSections: the sections that did not grow have 1024 members at most.
func TestOtherSections(t *testing.T) {
	pins := func(n int) string {
		var members []string
		for i := range n {
			members = append(members, fmt.Sprintf(`"%d": %q`, i+1, encode(make([]byte, 32))))
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	keys := func(n int) string {
		return strings.ReplaceAll(vectors.NodeKeys(n, 1), strings.Repeat("0", 90), "key-")
	}
	for member, of := range map[string]func(int) string{
		"audit_keys": keys, "protected_signer_keys": keys, "registries": pins,
	} {
		if _, err := Parse(file(map[string]string{member: of(form.MaxList)})); err != nil {
			t.Errorf("%s: %v", member, err)
		}
		refused(t, file(map[string]string{member: of(form.MaxList + 1)}), form.BadValue, "/"+member)
	}
}

// TestSize: a trust file has at most 16 MiB.
func TestSize(t *testing.T) {
	doc := file(nil)
	doc = append(doc, strings.Repeat(" ", form.MaxTrust-len(doc))...)
	if _, err := Parse(doc); err != nil || len(doc) != 16<<20 {
		t.Errorf("of %d bytes: %v", len(doc), err)
	}
	refused(t, append(doc, ' '), form.TooLarge, "")
}

func refused(t *testing.T, doc []byte, code, pointer string) {
	t.Helper()
	_, err := Parse(doc)
	var faults Faults
	if !errors.As(err, &faults) || len(faults) != 1 || faults[0].Code != code || faults[0].Path != pointer {
		t.Errorf("refused with %v, want %s at %q", err, code, pointer)
	}
}
