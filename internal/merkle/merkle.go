// Package merkle computes Merkle trees as RFC 6962, section 2.1, with any hash:
// a leaf is hashed behind the byte 0, two nodes behind the byte 1, and a tree of
// n leaves has the largest power of two below n on its left.
package merkle

import (
	"bytes"
	"hash"
	"math/bits"
)

// Leaf returns the hash of a leaf's content.
func Leaf(h hash.Hash, content []byte) []byte {
	h.Reset()
	h.Write([]byte{0})
	h.Write(content)
	return h.Sum(nil)
}

// hashNode returns the hash of two nodes.
func hashNode(h hash.Hash, left, right []byte) []byte {
	h.Reset()
	h.Write([]byte{1})
	h.Write(left)
	h.Write(right)
	return h.Sum(nil)
}

// Tree is the root of a list of leaves that grows. It keeps one hash for each
// level. It must come from New.
type Tree struct {
	hash  hash.Hash
	size  uint64
	whole [][]byte // the roots of whole subtrees, the largest first
}

// New returns a tree without leaves.
func New(h hash.Hash) *Tree { return &Tree{hash: h} }

// Add appends a leaf with this content.
func (t *Tree) Add(content []byte) {
	root := Leaf(t.hash, content)
	for n := t.size; n&1 == 1; n >>= 1 {
		last := len(t.whole) - 1
		root = hashNode(t.hash, t.whole[last], root)
		t.whole = t.whole[:last]
	}
	t.whole = append(t.whole, root)
	t.size++
}

// Size is the number of leaves.
func (t *Tree) Size() uint64 { return t.size }

// Root returns the root. The root of no leaves is the hash of nothing.
func (t *Tree) Root() []byte {
	if t.size == 0 {
		t.hash.Reset()
		return t.hash.Sum(nil)
	}
	root := t.whole[len(t.whole)-1]
	for i := len(t.whole) - 2; i >= 0; i-- {
		root = hashNode(t.hash, t.whole[i], root)
	}
	return bytes.Clone(root)
}

// Walk reads the hashes of size leaves from next, in their order, and returns the root
// and the inclusion path of the leaf with an index. It keeps as many hashes as the
// tree has levels. An index that is not below size gives no path. An error of next
// ends it.
func Walk(h hash.Hash, size, index uint64, next func() ([]byte, error)) (root []byte, path [][]byte, err error) {
	switch size {
	case 0:
		h.Reset()
		return h.Sum(nil), nil, nil
	case 1:
		root, err = next()
		return bytes.Clone(root), nil, err
	}
	w := walker{hash: h, index: index, next: next}
	root, err = w.walkLeaves(0, size)
	return root, w.path, err
}

type walker struct {
	hash  hash.Hash
	index uint64
	next  func() ([]byte, error)
	path  [][]byte
}

// walkLeaves returns the root of the leaves from first on. On the way to the leaf with the
// index, it records the siblings.
func (w *walker) walkLeaves(first, size uint64) ([]byte, error) {
	if size == 1 {
		leaf, err := w.next()
		return bytes.Clone(leaf), err
	}
	middle := splitSize(size)
	left, err := w.walkLeaves(first, middle)
	if err != nil {
		return nil, err
	}
	right, err := w.walkLeaves(first+middle, size-middle)
	if err != nil {
		return nil, err
	}
	switch {
	case w.index < first || w.index-first >= size:
	case w.index-first < middle:
		w.path = append(w.path, right)
	default:
		w.path = append(w.path, left)
	}
	return hashNode(w.hash, left, right), nil
}

// Root returns the root of the tree that has the leaf with this hash at an index,
// among size leaves, by its inclusion path; false if a tree of that size has no
// such path.
func Root(h hash.Hash, leaf []byte, index, size uint64, path [][]byte) ([]byte, bool) {
	if index >= size {
		return nil, false
	}
	var sides []bool // whether the sibling is on the left, from the top
	for size > 1 {
		left := splitSize(size)
		if index < left {
			sides, size = append(sides, false), left
		} else {
			sides, index, size = append(sides, true), index-left, size-left
		}
	}
	if len(sides) != len(path) {
		return nil, false
	}
	root := leaf
	for i, sibling := range path {
		if len(sibling) != h.Size() {
			return nil, false
		}
		if sides[len(sides)-1-i] {
			root = hashNode(h, sibling, root)
		} else {
			root = hashNode(h, root, sibling)
		}
	}
	return root, true
}

// splitSize returns the largest power of two below n, for n of at least 2.
func splitSize(n uint64) uint64 { return 1 << (bits.Len64(n-1) - 1) }
