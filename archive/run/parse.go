package run

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/verify"
)

// The limits of the documents (SPEC 15.2, 15.4).
const (
	MaxRecord = 64 << 10 // octets of a record
	MaxChange = 64 << 10 // octets of a change
	MaxText   = 1024     // octets of a text
	MaxCounts = 64       // names of counts
	MaxPath   = 16 << 10 // octets of a path as text
)

// Parse reads the document of a record. The error is an *ijson.Fault, which says what
// is wrong and where.
func Parse(doc []byte) (r Record, err error) {
	err = form.ReadCanonical(doc, MaxRecord, func(reader *form.Reader, v *ijson.Value) { r = readRecord(reader, v) })
	if err != nil {
		return Record{}, err
	}
	return r, nil
}

// readRecord reads a record. A member that is missing has the zero value.
func readRecord(reader *form.Reader, v *ijson.Value) Record {
	o := reader.Object(v, "adopted?", "began", "changed", "changes", "continued", "counts", "ended", "exit", "ignored?",
		"number", "objects", "octets", "policy", "previous?", "protocol", "root", "rules", "sample?", "seed?", "tool",
		"tool_sha256?", "trust_sha256", "whole")
	o.Protocol(Protocol)
	p := &parser{reader, o}
	r := Record{
		Number: o.Counter("number"), Previous: p.digest("previous"), Began: p.time("began"), Ended: p.time("ended"),
		Tool: p.text("tool"), ToolSHA256: p.digest("tool_sha256"), Trust: o.Digest("trust_sha256"),
		Policy: policyOf(o), Rules: p.text("rules"), Seed: p.text("seed"), Sample: o.Int("sample", 1, 1_000_000),
		Whole: p.bool("whole"), Continued: p.bool("continued"), Adopted: p.digest("adopted"),
		Exit: int(o.Int("exit", 0, 3)), Counts: p.counts("counts"), Ignored: p.ignored(),
		Objects: o.Int("objects", 0, form.MaxInt), Octets: o.Int("octets", 0, form.MaxInt),
		Root: o.Digest("root"), Changed: o.Int("changed", 0, form.MaxInt), Changes: o.Digest("changes"),
	}
	if len(reader.Faults()) == 0 {
		p.first(&r)
	}
	return r
}

// policyOf reads a policy, of which what demands nothing is left out.
func policyOf(record form.Object) verify.Policy {
	o := record.Object("policy", "legacy_before?", "minimum_approvals?", "tenant_id?")
	return verify.Policy{LegacyBefore: o.Time("legacy_before"), TenantID: o.Subject("tenant_id"),
		MinimumApprovals: int(o.Int("minimum_approvals", 2, verify.MostApprovals))}
}

// first checks that exactly the first record has none before it.
func (p *parser) first(r *Record) {
	switch has := p.Has("previous"); {
	case has && r.Number == 1:
		p.reader.Fault(p.Get("previous"), form.BadValue, "none before the first record", "a digest")
	case !has && r.Number > 1:
		p.reader.Fault(p.Get("number"), form.BadValue, "1, or the digest of the record before",
			strconv.FormatInt(r.Number, 10))
	}
}

// parser reads the members of an object.
type parser struct {
	reader *form.Reader
	form.Object
}

// digest reads a digest that may be missing. One of zeros is written by being left out.
func (p *parser) digest(name string) (d Digest) {
	if !p.Has(name) {
		return d
	}
	if d = p.Digest(name); d == (Digest{}) {
		p.reader.Fault(p.Get(name), form.BadValue, "a digest, or no such member", "zeros")
	}
	return d
}

func (p *parser) time(name string) int64 { return p.Time(name).UnixMilli() }

func (p *parser) text(name string) string {
	return p.Text(name, fmt.Sprintf("1 to %d octets without control characters", MaxText), IsText)
}

func (p *parser) bool(name string) bool {
	v := p.Get(name)
	if v != nil && v.Kind() != ijson.Bool {
		p.reader.Fault(v, form.BadValue, ijson.Bool.String(), v.Kind().String())
	}
	return v != nil && v.Bool()
}

func (p *parser) counts(name string) map[string]int64 {
	v := p.Get(name)
	if v == nil {
		return nil
	}
	counts := map[string]int64{}
	if v.Kind() == ijson.Object && v.Len() == 0 {
		return counts
	}
	for _, m := range p.reader.Map(v, MaxCounts) {
		if n := m.Value; !isName(m.Name) || n.Kind() != ijson.Number || n.Int() < 0 {
			p.reader.Fault(n, form.BadValue, "a name of lower-case letters and hyphens, with an integer from 0", "another")
		}
		counts[m.Name] = m.Value.Int()
	}
	return counts
}

func isName(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '-' && (c < 'a' || c > 'z') {
			return false
		}
	}
	return len(s) > 0 && len(s) <= 64
}

// IsText reports whether a text can be in a record.
func IsText(s string) bool { return form.IsLine(s, MaxText) }

// ParseChange reads the line of a change, without a newline.
func ParseChange(line []byte) (c Change, err error) {
	err = form.ReadCanonical(line, MaxChange, func(reader *form.Reader, v *ijson.Value) { c = readChange(reader, v) })
	if err != nil {
		return Change{}, err
	}
	return c, nil
}

func readChange(reader *form.Reader, v *ijson.Value) Change {
	o := reader.Object(v, "accepted?", "after?", "before?", "class", "from?", "path")
	p := &parser{reader, o}
	c := Change{Path: p.path("path"), From: p.path("from"), Before: p.state("before"), After: p.state("after"),
		Class: o.Text("class", "lower-case letters and hyphens", isName)}
	if o.Has("accepted") {
		a := &parser{reader, o.Object("accepted", "at", "by", "reason")}
		c.Acceptance = &Acceptance{At: a.time("at"), By: a.text("by"), Reason: a.text("reason")}
	}
	if accepted := c.Class == Accepted; v.Kind() == ijson.Object && accepted != (c.Acceptance != nil) {
		reader.Fault(v, form.BadValue, "the member accepted exactly for the class accepted", "otherwise")
	}
	return c
}

func (p *parser) path(name string) string { return p.pathOf(p.Get(name)) }

// pathOf reads a value as the path of an object.
func (p *parser) pathOf(v *ijson.Value) (path string) {
	p.reader.Text(v, "the path of an object (SPEC 15.1)", func(s string) (ok bool) {
		if len(s) <= MaxPath {
			path, ok = object.ParsePath(s)
		}
		return ok && IsPath(path)
	})
	return path
}

// IsPath reports whether a path can be that of an object: names other than ".", ".."
// and the empty one, separated by slashes, without NUL. Its text has a limit.
func IsPath(path string) bool {
	if len(path) > MaxPath || len(object.PathText(path)) > MaxPath {
		return false
	}
	start := 0
	for i := 0; i <= len(path); i++ {
		if i < len(path) && path[i] == 0 {
			return false
		}
		if i == len(path) || path[i] == '/' {
			if name := path[start:i]; name == "" || name == "." || name == ".." {
				return false
			}
			start = i + 1
		}
	}
	return true
}

func (p *parser) state(name string) *State {
	if !p.Has(name) {
		return nil
	}
	o := &parser{p.reader, p.Object.Object(name, "code?", "sha256?", "size?", "verdict?", "wrong?")}
	if o.Has("size") != o.Has("sha256") {
		p.reader.Fault(p.Get(name), form.BadValue, "sha256 and size, or none of them", "one")
	}
	s := &State{SHA256: o.digest("sha256"), Size: o.Int("size", 0, form.MaxInt),
		Code: o.Text("code", "a code of svc-verify", form.Identifier)}
	s.Verdict, s.Wrong = o.verdictAndWrong()
	return s
}

// optionalTime reads a time that may be missing.
func (p *parser) optionalTime(name string) int64 {
	if !p.Has(name) {
		return 0
	}
	return p.time(name)
}

// verdictAndWrong reads a verdict, and the fault of an object.
func (p *parser) verdictAndWrong() (outcome.Class, string) {
	return outcome.Class(p.OneOf("verdict", string(outcome.Verified), string(outcome.Rejected),
		string(outcome.Inconclusive))), p.OneOf("wrong", "altered", "missing", "replaced", "unreadable")
}

// ParseObject reads the leaf of an object (SPEC 15.3).
func ParseObject(leaf []byte) (o Object, err error) {
	err = form.ReadCanonical(leaf, MaxChange, func(reader *form.Reader, v *ijson.Value) {
		p := &parser{reader, reader.Object(v, "path", "read?", "sha256?", "size?", "verdict?", "verified?", "wrong?")}
		o = Object{Path: p.path("path"), Size: p.Int("size", 0, form.MaxInt), SHA256: p.digest("sha256")}
		o.Verdict, o.Wrong = p.verdictAndWrong()
		o.Read, o.Verified = p.optionalTime("read"), p.optionalTime("verified")
	})
	if err == nil && !bytes.Equal(o.Leaf(), leaf) {
		err = &ijson.Fault{Code: form.BadValue, Expected: "read, sha256 and size, or none of them", Found: "some"}
	}
	return o, err
}
