package change_test

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"testing"

	"filippo.io/edwards25519"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/trust/change"
	"github.com/svc-edge/svc-verify/trust/trustfile"
)

// key returns the n-th public key of these tests, from 1.
func key(n int) trust.PublicKey {
	p := edwards25519.NewGeneratorPoint()
	for range n {
		p.Add(p, edwards25519.NewGeneratorPoint())
	}
	return trust.PublicKey(p.Bytes())
}

// file is a trust file whose keys are given by number.
type file struct {
	audit, signer, nodes map[string]int
	registries           map[int64]byte
	quorum               int
}

func basic() file {
	return file{map[string]int{"audit-1": 1}, map[string]int{"signer-1": 2},
		map[string]int{"a": 3, "b": 4, "c": 5}, map[int64]byte{1: 1}, 2}
}

func (f file) root(t must.T) *trust.Root {
	keys := func(numbers map[string]int) map[string]trust.PublicKey {
		all := map[string]trust.PublicKey{}
		for id, n := range numbers {
			all[id] = key(n)
		}
		return all
	}
	pins := map[int64][sha256.Size]byte{}
	for g, b := range f.registries {
		pins[g] = [sha256.Size]byte{b}
	}
	_, root, err := trustfile.Assemble(trustfile.Draft{Audit: keys(f.audit), Signer: keys(f.signer), Nodes: keys(f.nodes),
		Registries: pins, MinimumWitnesses: f.quorum})
	must.Do(t, err)
	return root
}

// with returns the file with one thing changed.
func with(f func(*file)) file {
	b := basic()
	f(&b)
	return b
}

const nothing = "Nothing differs that a verdict can depend on."

func TestKeys(t *testing.T) {
	for name, tt := range map[string]struct {
		to   file
		want []string
	}{
		"nothing":  {basic(), nil},
		"added":    {with(func(f *file) { f.nodes["d"] = 6 }), []string{"added node d"}},
		"removed":  {with(func(f *file) { delete(f.nodes, "c") }), []string{"removed node c"}},
		"replaced": {with(func(f *file) { f.audit["audit-1"] = 7 }), []string{"replaced audit audit-1"}},
		"renamed": {with(func(f *file) { delete(f.nodes, "c"); f.nodes["d"] = 5 }),
			[]string{"moved node c → node d"}},
		"another role": {with(func(f *file) { delete(f.nodes, "c"); f.audit["c"] = 5 }),
			[]string{"moved node c → audit c"}},
		"exchanged": {with(func(f *file) { f.nodes["a"], f.nodes["b"] = 4, 3 }),
			[]string{"moved node a → node b", "moved node b → node a"}},
		"the successor moved": {with(func(f *file) { delete(f.nodes, "b"); f.nodes["a"] = 4 }),
			[]string{"removed node a", "moved node b → node a"}},
		"moved, and another in its place": {with(func(f *file) { f.nodes["a"], f.nodes["d"] = 7, 3 }),
			[]string{"added node a", "moved node a → node d"}},
	} {
		d := change.Between(basic().root(t), tt.to.root(t), 1)
		var got []string
		for _, k := range d.Keys {
			switch {
			case k.Change == change.Moved:
				got = append(got, fmt.Sprintf("moved %s %s → %s %s", k.Before.Role, k.Before.ID, k.After.Role, k.After.ID))
			case k.Before != nil:
				got = append(got, fmt.Sprintf("%s %s %s", k.Change, k.Before.Role, k.Before.ID))
			default:
				got = append(got, fmt.Sprintf("%s %s %s", k.Change, k.After.Role, k.After.ID))
			}
		}
		check.That(t, slices.Equal(got, tt.want), "%s: %q, want %q", name, got, tt.want)
		check.That(t, d.Same == (tt.want == nil) && d.Same == slices.Contains(d.Sentences, nothing),
			"%s: same is %t, %q", name, d.Same, d.Sentences)
	}
}

// TestOther: registries, nodes and the quorum.
func TestOther(t *testing.T) {
	d := change.Between(basic().root(t), with(func(f *file) {
		f.registries = map[int64]byte{1: 2, 3: 3}
		f.nodes = map[string]int{"a": 3, "a/2": 8, "b": 4, "d": 9}
		f.quorum = 0
	}).root(t), 0)
	check.That(t, len(d.Registries) == 2 && d.Registries[0].Change == change.Replaced &&
		d.Registries[1].Change == change.Added, "registries %+v", d.Registries)
	check.That(t, len(d.Nodes) == 2 && d.Nodes[0] == (change.Node{Change: change.Removed, Node: "c", Keys: 1}) &&
		d.Nodes[1].Node == "d", "nodes %+v", d.Nodes)
	check.That(t, slices.Contains(d.Sentences, "A checkpoint needs 0 witnesses instead of 2."), "%q", d.Sentences)
	check.That(t, d.Quorum != nil && *d.Quorum == (change.Quorum{Before: 2, After: 0}) && d.Approvals == 1,
		"quorum %+v, approvals %d", d.Quorum, d.Approvals)
}

// TestTouches: keys and pins of either file that differ, and the numbers of witnesses that meet one
// demand only.
func TestTouches(t *testing.T) {
	other := with(func(f *file) {
		f.audit["audit-1"], f.nodes["d"], f.quorum = 7, 6, 4
		delete(f.nodes, "c")
		f.registries = map[int64]byte{1: 2, 2: 1}
	})
	for _, files := range [][2]file{{basic(), other}, {other, basic()}} {
		touched := change.Touches(files[0].root(t), files[1].root(t))
		check.That(t, maps.Equal(touched.Keys, map[change.Reference]bool{{Role: trust.Audit, ID: "audit-1"}: true,
			{Role: trust.Node, ID: "c"}: true, {Role: trust.Node, ID: "d"}: true}), "keys %v", touched.Keys)
		check.That(t, maps.Equal(touched.Generations, map[int64]bool{1: true, 2: true}), "pins %v", touched.Generations)
		for n, meetsOne := range []bool{false, false, true, true, false, false} {
			check.Equal(t, touched.Witnesses(n), meetsOne, "%d witnesses", n)
		}
	}
	check.That(t, change.Touches(basic().root(t), basic().root(t)).Nothing(), "a file touches itself")
	pinned := with(func(f *file) { f.registries = map[int64]byte{1: 2} })
	check.That(t, !change.Touches(basic().root(t), pinned.root(t)).Nothing(), "another pin touches nothing")
}

// draw draws a trust file of few keys, so that two have much in common.
func draw(t *rapid.T, name string) file {
	ids := func(role string, names []string, first, last int) map[string]int {
		chosen := map[string]int{}
		public := numbers(first, last)
		if rapid.Bool().Draw(t, name+role+" moved") {
			public = rapid.Permutation(public).Draw(t, name+role+" keys")
		}
		for i, id := range names {
			if i == 0 || rapid.Bool().Draw(t, name+id) {
				chosen[id] = public[i]
			}
		}
		return chosen
	}
	return file{ids("audit", []string{"x", "y"}, 1, 3), ids("signer", []string{"s", "t"}, 4, 6),
		ids("node", []string{"a", "a/2", "b", "b/2", "c", "d"}, 7, 14), map[int64]byte{1: 1},
		rapid.IntRange(0, 4).Draw(t, name+"quorum")}
}

func numbers(first, last int) (list []int) {
	for n := first; n <= last; n++ {
		list = append(list, n)
	}
	return list
}

// TestCoalitions compares the numbers of sets with counting the sets one by one, and the effects
// with the nodes that are needed.
func TestCoalitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from, to := draw(t, "from "), draw(t, "to ")
		approvals := rapid.IntRange(1, 3).Draw(t, "approvals")
		d := change.Between(from.root(t), to.root(t), approvals)
		before, after := nodesNeeded(t, from, approvals), nodesNeeded(t, to, approvals)
		ways := maps.Clone(before)
		maps.Copy(ways, after)
		check.Equal(t, len(d.Coalitions), len(ways), "ways")
		for _, c := range d.Coalitions {
			effect := []string{change.Easier, change.Unchanged, change.Harder}[1+cmp.Compare(
				cmp.Or(after[c.Name], tooMany), cmp.Or(before[c.Name], tooMany))]
			if effect == change.Unchanged && (c.New != "0" || c.Gone != "0") {
				effect = change.OtherHolders
			}
			check.Equal(t, c.Effect, effect, "%s: the effect", c.Name)
			got, want := c.New, notIn(to, from, c.After, c.Before)
			check.That(t, got == want.String(), "%s: %s new sets, want %s", c.Name, got, want)
			got, want = c.Gone, notIn(from, to, c.Before, c.After)
			check.That(t, got == want.String(), "%s: %s sets gone, want %s", c.Name, got, want)
		}
		check.That(t, len(d.Sentences) != 0, "nothing is said")
	})
}

// tooMany is more nodes than a file has.
const tooMany = 99

// nodesNeeded returns how many nodes each way to forge needs.
func nodesNeeded(t *rapid.T, f file, approvals int) map[string]int {
	needed := map[string]int{}
	for _, way := range trustfile.Explain(f.root(t), approvals).Threats {
		if needed[way.Name] = way.Nodes; way.Nodes < 0 {
			needed[way.Name] = tooMany
		}
	}
	return needed
}

// notIn counts the smallest sets of one file that are not enough for the other.
func notIn(of, other file, needs, before *trustfile.Threat) *big.Int {
	count := new(big.Int)
	if needs == nil || needs.Nodes < 0 {
		return count
	}
	nodes := map[string][]int{}
	for id, k := range of.nodes {
		nodes[id[:1]] = append(nodes[id[:1]], k)
	}
	names := slices.Sorted(maps.Keys(nodes))
	for _, audit := range of.audit {
		for _, signer := range of.signer {
			for set := range 1 << len(names) {
				chosen, known := 0, 0
				for i, name := range names {
					if set>>i&1 == 0 {
						continue
					}
					chosen++
					if slices.ContainsFunc(nodes[name],
						func(k int) bool { return other.nodes[name] == k || other.nodes[name+"/2"] == k }) {
						known++
					}
				}
				enough := before != nil && before.Nodes >= 0 && known >= before.Nodes && holds(other.audit, audit) &&
					holds(other.signer, signer)
				if chosen == needs.Nodes && !enough {
					count.Add(count, big.NewInt(1))
				}
			}
		}
	}
	return count
}

func holds(keys map[string]int, k int) bool {
	return slices.Contains(slices.Collect(maps.Values(keys)), k)
}

// TestManyKeys: two files without a key in common, with as many as there can be.
func TestManyKeys(t *testing.T) {
	d := change.Between(fleet(t, 0), fleet(t, 2000), 1)
	check.That(t, len(d.Keys) == 2000 && d.Keys[0].Change == change.Replaced, "%d keys differ", len(d.Keys))
}

func fleet(t *testing.T, first int) *trust.Root {
	nodes := map[string]trust.PublicKey{}
	p := edwards25519.NewGeneratorPoint()
	for range first + 10 {
		p.Add(p, edwards25519.NewGeneratorPoint())
	}
	for i := range 2000 {
		p.Add(p, edwards25519.NewGeneratorPoint())
		nodes[fmt.Sprintf("n%06d", i)] = trust.PublicKey(p.Bytes())
	}
	_, root := must.Two(trustfile.Assemble(trustfile.Draft{Audit: map[string]trust.PublicKey{"a": key(1)},
		Signer: map[string]trust.PublicKey{"s": key(2)}, Nodes: nodes, Registries: map[int64][32]byte{1: {1}},
		MinimumWitnesses: 1000}))(t)
	return root
}
