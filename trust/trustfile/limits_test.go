package trustfile

import (
	"runtime"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/vectors"
	"github.com/svc-edge/svc-verify/trust"
)

// TestManyNodes: what is said of a trust file takes memory that grows as the file
// does. The allocations count the work: going through all keys for each node would
// make sixty-four times as many for eight times the keys.
func TestManyNodes(t *testing.T) {
	few, many := nodes(t, 1<<8), nodes(t, 1<<11)
	for name, say := range map[string]func(*trust.Root) int{
		"lint":        func(r *trust.Root) int { return len(Lint(r, nil)) },
		"lint beside": func(r *trust.Root) int { return len(LintBeside(r, r)) },
		"explain":     func(r *trust.Root) int { return len(Explain(r, 2).Nodes) },
		"fingerprint": func(r *trust.Root) int { return len(Fingerprints(r)) },
	} {
		less, said := work(few, say)
		more, all := work(many, say)
		check.That(t, all >= 7*said && more <= 12*less+1<<20, "%s: %d bytes for %d, %d bytes for %d", name, less, said,
			more, all)
	}
}

// TestManyGenerations: a notice about a node with many keys names the first.
func TestManyGenerations(t *testing.T) {
	for keys, want := range map[int]int{mostIDs: mostIDs * 120, 1 << 12: (mostIDs + 2) * 120} {
		for _, n := range Lint(parse(t, map[string]string{"nodes": vectors.NodeKeys(keys, keys)}), nil) {
			check.That(t, len(n.Sentence) <= want+200, "%d keys: a sentence of %d bytes", keys, len(n.Sentence))
		}
	}
}

// nodes returns a trust file with so many nodes of two keys each.
func nodes(t *testing.T, n int) *trust.Root {
	return parse(t, map[string]string{"nodes": vectors.NodeKeys(2*n, 2)})
}

// work returns how many bytes it takes to say something of a trust file, and how much
// is said.
func work(root *trust.Root, say func(*trust.Root) int) (allocated int64, said int) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	said = say(root)
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc), said
}
