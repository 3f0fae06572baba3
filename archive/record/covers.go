package record

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
)

// Protocol is the protocol of what a token covers (SPEC 17.1).
const Protocol = "svc.archive-renewal.v1"

// Tree is the Merkle tree over the data, under one hash (SPEC 16.5).
type Tree struct {
	Hash    timestamp.Hash // sha-512 or sha3-512
	Root    []byte
	Objects int64
	Octets  int64
}

// Equal reports whether two trees are the same.
func (t Tree) Equal(u Tree) bool {
	return t.Hash == u.Hash && bytes.Equal(t.Root, u.Root) && t.Objects == u.Objects && t.Octets == u.Octets
}

// file is a file that tokens cover. Its name is "seal", or relative to the chain. Its
// digests are remembered, as every later token covers it again.
type file struct {
	name string
	doc  []byte
	sums map[timestamp.Hash]string
}

func (f *file) sum(h timestamp.Hash) string {
	if f.sums == nil {
		f.sums = map[timestamp.Hash]string{}
	}
	if f.sums[h] == "" {
		f.sums[h] = hex.EncodeToString(h.Sum(f.doc))
	}
	return f.sums[h]
}

// sealName is the name of the seal among covered files.
const sealName = "seal"

// covered is a file in the document.
type covered struct {
	Digest string `json:"digest"`
	Name   string `json:"name"`
	Size   int    `json:"size"`
}

type coversDoc struct {
	Files    []covered `json:"files"`
	Hash     string    `json:"hash"`
	Number   int       `json:"number"`
	Protocol string    `json:"protocol"`
	Tree     treeDoc   `json:"tree"`
}

type treeDoc struct {
	Objects int64  `json:"objects"`
	Octets  int64  `json:"octets"`
	Root    string `json:"root"`
}

// covers returns the document that the token of a step is over: canonical JSON and a
// line feed. The files are in ascending order of their names.
func covers(number int, tree Tree, files []*file) ([]byte, error) {
	doc := coversDoc{[]covered{}, string(tree.Hash), number, Protocol,
		treeDoc{tree.Objects, tree.Octets, hex.EncodeToString(tree.Root)}}
	for _, f := range files {
		doc.Files = append(doc.Files, covered{f.sum(tree.Hash), f.name, len(f.doc)})
	}
	slices.SortFunc(doc.Files, func(a, b covered) int { return strings.Compare(a.Name, b.Name) })
	b, err := form.MarshalCanonical(doc)
	return append(b, '\n'), err
}

// MaxCovers bounds the document in octets.
const MaxCovers = 8 << 20

// parseCovers reads the tree that such a document names. All else in it is compared
// with what it must be.
func parseCovers(doc []byte) (Tree, *finding.InDocument) {
	bad := func(path, expected, found string) (Tree, *finding.InDocument) {
		return Tree{}, &finding.InDocument{Code: ChainMalformed, Path: path, Expected: expected, Found: found}
	}
	if len(doc) > MaxCovers {
		return bad("", fmt.Sprintf("at most %d octets", MaxCovers), fmt.Sprint(len(doc)))
	}
	v, fault := ijson.Parse(doc)
	if fault != nil {
		return bad(fault.Path, fault.Expected, fault.Found)
	}
	if line, ended := bytes.CutSuffix(doc, []byte("\n")); !ended || !ijson.IsCanonical(line) {
		return bad("", "canonical JSON and a line feed", "another spelling")
	}
	var r form.Reader
	o := r.Object(v, "files", "hash", "number", "protocol", "tree")
	o.Protocol(Protocol)
	var t Tree
	t.Hash = timestamp.Hash(o.OneOf("hash", string(timestamp.SHA512), string(timestamp.SHA3x512)))
	tree := o.Object("tree", "objects", "octets", "root")
	root := tree.SHA512("root")
	t.Root = root[:]
	t.Objects, t.Octets = tree.Int("objects", 1, form.MaxInt), tree.Int("octets", 0, form.MaxInt)
	if f := r.Faults(); len(f) > 0 {
		return bad(f[0].Path, f[0].Expected, f[0].Found)
	}
	return t, nil
}

// difference says for people where two documents part: the first file that is not
// the same, or the member.
func difference(want, got []byte) (expected, found string) {
	var a, b coversDoc
	if json.Unmarshal(want, &a) != nil || json.Unmarshal(got, &b) != nil {
		return "the document of this step", "another"
	}
	for i := range max(len(a.Files), len(b.Files)) {
		x, y := fileAt(a.Files, i), fileAt(b.Files, i)
		if x != y {
			return describe(x), describe(y)
		}
	}
	return "the document of this step", "another"
}

func fileAt(files []covered, i int) covered {
	if i < len(files) {
		return files[i]
	}
	return covered{}
}

func describe(f covered) string {
	if f.Name == "" {
		return "no further file"
	}
	return fmt.Sprintf("%s of %d octets, digest %.16s", f.Name, f.Size, f.Digest)
}
