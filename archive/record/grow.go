package record

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/timestamp"
)

// Forest has the hash trees of all chains of a record. They are over the objects of the
// archive, the seal, and the lists of leaves of later chains.
type Forest struct {
	chains  []Chain
	objects []grown
	trees   []*tree
}

// grown is an object: the chain that it begins in, its digests and its leaves from there.
type grown struct {
	from            int
	digests, leaves []seal.Digest
}

// Grow computes the trees of the chains of a seal's record over an inventory. The record is
// nil if there is none. The inventory may have one hash more than the record has chains, for
// a chain that is to begin. It costs a hash over all earlier chains for each object.
func Grow(r *Record, sealFile []byte, v *Inventory) *Forest {
	f := &Forest{}
	if r != nil {
		f.chains = slices.Clone(r.Chains)
	}
	for range len(v.hashes) - len(f.chains) {
		f.chains = append(f.chains, Chain{Hash: v.hashes[len(f.chains)]})
	}
	own := grown{}
	for _, h := range v.hashes {
		own.digests = append(own.digests, seal.Digest(h.Sum(sealFile)))
	}
	f.objects = append(f.objects, own)
	for i := range v.digests[0] {
		one := grown{}
		for c := range v.hashes {
			one.digests = append(one.digests, v.digests[c][i])
		}
		f.objects = append(f.objects, one)
	}
	for c := 1; c < len(v.hashes); c++ {
		f.objects = append(f.objects, grown{from: c, digests: v.lists[c]})
	}
	for c := range f.chains {
		f.trees = append(f.trees, f.treeOf(c))
	}
	return f
}

// treeOf computes the leaves of all objects in a chain (RFC 4998, section 5.2), and the
// tree over them.
func (f *Forest) treeOf(c int) *tree {
	var leaves []seal.Digest
	for i := range f.objects {
		o := &f.objects[i]
		if o.from > c {
			continue
		}
		leaf := o.digests[c-o.from]
		if c > o.from {
			leaf = seal.Digest(leafOf(f.chains[c].Hash, leaf[:], f.chainsOf(o, c)))
		}
		o.leaves = append(o.leaves, leaf)
		leaves = append(leaves, leaf)
	}
	return newTree(f.chains[c].Hash, leaves)
}

// leafOf returns the leaf of an object in a chain that others come before.
func leafOf(h timestamp.Hash, digest []byte, before []Chain) []byte {
	if len(before) == 0 {
		return digest
	}
	return h.Sum(append(slices.Clone(digest), h.Sum(sequenceOf(before))...))
}

// chainsOf returns the chains of an object before chain n: the seal's, with the object's own
// way to each root.
func (f *Forest) chainsOf(o *grown, n int) (own []Chain) {
	for c := o.from; c < n; c++ {
		stamps := slices.Clone(f.chains[c].Stamps)
		stamps[0].Lists = f.trees[c].pathOf(o.leaves[c-o.from])
		own = append(own, Chain{Hash: f.chains[c].Hash, Stamps: stamps})
	}
	return own
}

// Root returns the root of the tree of a chain, from 0.
func (f *Forest) Root(c int) []byte {
	root := f.trees[c].root()
	return root[:]
}

// Fits returns an error unless the first token of each chain is over the root of its tree.
func (f *Forest) Fits() error {
	for c := range f.chains {
		if stamps := f.chains[c].Stamps; len(stamps) > 0 && !bytes.Equal(stamps[0].Token.Imprint, f.Root(c)) {
			return fmt.Errorf("the list of leaves %s is not that of the record: expected the root %x, found %x",
				LeavesSuffix(c+1), stamps[0].Token.Imprint, f.Root(c))
		}
	}
	return nil
}

// Chains returns how many trees there are.
func (f *Forest) Chains() int { return len(f.trees) }

// Seal returns the record of the seal, in chains with time stamps.
func (f *Forest) Seal() *Record { return f.recordOf(0) }

// Object returns the record of an object of the archive, by its place in the lists of
// leaves.
func (f *Forest) Object(place int) *Record { return f.recordOf(1 + place) }

func (f *Forest) recordOf(i int) *Record {
	n := len(f.chains)
	for n > 0 && len(f.chains[n-1].Stamps) == 0 {
		n--
	}
	return &Record{Chains: f.chainsOf(&f.objects[i], n)}
}

// Ours reports whether a record is spelled as this package writes it (SPEC 17.2), so that
// the records of other objects follow from it.
func (r *Record) Ours() bool {
	for i := range r.Chains {
		own := Chain{Hash: r.Chains[i].Hash, Stamps: r.Chains[i].Stamps}
		if r.Chains[i].der != nil && !bytes.Equal(sequenceOf([]Chain{own}), sequenceOf(r.Chains[i:i+1])) {
			return false
		}
	}
	return true
}

// tree is the hash tree of a chain (SPEC 17.1): its leaves ascending, each once, and above
// them pairs of neighbours.
type tree struct {
	hash   timestamp.Hash
	levels [][]seal.Digest // the leaves first, the root last
}

// newTree returns the tree over one or more leaves. It keeps and sorts them.
func newTree(h timestamp.Hash, leaves []seal.Digest) *tree {
	slices.SortFunc(leaves, func(a, b seal.Digest) int { return bytes.Compare(a[:], b[:]) })
	level := slices.Compact(leaves)
	t := &tree{hash: h, levels: [][]seal.Digest{level}}
	for len(level) > 1 {
		above := make([]seal.Digest, 0, (len(level)+1)/2)
		for i := 0; i+1 < len(level); i += 2 {
			above = append(above, seal.Digest(valueOf(h, [][]byte{level[i][:], level[i+1][:]})))
		}
		if len(level)%2 == 1 { // without a partner it goes up as it is
			above = append(above, level[len(level)-1])
		}
		t.levels, level = append(t.levels, above), above
	}
	return t
}

// root returns the root of the tree.
func (t *tree) root() seal.Digest { return t.levels[len(t.levels)-1][0] }

// pathOf returns the reduced hash tree of a leaf; nil if the tree has not the leaf.
func (t *tree) pathOf(leaf seal.Digest) [][][]byte {
	i, ok := slices.BinarySearchFunc(t.levels[0], leaf, func(a, b seal.Digest) int { return bytes.Compare(a[:], b[:]) })
	if !ok {
		return nil
	}
	lists := [][][]byte{{leaf[:]}}
	for _, level := range t.levels[:len(t.levels)-1] {
		if sibling := i ^ 1; sibling < len(level) {
			lists = append(lists, [][]byte{level[sibling][:]})
		}
		i /= 2
	}
	return lists
}

// valueOf returns the value of a list of hashes: of one hash that hash, of more the hash
// over them in ascending order (RFC 4998, section 4.3). It sorts them.
func valueOf(h timestamp.Hash, list [][]byte) []byte {
	if len(list) == 1 {
		return list[0]
	}
	slices.SortFunc(list, bytes.Compare)
	f := h.New()
	for _, one := range list {
		f.Write(one)
	}
	return f.Sum(nil)
}

// rootOf returns the root that a reduced hash tree leads to. The value of each list is one
// more hash of the next.
func rootOf(h timestamp.Hash, lists [][][]byte) (root []byte) {
	for i, list := range lists {
		all := slices.Clone(list)
		if i > 0 {
			all = append(all, root)
		}
		root = valueOf(h, all)
	}
	return root
}
