package merkle_test

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/merkle"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestKnownRoots are the roots that the implementations of Certificate
// Transparency test with.
func TestKnownRoots(t *testing.T) {
	leaves := []string{"", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"}
	roots := map[int]string{
		0: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
		2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
		3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
		8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
	}
	tree := merkle.New(sha256.New())
	for n := 0; ; n++ {
		if want, ok := roots[n]; ok && hex.EncodeToString(tree.Root()) != want {
			t.Errorf("%d leaves: %x, want %s", n, tree.Root(), want)
		}
		if n == len(leaves) {
			break
		}
		content, _ := hex.DecodeString(leaves[n])
		tree.Add(content)
	}
}

// rootOf is MTH of RFC 6962 over the hashes of leaves, and pathOf PATH.
func rootOf(leaves [][]byte) []byte {
	if len(leaves) == 1 {
		return leaves[0]
	}
	k := half(len(leaves))
	sum := sha512.Sum512(slices.Concat([]byte{1}, rootOf(leaves[:k]), rootOf(leaves[k:])))
	return sum[:]
}

func pathOf(leaves [][]byte, m int) [][]byte {
	if len(leaves) == 1 {
		return nil
	}
	k := half(len(leaves))
	if m < k {
		return append(pathOf(leaves[:k], m), rootOf(leaves[k:]))
	}
	return append(pathOf(leaves[k:], m-k), rootOf(leaves[:k]))
}

func half(n int) int {
	k := 1
	for 2*k < n {
		k *= 2
	}
	return k
}

// TestPaths proves every leaf of every small tree, and nothing else.
func TestPaths(t *testing.T) {
	for size := range 40 {
		h := sha512.New()
		tree, leaves := merkle.New(h), [][]byte(nil)
		for i := range size {
			content := fmt.Appendf(nil, "leaf %d", i)
			tree.Add(content)
			leaves = append(leaves, merkle.Leaf(h, content))
		}
		root := tree.Root()
		for i := range leaves {
			path := pathOf(leaves, i)
			for j := range size + 1 {
				got, ok := merkle.Root(h, leaves[i], uint64(j), uint64(size), path)
				if held := ok && bytes.Equal(got, root); held != (i == j) {
					t.Fatalf("size %d: the path of leaf %d proves leaf %d: %v", size, i, j, held)
				}
			}
			_, ok := merkle.Root(h, leaves[i], uint64(i), uint64(size), append(path, root))
			must.That(t, !ok, "size %d: a longer path of leaf %d is taken", size, i)
		}
	}
}

// TestWalk: reading leaves one by one gives the root and the paths of all at once.
func TestWalk(t *testing.T) {
	h := sha512.New()
	for size := range 40 {
		tree, leaves := merkle.New(h), [][]byte(nil)
		for i := range size {
			content := fmt.Appendf(nil, "leaf %d", i)
			tree.Add(content)
			leaves = append(leaves, merkle.Leaf(h, content))
		}
		for index := range size + 1 {
			read := 0
			root, path, err := merkle.Walk(h, uint64(size), uint64(index), func() ([]byte, error) {
				read++
				return leaves[read-1], nil
			})
			must.That(t, err == nil && read == size && bytes.Equal(root, tree.Root()), "size %d: root %x after %d leaves, %v",
				size, root, read, err)
			var want [][]byte
			if index < size {
				want = pathOf(leaves, index)
			}
			must.That(t, slices.EqualFunc(path, want, bytes.Equal), "size %d: the path of leaf %d is %x, want %x", size, index,
				path, want)
		}
	}
	broken := errors.New("broken")
	for size := range uint64(5) {
		_, _, err := merkle.Walk(h, size, 0, func() ([]byte, error) { return nil, broken })
		check.That(t, (err == nil) == (size == 0), "size %d: %v", size, err)
	}
}
