package seal

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/merkle"
)

// ProofProtocol is the protocol of the proof of one object (SPEC 16.7).
const ProofProtocol = "svc.archive-object-proof.v1"

// MaxProof is the largest size of a proof in bytes: a seal, a leaf and a path.
const MaxProof = 192 << 10

// maxPath is how many hashes a path has at most, in a tree of 2^53 leaves.
const maxPath = 53

// Proof is a proof that has its form. It is not verified.
type Proof struct {
	Index int64 // of the leaf in the tree, from 0
	Leaf  Leaf
	Path  [][]byte // inclusion path, the sibling of the leaf first
	Seal  *Seal
}

// The errors of [Prove] and [Check], besides read errors.
var (
	ErrAbsent = errors.New("the seal has no object of this path")
	ErrRoot   = errors.New("these are not the leaves of this seal")
)

// Check reads a list of leaves to its end, and returns an error unless they are exactly the
// seal's: ErrRoot, a [LeavesError], or a read error.
func Check(s *Seal, leaves *Leaves) error {
	_, err := walk(s, leaves, s.Statement.Objects)
	return err
}

// walk reads all leaves of a seal and returns the path of the one with an index.
func walk(s *Seal, leaves *Leaves, index int64) (path [][]byte, err error) {
	var octets int64
	h := s.Statement.Hash.New()
	root, path, err := merkle.Walk(h, uint64(s.Statement.Objects), uint64(index),
		func() ([]byte, error) { //nolint:gosec // none is negative
			leaf, err := leaves.Next()
			if err != nil {
				return nil, err
			}
			octets += leaf.Size
			return merkle.Leaf(h, leaves.text), nil
		})
	if errors.Is(err, io.EOF) {
		return nil, ErrRoot
	}
	if err != nil {
		return nil, err
	}
	if _, err := leaves.Next(); !errors.Is(err, io.EOF) {
		if err == nil {
			err = ErrRoot
		}
		return nil, err
	}
	if !bytes.Equal(root, s.Statement.Root[:]) || octets != s.Statement.Octets {
		return nil, ErrRoot
	}
	return path, nil
}

// Prove returns the proof that the object at a path is in a seal, as a file. It reads
// the list of leaves twice, from its beginning. The error is ErrAbsent, ErrRoot, a
// [LeavesError], or one of reading.
func Prove(s *Seal, leaves io.ReadSeeker, path string) ([]byte, error) {
	index, leaf := int64(-1), Leaf{}
	n := int64(0)
	for l, err := range ReadLeaves(leaves).All() {
		if err != nil {
			return nil, err
		}
		if l.Path == path {
			index, leaf = n, l
		}
		n++
	}
	if _, err := leaves.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	inclusion, err := walk(s, ReadLeaves(leaves), max(index, 0))
	if err != nil {
		return nil, err
	}
	if index < 0 {
		return nil, ErrAbsent
	}
	return (&Proof{index, leaf, inclusion, s}).file()
}

// file returns the file of a proof: canonical JSON and a line feed.
func (p *Proof) file() ([]byte, error) {
	path := make([]string, len(p.Path))
	for i, h := range p.Path {
		path[i] = hex.EncodeToString(h)
	}
	doc, err := form.MarshalCanonical(map[string]any{"protocol": ProofProtocol, "index": p.Index, "inclusion": path,
		"leaf": json.RawMessage(p.Leaf.Append(nil)), "seal": json.RawMessage(p.Seal.File)})
	if err != nil {
		return nil, err
	}
	doc = append(doc, '\n')
	if _, faults := ParseProof(doc); len(faults) > 0 {
		return nil, fmt.Errorf("these do not make a proof: %w", &faults[0])
	}
	return doc, nil
}

// ParseProof reads a proof. It is nil if there are faults.
func ParseProof(file []byte) (*Proof, []ijson.Fault) {
	v, fault := parseFile(file, MaxProof)
	if fault != nil {
		return nil, []ijson.Fault{*fault}
	}
	var r form.Reader
	o := r.Object(v, "protocol", "index", "inclusion", "leaf", "seal")
	o.Protocol(ProofProtocol)
	p := &Proof{Index: o.Int("index", 0, form.MaxInt), Leaf: readLeaf(&r, o.Get("leaf"))}
	for _, h := range o.List("inclusion", 0, maxPath) {
		r.Text(h, "a digest: 128 lower-case hex digits", func(s string) bool {
			d, ok := form.SHA512(s)
			p.Path = append(p.Path, d[:])
			return ok
		})
	}
	p.Seal = read(&r, o.Get("seal"))
	if sealed := o.Get("seal"); sealed != nil {
		p.Seal.File = append(bytes.Clone(sealed.Raw()), '\n')
	}
	if faults := r.Faults(); len(faults) > 0 {
		return nil, faults
	}
	return p, nil
}

// Included reports whether the leaf is in the tree of the seal.
func (p *Proof) Included() bool {
	st := &p.Seal.Statement
	h := st.Hash.New()
	root, ok := merkle.Root(h, p.Leaf.hash(h), uint64(p.Index), uint64(st.Objects),
		p.Path) //nolint:gosec // none is negative
	return ok && bytes.Equal(root, st.Root[:])
}
