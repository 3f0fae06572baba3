package seal

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/archive/codec"
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
	Path  []Digest // inclusion path, the sibling of the leaf first
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
func walk(s *Seal, leaves *Leaves, index int64) (path []Digest, err error) {
	var octets int64
	h := s.Statement.Hash.New()
	root, siblings, err := merkle.Walk(h, uint64(s.Statement.Objects), uint64(index),
		func() ([]byte, error) { //nolint:gosec // none is negative
			leaf, err := leaves.Next()
			if err != nil {
				return nil, err
			}
			octets += leaf.Size
			return merkle.Leaf(h, leaves.text), nil
		})
	if errors.Is(err, io.EOF) {
		return nil, otherLeaves(s, "fewer")
	}
	if err != nil {
		return nil, err
	}
	switch _, err := leaves.Next(); {
	case err == nil:
		return nil, otherLeaves(s, "more")
	case !errors.Is(err, io.EOF):
		return nil, err
	case !bytes.Equal(root, s.Statement.Root[:]) || octets != s.Statement.Octets:
		return nil, otherLeaves(s, fmt.Sprintf("the root %x over %d octets", root, octets))
	}
	for _, sibling := range siblings {
		path = append(path, Digest(sibling))
	}
	return path, nil
}

// otherLeaves is an ErrRoot about leaves that were found instead.
func otherLeaves(s *Seal, found string) error {
	return fmt.Errorf("%w: expected %d leaves with the root %x, over %d octets, found %s", ErrRoot, s.Statement.Objects,
		s.Statement.Root, s.Statement.Octets, found)
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

// describeMembers describes the document of a proof.
func (p *Proof) describeMembers(m *codec.Members) {
	codec.Hashes512(m, "inclusion", &p.Path, 0, maxPath)
	codec.Number(m, "index", &p.Index, 0, form.MaxInt)
	m.Inner("leaf", p.Leaf.describeMembers)
	m.Protocol(ProofProtocol)
	if v, write := m.Next("seal", false); write {
		m.WriteRaw(bytes.TrimSuffix(p.Seal.File, []byte("\n")))
	} else if v != nil {
		p.Seal = read(m.Reader, v)
		p.Seal.File = append(bytes.Clone(v.Raw()), '\n')
	}
}

// file returns the file of a proof: canonical JSON and a line feed.
func (p *Proof) file() ([]byte, error) {
	m := codec.WriteMembers(nil)
	p.describeMembers(&m)
	doc := append(m.End(), '\n')
	if _, faults := ParseProof(doc); len(faults) > 0 {
		return nil, fmt.Errorf("these do not make a proof: %w", &faults[0])
	}
	return doc, nil
}

// ParseProof reads a proof. It is nil if there are faults.
func ParseProof(file []byte) (*Proof, []ijson.Fault) {
	return parseFile(file, MaxProof, func(r *form.Reader, v *ijson.Value) *Proof {
		p := &Proof{}
		codec.ReadMembers(r, v, p.describeMembers)
		return p
	})
}

// Included reports whether the leaf is in the tree of the seal.
func (p *Proof) Included() bool {
	st := &p.Seal.Statement
	h := st.Hash.New()
	var path [][]byte
	for i := range p.Path {
		path = append(path, p.Path[i][:])
	}
	root, ok := merkle.Root(h, p.Leaf.hash(h), uint64(p.Index), uint64(st.Objects),
		path) //nolint:gosec // none is negative
	return ok && bytes.Equal(root, st.Root[:])
}
