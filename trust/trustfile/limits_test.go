package trustfile

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"maps"
	"runtime"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/vectors"
	"github.com/svc-edge/svc-verify/trust"
)

// TestManyNodes: the reports on a trust file use memory that grows as the file does. The
// allocations count the work: going through all keys for each node would make sixty-four times
// as many for eight times the keys.
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

// work returns how many bytes are allocated to describe a trust file, and the size of the
// description.
func work(root *trust.Root, say func(*trust.Root) int) (allocated int64, said int) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	said = say(root)
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc), said
}

// private returns the n-th test key.
func private(n byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
}

func public(n byte) string { return encode(private(n).Public().(ed25519.PublicKey)) }

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// parse reads a trust file in which the text of each given member is replaced,
// or the member removed where the text is empty.
func parse(t must.T, changes map[string]string) *trust.Root {
	members := map[string]json.RawMessage{}
	for name, text := range map[string]string{
		"audit_keys":            `{"audit-1": "` + public(1) + `"}`,
		"protected_signer_keys": `{"signer-1": "` + public(2) + `"}`,
		"registries":            `{"1": "` + encode(make([]byte, 32)) + `"}`,
		"nodes": `{"node-a": "` + public(3) + `", "node-b": "` + public(4) + `", "node-b/2": "` +
			public(5) + `"}`,
		"minimum_audit_witnesses": "2",
	} {
		members[name] = json.RawMessage(text)
	}
	for name, text := range changes {
		members[name] = json.RawMessage(text)
	}
	maps.DeleteFunc(members, func(_ string, text json.RawMessage) bool { return len(text) == 0 })
	doc := must.Get(json.Marshal(members))(t)
	return must.Get(trust.Parse(doc))(t)
}
