// Package run is the record of one check of an archive (SPEC 15). Each record
// commits to the one before, and to all objects as they were then.
//
// A record contains its writer's claims. It proves nothing by itself: a seal or a person keeps
// its digest elsewhere.
package run

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strconv"

	"github.com/svc-edge/svc-verify/archive/codec"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/merkle"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/verify"
)

// Protocol is the protocol identifier of a record.
const Protocol = "svc.archive-run.v1"

// Digest is the SHA-256 of a document. Zeros are no document.
type Digest = [sha256.Size]byte

// Record is the result of one check. Its document is canonical JSON (SPEC 15.2), and its
// digest the SHA-256 of that.
type Record struct {
	Number   int64
	Previous Digest // of the record before; zeros for the first
	Began    int64  // milliseconds since 1970
	Ended    int64

	Tool       string // name and version of the program
	ToolSHA256 Digest // of the program's file; zeros if that is not known
	Trust      Digest // of the trust file
	// Policy contains the caller's demands beyond the trust file: of evidence that is kept, a
	// legacy limit, approvals and a tenant.
	Policy verify.Policy
	Rules  string // the version of the rules: verify.Rules

	Seed   string // of the sample; "" without one
	Sample int64  // how many of a million known objects were to be read in any case
	Whole  bool   // every object was to be read, and was
	// Continued is set if an earlier check was interrupted: its results are in this record,
	// and it has none of its own.
	Continued bool
	// Adopted is the newest record of another person's ledger that was adopted in this run,
	// together with the readings that it reports; zeros otherwise.
	Adopted Digest
	Exit    int // how the check ended: 0 to 3
	// Counts are numbers of objects by name, such as a class or a verdict.
	Counts  map[string]int64
	Ignored *Ignored // nil if no pattern was in force

	Objects int64  // in the archive
	Octets  int64  // that they have together
	Root    Digest // over all objects (SPEC 15.3)
	Changed int64  // how many changes there were
	Changes Digest // over the changes (SPEC 15.4)
}

// describeMembers describes the document of a record (SPEC 15.2).
func (r *Record) describeMembers(m *codec.Members) {
	m.Hash("adopted?", &r.Adopted)
	m.Moment("began", &r.Began)
	codec.Number(m, "changed", &r.Changed, 0, form.MaxInt)
	m.Hash("changes", &r.Changes)
	m.Truth("continued", &r.Continued)
	r.packCounts(m)
	m.Moment("ended", &r.Ended)
	codec.Number(m, "exit", &r.Exit, 0, 3)
	codec.Part(m, "ignored?", &r.Ignored, (*Ignored).describeMembers)
	codec.Number(m, "number", &r.Number, 1, form.MaxInt)
	codec.Number(m, "objects", &r.Objects, 0, form.MaxInt)
	codec.Number(m, "octets", &r.Octets, 0, form.MaxInt)
	m.Inner("policy", func(m *codec.Members) { object.PackPolicy(m, &r.Policy) })
	m.Hash("previous?", &r.Previous)
	m.Protocol(Protocol)
	m.Hash("root", &r.Root)
	PackText(m, "rules", &r.Rules)
	codec.Number(m, "sample?", &r.Sample, 1, 1_000_000)
	PackText(m, "seed?", &r.Seed)
	PackText(m, "tool", &r.Tool)
	m.Hash("tool_sha256?", &r.ToolSHA256)
	m.Hash("trust_sha256", &r.Trust)
	m.Truth("whole", &r.Whole)
	if m.Value != nil && len(m.Faults()) == 0 {
		r.checkFirst(m)
	}
}

// checkFirst checks that exactly the first record has none before it.
func (r *Record) checkFirst(m *codec.Members) {
	number, _ := m.Value.Member("number")
	switch previous, has := m.Value.Member("previous"); {
	case has && r.Number == 1:
		m.Fault(previous, form.BadValue, "none before the first record", "a digest")
	case !has && r.Number > 1:
		m.Fault(number, form.BadValue, "1, or the digest of the record before", strconv.FormatInt(r.Number, 10))
	}
}

// packCounts packs numbers by name.
func (r *Record) packCounts(m *codec.Members) {
	v, write := m.Next("counts", false)
	switch {
	case write:
		inner := codec.WriteMembers(nil)
		for _, what := range slices.Sorted(maps.Keys(r.Counts)) {
			n := r.Counts[what]
			codec.Number(&inner, what, &n, 0, form.MaxInt)
		}
		m.WriteRaw(inner.End())
	case v == nil:
	case v.Kind() == ijson.Object && v.Len() == 0:
		r.Counts = map[string]int64{}
	default:
		r.Counts = map[string]int64{}
		for _, c := range m.Map(v, MaxCounts) {
			if n := c.Value; !isName(c.Name) || n.Kind() != ijson.Number || n.Int() < 0 {
				m.Fault(n, form.BadValue, "a name of lower-case letters and hyphens, with an integer from 0", "another")
			}
			r.Counts[c.Name] = c.Value.Int()
		}
	}
}

// Document returns the record as a document.
func (r Record) Document() []byte {
	m := codec.WriteMembers(nil)
	r.describeMembers(&m)
	return m.End()
}

// Context returns the context that the judgements of the run depend on.
func (r *Record) Context() object.Context {
	return object.Context{Trust: r.Trust, Policy: object.PolicyDigest(r.Policy), Rules: r.Rules}
}

// Digest returns the digest of the record's document.
func (r Record) Digest() Digest { return sha256.Sum256(r.Document()) }

// Object is the part of an object that a record commits to (SPEC 15.3).
type Object struct {
	Path     string
	Size     int64
	SHA256   Digest
	Verdict  outcome.Class // "" if there is none
	Read     int64         // when it was read last, in milliseconds since 1970; 0 if it never was
	Verified int64         // when it was verified last; 0 if it never was
	Wrong    string        // its fault: unreadable, missing, altered or replaced; "" if there is none
}

// Leaf returns the leaf of an object.
func (o *Object) Leaf() []byte { return o.AppendLeaf(nil) }

// AppendLeaf appends the leaf of an object, which is canonical JSON.
func (o *Object) AppendLeaf(b []byte) []byte {
	m := codec.WriteMembers(b)
	o.describeMembers(&m)
	return m.End()
}

// describeMembers describes the leaf of an object (SPEC 15.3).
func (o *Object) describeMembers(m *codec.Members) {
	PackPath(m, "path", &o.Path)
	if !m.Writing() || o.Read != 0 {
		m.Moment("read?", &o.Read)
		m.Hash("sha256?", &o.SHA256)
		codec.Number(m, "size?", &o.Size, 0, form.MaxInt)
	}
	packVerdict(m, &o.Verdict)
	m.Moment("verified?", &o.Verified)
	packWrong(m, &o.Wrong)
}

// Tree computes the root over objects, or over changes. It keeps one hash for each
// level. It must come from NewTree.
type Tree struct {
	tree *merkle.Tree
	leaf []byte
}

// NewTree returns a tree without leaves.
func NewTree() *Tree { return &Tree{tree: merkle.New(sha256.New())} }

// Object adds an object. Objects come in ascending order of the bytes of their paths.
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
