package run

import (
	"crypto/sha256"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/internal/merkle"
	"github.com/svc-edge/svc-verify/outcome"
)

// Object is what a record commits to of one object (SPEC 15.3).
type Object struct {
	Path     string
	Size     int64
	SHA256   Digest
	Verdict  outcome.Class // "" if there is none
	Read     int64         // when it was read last, in milliseconds since 1970; 0 if it never was
	Verified int64         // when it was verified last; 0 if it never was
	Wrong    string        // what is wrong with it: unreadable, missing, altered or replaced; "" if nothing is
}

// Leaf returns the leaf of an object.
func (o *Object) Leaf() []byte { return o.AppendLeaf(nil) }

// AppendLeaf appends the leaf of an object, which is canonical JSON.
func (o *Object) AppendLeaf(b []byte) []byte {
	w := writer{b[len(b):]}
	w.text("path", object.PathText(o.Path))
	if o.Read != 0 {
		w.time("read", o.Read)
		w.bytes("sha256", o.SHA256)
		w.int("size", o.Size)
	}
	if o.Verdict != "" {
		w.text("verdict", string(o.Verdict))
	}
	if o.Verified != 0 {
		w.time("verified", o.Verified)
	}
	if o.Wrong != "" {
		w.text("wrong", o.Wrong)
	}
	return append(b, w.end()...)
}

// Tree computes the root over objects, or over changes. It keeps one hash for each
// level. It must come from NewTree.
type Tree struct {
	tree *merkle.Tree
	leaf []byte
}

// NewTree returns a tree without leaves.
func NewTree() *Tree { return &Tree{tree: merkle.New(sha256.New())} }

// Object adds an object. Objects come in ascending order of the octets of their
// paths.
func (t *Tree) Object(o *Object) {
	t.leaf = o.AppendLeaf(t.leaf[:0])
	t.tree.Add(t.leaf)
}

// Change adds the line of a change.
func (t *Tree) Change(line []byte) { t.tree.Add(line) }

// Size is the number of leaves.
func (t *Tree) Size() int64 { return int64(t.tree.Size()) }

// Root returns the root.
func (t *Tree) Root() (root Digest) {
	copy(root[:], t.tree.Root())
	return root
}
