package bundle

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
)

// stuffed are documents that are bundles by their members, and very large in one
// of them.
func stuffed(size int) map[string][]byte {
	list := func(element string) string {
		return "[" + strings.Repeat(element+",", size/(len(element)+1)) + element + "]"
	}
	object := func(form string) string {
		var b strings.Builder
		b.WriteByte('{')
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, form, i)
		}
		return b.String() + `"last":1}`
	}
	all := map[string][]byte{}
	for name, value := range map[string]string{
		"numbers": list("1"), "objects": list("{}"), "spaced numbers": list(" 1"), "members": object(`"%x":1,`),
		"spaced members": object(`"%x": 1,`),
		"spaced lists":   list("[1, 1]"), "envelopes": list(`{"statement": {},"key_id":1}`), "escapes": list(`"\u0061"`),
	} {
		for _, where := range []string{
			`{"protocol":"svc.proof-bundle.v1","approvals":%s}`, `{"manifest":{"terms":%s}}`, `{"manifest":%s}`,
			`{"checkpoint":{"statement":%s}}`,
			`{"signer_registries":[%s]}`, `{"audit_path":{"links":%s}}`, `{"audit_path":{"links":[{"event":%s}]}}`,
			`{"x":%s}`, `%s`,
		} {
			all[name+" in "+where] = fmt.Appendf(nil, where, value)
		}
	}
	return all
}

// TestMemory: opening a bundle allocates at most eight bytes for each of its own,
// and something for each, whatever it holds.
func TestMemory(t *testing.T) {
	const size, most, free = 1 << 18, 8, 3 << 19
	all := stuffed(size)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		in := Open(all[name])
		runtime.ReadMemStats(&after)
		must.That(t, in.Bundle == nil, "%s: a bundle", name)
		took := int64(after.TotalAlloc - before.TotalAlloc)
		if took > int64(most*len(all[name])+free) {
			t.Errorf("%s: %.1f bytes for each of %d", name, float64(took)/float64(len(all[name])), len(all[name]))
		}
	}
}
