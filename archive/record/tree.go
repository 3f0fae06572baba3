package record

import (
	"bytes"
	"slices"

	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/timestamp"
)

// tree is the hash tree of a chain (SPEC 17.1): its leaves ascending, each once, and above
// them pairs of neighbours.
type tree struct {
	hash   timestamp.Hash
	levels [][]seal.Digest // the leaves first, the root last
}

// newTree returns the tree over some leaves, of which there must be one. It keeps and
// sorts them.
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
