// Package run is the record of one check of an archive (SPEC 15). Each record
// commits to the one before, and to all objects as they were then.
//
// A record says what its writer says. It proves nothing by itself: a seal or a
// person keeps its digest elsewhere.
package run

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strconv"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/merkle"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/verify"
)

// Protocol is the protocol identifier of a record.
const Protocol = "svc.archive-run.v1"

// Digest is the SHA-256 of a document. Zeros are no document.
type Digest = [sha256.Size]byte

// Record is what one check came to. Its document is canonical JSON (SPEC 15.2), and
// its digest the SHA-256 of that.
type Record struct {
	Number   int64
	Previous Digest // of the record before; zeros for the first
	Began    int64  // milliseconds since 1970
	Ended    int64

	Tool       string // name and version of the program
	ToolSHA256 Digest // of the program's file; zeros if that is not known
	Trust      Digest // of the trust file
	// Policy is what the caller demands beyond the trust file: of evidence that is
	// kept, a legacy limit, approvals and a tenant.
	Policy verify.Policy
	Rules  string // the version of the rules: verify.Rules

	Seed   string // of the sample; "" without one
	Sample int64  // how many of a million known objects were to be read in any case
	Whole  bool   // every object was to be read, and was
	// Continued tells that an earlier check was interrupted: its results are in this
	// record, and it has none of its own.
	Continued bool
	// Adopted is the newest record of a ledger of another person that was adopted in
	// this run, together with what it says was read; zeros otherwise.
	Adopted Digest
	Exit    int // how the check ended: 0 to 3
	// Counts are numbers of objects by name, such as a class or a verdict.
	Counts  map[string]int64
	Ignored *Ignored // nil if no pattern was in force

	Objects int64  // in the archive
	Octets  int64  // that they have together
	Root    Digest // over all objects (SPEC 15.3)
	Changed int64  // how many changes there were
	Changes Digest // over what changed (SPEC 15.4)
}

// Document returns the record as a document.
func (r Record) Document() []byte {
	w := writer{}
	w.digest("adopted", r.Adopted)
	w.time("began", r.Began)
	w.int("changed", r.Changed)
	w.bytes("changes", r.Changes)
	w.bool("continued", r.Continued)
	w.counts("counts", r.Counts)
	w.time("ended", r.Ended)
	w.int("exit", int64(r.Exit))
	w.ignored(r.Ignored)
	w.int("number", r.Number)
	w.int("objects", r.Objects)
	w.int("octets", r.Octets)
	w.name("policy")
	w.b = append(w.b, object.PolicyDocument(r.Policy)...)
	w.digest("previous", r.Previous)
	w.text("protocol", Protocol)
	w.bytes("root", r.Root)
	w.text("rules", r.Rules)
	if r.Sample > 0 {
		w.int("sample", r.Sample)
	}
	if r.Seed != "" {
		w.text("seed", r.Seed)
	}
	w.text("tool", r.Tool)
	w.digest("tool_sha256", r.ToolSHA256)
	w.bytes("trust_sha256", r.Trust)
	w.bool("whole", r.Whole)
	return w.end()
}

// Context returns what the judgements of the run depend on.
func (r *Record) Context() object.Context {
	return object.Context{Trust: r.Trust, Policy: object.PolicyDigest(r.Policy), Rules: r.Rules}
}

// Digest returns the digest of the record's document.
func (r Record) Digest() Digest { return sha256.Sum256(r.Document()) }

// writer writes one object in canonical form. Its members must come in the order of
// their names, and no text in it has a control character.
type writer struct{ b []byte }

func (w *writer) name(name string) {
	separator := byte('{')
	if len(w.b) > 0 && w.b[len(w.b)-1] != ':' {
		separator = ','
	}
	w.b = append(w.b, separator, '"')
	w.b = append(w.b, name...)
	w.b = append(w.b, '"', ':')
}

func (w *writer) text(name, value string) {
	w.name(name)
	w.string(value)
}

// texts writes a list of texts.
func (w *writer) texts(name string, values []string) {
	w.name(name)
	w.b = append(w.b, '[')
	for i, value := range values {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.string(value)
	}
	w.b = append(w.b, ']')
}

func (w *writer) string(value string) {
	w.b = append(w.b, '"')
	for i := range len(value) {
		if c := value[i]; c == '"' || c == '\\' {
			w.b = append(w.b, '\\')
		}
		w.b = append(w.b, value[i])
	}
	w.b = append(w.b, '"')
}

func (w *writer) int(name string, value int64) {
	w.name(name)
	w.b = strconv.AppendInt(w.b, value, 10)
}

func (w *writer) bool(name string, value bool) {
	w.name(name)
	w.b = strconv.AppendBool(w.b, value)
}

func (w *writer) bytes(name string, value Digest) {
	const digits = "0123456789abcdef"
	w.name(name)
	w.b = append(w.b, '"')
	for _, c := range value {
		w.b = append(w.b, digits[c>>4], digits[c&15])
	}
	w.b = append(w.b, '"')
}

// digest writes a digest, unless it is of no document.
func (w *writer) digest(name string, value Digest) {
	if value != (Digest{}) {
		w.bytes(name, value)
	}
}

func (w *writer) time(name string, value int64) {
	w.name(name)
	w.b = append(w.b, '"')
	w.b = append(w.b, form.FormatMillis(value)...)
	w.b = append(w.b, '"')
}

func (w *writer) counts(name string, value map[string]int64) {
	w.name(name)
	inner := writer{}
	for _, what := range slices.Sorted(maps.Keys(value)) {
		inner.int(what, value[what])
	}
	w.b = append(w.b, inner.end()...)
}

// end closes the object and returns it.
func (w *writer) end() []byte {
	if len(w.b) == 0 {
		return []byte("{}")
	}
	return append(w.b, '}')
}

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
