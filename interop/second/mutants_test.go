package second_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"

	"golang.org/x/crypto/cryptobyte"
)

// node is a DER value as a tree. The content of an OCTET STRING or a BIT STRING is read as DER
// too, where it can be.
type node struct {
	tag      byte
	before   []byte // the count of unused bits of a BIT STRING
	content  []byte // of a leaf of the tree
	children []*node
}

const tagBitString, tagOctetString, constructedBit = 0x03, 0x04, 0x20

// parse splits bytes into trees; not ok if they are no DER.
func parse(octets []byte) (nodes []*node, ok bool) {
	for s := cryptobyte.String(octets); !s.Empty(); {
		var value, inner cryptobyte.String
		if !s.ReadAnyASN1Element(&value, nil) {
			return nil, false
		}
		n, rest := &node{tag: value[0]}, value
		rest.ReadAnyASN1(&inner, nil)
		n.content = slices.Clone(inner)
		if n.tag == tagBitString && len(n.content) > 0 {
			n.before, n.content = n.content[:1], n.content[1:]
		}
		if n.tag&constructedBit != 0 || n.tag == tagBitString || n.tag == tagOctetString {
			if children, ok := parse(n.content); ok && len(children) > 0 {
				n.children, n.content = children, nil
			}
		}
		nodes = append(nodes, n)
	}
	return nodes, true
}

// encode is the DER of the tree.
func (n *node) encode() []byte {
	octets := slices.Concat(n.before, n.content)
	for _, child := range n.children {
		octets = append(octets, child.encode()...)
	}
	return slices.Concat(header(n.tag, len(octets)), octets)
}

// header is a tag, whatever it is, and a length.
func header(tag byte, length int) []byte {
	switch {
	case length < 0x80:
		return []byte{tag, byte(length)}
	case length < 0x100:
		return []byte{tag, 0x81, byte(length)}
	}
	return []byte{tag, 0x82, byte(length >> 8), byte(length)} //nolint:gosec // a certificate is shorter
}

// below lists a node and all nodes below it.
func (n *node) below() []*node {
	all := []*node{n}
	for _, child := range n.children {
		all = append(all, child.below()...)
	}
	return all
}

// mutate changes one node of the tree, and returns a description of the change.
func mutate(root *node, chance *chance.Stream) string {
	nodes := root.below()
	n := nodes[chance.Below(len(nodes))]
	switch what := chance.Below(8); {
	case what == 0:
		n.tag ^= 1 << chance.Below(8)
		return fmt.Sprintf("tag %#x", n.tag)
	case what == 1 && len(n.before) > 0:
		n.before = []byte{byte(chance.Below(9))}
		return "unused bits"
	case what < 4 && len(n.children) > 0:
		i := chance.Below(len(n.children))
		n.children = slices.Delete(slices.Clone(n.children), i, i+1)
		return fmt.Sprintf("without member %d of %#x", i, n.tag)
	case what < 6 && len(n.children) > 0:
		i, j := chance.Below(len(n.children)), chance.Below(len(nodes))
		n.children = slices.Insert(slices.Clone(n.children), i, nodes[j].clone())
		return fmt.Sprintf("with %#x as member %d of %#x", nodes[j].tag, i, n.tag)
	case len(n.content) == 0 || what == 4:
		n.content = append(n.content, chance.Bytes(1)...)
		return fmt.Sprintf("with another octet in %#x", n.tag)
	case what == 5:
		n.content = n.content[1:]
		return fmt.Sprintf("without the first octet of %#x", n.tag)
	}
	n.content[chance.Below(len(n.content))] ^= 1 << chance.Below(8)
	return fmt.Sprintf("with another bit in %#x", n.tag)
}

// clone copies a tree, so that none becomes part of itself.
func (n *node) clone() *node {
	copied := &node{tag: n.tag, before: slices.Clone(n.before), content: slices.Clone(n.content)}
	for _, child := range n.children {
		copied.children = append(copied.children, child.clone())
	}
	return copied
}

// mutant changes one of the two certificates somewhere. A changed leaf is signed
// again.
func mutant(e *evidence, chance *chance.Stream) string {
	d, label := &e.leaf, "leaf"
	if chance.Below(3) == 0 {
		d, label = &e.issuer, "issuer"
	}
	trees, _ := parse(d.tbs())
	steps := []string{label}
	for range 1 + chance.Below(2) {
		steps = append(steps, mutate(trees[0], chance))
	}
	tbs := trees[0].encode()
	d.build = func(_, algorithm, signature []byte) []byte { return sequence(tbs, algorithm, signature) }
	sign := e.sign
	e.sign = func([]byte) []byte { return sign(tbs) }
	return strings.Join(steps, ", ")
}

// TestMutantsAreJudgedAlike: the verifiers agree on certificates that chance has
// made, whose every length is right.
func TestMutantsAreJudgedAlike(t *testing.T) {
	mutants := 400
	if testing.Short() {
		mutants = 50
	}
	s, chance := newStage(t), chance.New(11).Stream("mutants")
	var cases []fixtures.Case
	var ours []judgement
	verdicts := map[string]int{}
	for i := range mutants {
		e := s.honest()
		label := fmt.Sprintf("%04d %s", i, mutant(e, chance))
		c, failed := must.Two(s.judged(label, e))(t)
		verdicts[c.Expect.Verdict+" "+c.Expect.Check]++
		cases, ours = append(cases, c), append(ours, judgement{Name: label, Verdict: c.Expect.Verdict, Failed: failed})
	}
	for _, verdict := range []string{"verified ", "rejected " + form, "rejected " + identified,
		"rejected " + constrained, "rejected " + issued} {
		check.That(t, verdicts[verdict] != 0, "no mutant is %s; of so many: %v", verdict, verdicts)
	}
	t.Log(verdicts)
	compare(t, ours, cases)
}
