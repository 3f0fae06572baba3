package run_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/verify"
)

const at = 1_793_491_200_000 // 2026-11-01T00:00:00.000Z

// example is the record of the specification's appendix; it has every member but one
// for an adopted ledger.
func example() run.Record {
	r := run.Record{
		Number: 2, Previous: sha256.Sum256([]byte("run 1")), Began: at, Ended: at + 61_500,
		Tool: "svc-verify 1.4.0", ToolSHA256: sha256.Sum256([]byte("program")), Trust: sha256.Sum256([]byte("trust file")),
		Policy: verify.Policy{MinimumApprovals: 2, TenantID: "acme-corp"}, Rules: "1", Seed: "7f3a", Sample: 50_000, Exit: 1,
		Counts:  map[string]int64{"altered": 1, "intact": 2, "moved": 0, "verdict-changed": 0},
		Objects: 3, Octets: 30_720, Changed: 2,
	}
	tree := run.NewTree()
	for _, o := range objects() {
		tree.Object(&o)
	}
	r.Root = tree.Root()
	tree = run.NewTree()
	for _, c := range changes() {
		tree.Change(c.Line())
	}
	r.Changes = tree.Root()
	return r
}

func objects() []run.Object {
	return []run.Object{
		{Path: "2026/Köln 100%.pdf", Size: 10_240, SHA256: sha256.Sum256([]byte("pdf")), Read: at},
		{Path: "2026/tx-2026-0001.json", Size: 10_240, SHA256: sha256.Sum256([]byte("bundle")), Verdict: outcome.Verified,
			Read: at, Verified: at - 86_400_000, Wrong: "altered"},
		{Path: "tx \"3\"\\\n", Size: 10_240, SHA256: sha256.Sum256([]byte("case")), Verdict: outcome.Inconclusive,
			Read: at, Verified: at},
	}
}

func changes() []run.Change {
	state := func(i int, verdict outcome.Class, wrong string) *run.State {
		o := objects()[i]
		return &run.State{Size: o.Size, SHA256: o.SHA256, Verdict: verdict, Wrong: wrong}
	}
	return []run.Change{
		{Path: "2026/tx-2026-0001.json", Class: "altered", Before: state(1, outcome.Verified, ""),
			After: state(1, outcome.Verified, "altered")},
		{Path: "old/scan.pdf", Class: run.Accepted, Before: state(0, "", "missing"),
			Acceptance: &run.Acceptance{At: at, By: "A. Archivist", Reason: "removed after ten years, ticket 7"}},
	}
}

// TestBack: a written document is canonical, and is read again.
func TestBack(t *testing.T) {
	full := example()
	full.Adopted, full.Whole, full.Continued = run.Digest{1}, true, true
	first := example()
	first.Number, first.Previous, first.Seed, first.Sample = 1, run.Digest{}, "", 0
	first.ToolSHA256, first.Counts = run.Digest{}, map[string]int64{}
	for _, r := range []run.Record{example(), full, first} {
		doc := r.Document()
		got, err := run.Parse(doc)
		sound := err == nil && ijson.IsCanonical(doc) && got.Digest() == sha256.Sum256(doc)
		diff := cmp.Diff(r, got)
		check.That(t, sound && diff == "", "%s: %v\n%s", doc, err, diff)
	}
	moved := changes()[0]
	moved.Class, moved.From, moved.After.Code = "moved", "old/\xff", "json.syntax"
	added := run.Change{Path: "a", Class: "added", After: &run.State{Wrong: "unreadable"}}
	for _, c := range append(changes(), moved, added) {
		line := c.Line()
		got, err := run.ParseChange(line)
		diff := cmp.Diff(c, got)
		check.That(t, err == nil && diff == "" && ijson.IsCanonical(line), "%s: %v\n%s", line, err, diff)
	}
	for _, o := range objects() {
		leaf := o.Leaf()
		check.That(t, ijson.IsCanonical(leaf), "%s is not canonical", leaf)
	}
}

// TestDamaged: each member left out, of another type, or just beyond its bounds is a
// fault at its place.
func TestDamaged(t *testing.T) {
	long := strings.Repeat("a", run.MaxText+1)
	bad := map[string][]any{
		"adopted": {strings.Repeat("0", 64), "ab"}, "began": {"2026-11-01"}, "changed": {-1},
		"changes":   {strings.Repeat("A", 64)},
		"continued": {"true"}, "ended": {1}, "exit": {4, -1}, "number": {0}, "objects": {-1, "1"}, "octets": {-1},
		"policy": {"", map[string]any{"at": "2026-11-01T00:00:00.000Z"}, map[string]any{"minimum_approvals": 1},
			map[string]any{"tenant_id": ""}}, "previous": {strings.Repeat("0", 64), 1},
		"protocol": {"svc.archive-run.v2"}, "root": {long},
		"rules": {"", "a\nb"}, "sample": {0, 1_000_001}, "seed": {"", long}, "tool": {"", long, "\u2028", "\u0085"},
		"tool_sha256": {strings.Repeat("0", 64)}, "trust_sha256": {1}, "whole": {0},
		"counts": {1, map[string]any{"Altered": 1}, map[string]any{"altered": -1}, map[string]any{"altered": "1"},
			many(run.MaxCounts + 1)},
	}
	good := map[string][]any{
		"exit": {0, 3}, "objects": {0, int64(1<<53 - 1)}, "counts": {map[string]any{}, many(run.MaxCounts)},
		"sample": {1, 1_000_000},
		"tool":   {long[1:], "\u2603 \"\\"}, "number": {2, int64(1<<53 - 1)},
	}
	for name := range members(t) {
		m := members(t)
		if delete(m, name); !slices.Contains([]string{"adopted", "previous", "seed", "sample", "tool_sha256"}, name) {
			damaged(t, m, "", name+" is left out")
		}
		check.That(t, len(bad[name]) != 0, "no damage of %s", name)
	}
	for name, values := range bad {
		for _, v := range values {
			m := members(t)
			m[name] = v
			damaged(t, m, "/"+name, name)
		}
	}
	for name, values := range good {
		for _, v := range values {
			m := members(t)
			m[name] = v
			check.OK(t, check.Err(run.Parse(canonical(t, m))), "%s %v", name, v)
		}
	}
	m := members(t)
	m["unknown"] = 1
	damaged(t, m, "/unknown", "an unknown member")
	m = members(t)
	delete(m, "previous")
	damaged(t, m, "/number", "no record before the second")
	m = members(t)
	m["number"] = 1
	damaged(t, m, "/previous", "a record before the first")
	m = members(t)
	m["counts"] = map[string]any{"Altered": 1}
	damaged(t, m, "/counts/Altered", "another name")
}

// TestNotCanonical: a document has one spelling.
func TestNotCanonical(t *testing.T) {
	r, c := example(), changes()[0]
	doc, line := r.Document(), c.Line()
	for _, spell := range []func([]byte) []byte{
		func(b []byte) []byte { return append(b, '\n') },
		func(b []byte) []byte { return append([]byte(" "), b...) },
		func(b []byte) []byte { return bytes.Replace(b, []byte(":"), []byte(": "), 1) },
		func(b []byte) []byte { return bytes.Replace(b, []byte("s"), []byte(`\u0073`), 1) },
		func(b []byte) []byte { return bytes.Repeat([]byte(" "), run.MaxRecord+1) },
		func(b []byte) []byte { return nil },
	} {
		_, err1 := run.Parse(spell(bytes.Clone(doc)))
		_, err2 := run.ParseChange(spell(bytes.Clone(line)))
		check.That(t, err1 != nil && err2 != nil, "%.40s is read: %v, %v", spell(bytes.Clone(doc)), err1, err2)
	}
}

// TestDamagedChange: each part of a change that is wrong is a fault.
func TestDamagedChange(t *testing.T) {
	for what, damage := range map[string]func(map[string]any){
		"no class":         func(m map[string]any) { delete(m, "class") },
		"no path":          func(m map[string]any) { delete(m, "path") },
		"another class":    func(m map[string]any) { m["class"] = "Altered" },
		"an empty path":    func(m map[string]any) { m["path"] = "" },
		"a climbing path":  func(m map[string]any) { m["path"] = "a/../b" },
		"an absolute path": func(m map[string]any) { m["path"] = "/a" },
		"a spelled path":   func(m map[string]any) { m["path"] = "%61" },
		"NUL in a path":    func(m map[string]any) { m["from"] = "a%00" },
		"a long path":      func(m map[string]any) { m["path"] = strings.Repeat("a", run.MaxPath+1) },
		"no size":          func(m map[string]any) { delete(m["before"].(map[string]any), "size") },
		"another verdict":  func(m map[string]any) { m["before"].(map[string]any)["verdict"] = "unreadable" },
		"another wrong":    func(m map[string]any) { m["after"].(map[string]any)["wrong"] = "lost" },
		"another code":     func(m map[string]any) { m["after"].(map[string]any)["code"] = "a b" },
		"accepted":         func(m map[string]any) { m["class"] = "accepted" },
		"accepted by": func(m map[string]any) {
			m["accepted"] = map[string]any{"at": "2026-11-01T00:00:00.000Z", "by": "a", "reason": "b"}
		},
		"an unknown member": func(m map[string]any) { m["unknown"] = 1 },
	} {
		c := changes()[0]
		var m map[string]any
		must.Do(t, json.Unmarshal(c.Line(), &m))
		must.Get(run.ParseChange(canonical(t, m)))(t)
		damage(m)
		got, err := run.ParseChange(canonical(t, m))
		check.That(t, err != nil, "%s: %+v", what, got)
	}
}

// TestSpecification: the examples of the appendix are these.
func TestSpecification(t *testing.T) {
	text := must.Get(os.ReadFile(filepath.Join("..", "..", "docs", "spec.md")))(t)
	r, c, o := example(), changes(), objects()
	for _, doc := range [][]byte{r.Document(), c[0].Line(), c[1].Line(), o[1].Leaf()} {
		check.That(t, bytes.Contains(text, append(append([]byte("\n"), doc...), '\n')), "docs/spec.md does not have %s",
			doc)
	}
}

func many(n int) map[string]any {
	m := map[string]any{}
	for i := range n {
		m[strings.Repeat("a", i+1)] = 1
	}
	if n > 64 {
		delete(m, strings.Repeat("a", 65))
		m["b"] = 1
	}
	return m
}

func members(t *testing.T) (m map[string]any) {
	t.Helper()
	r := example()
	r.Adopted = run.Digest{1}
	must.Do(t, json.Unmarshal(r.Document(), &m))
	return m
}

func canonical(t *testing.T, m map[string]any) []byte {
	t.Helper()
	doc := must.Get(json.Marshal(m))(t)
	doc, fault := ijson.Canonical(doc)
	must.That(t, fault == nil, "%v %v", fault, slices.Sorted(maps.Keys(m)))
	return doc
}

func damaged(t *testing.T, m map[string]any, pointer, what string) {
	t.Helper()
	_, err := run.Parse(canonical(t, m))
	var fault *ijson.Fault
	check.That(t, errors.As(err, &fault) && strings.HasPrefix(fault.Path, pointer), "%s: %v", what, err)
}

// FuzzParse: a record or a change that is read is written again byte for byte.
func FuzzParse(f *testing.F) {
	r := example()
	f.Add(r.Document())
	r.Number, r.Previous, r.Adopted = 1, run.Digest{}, run.Digest{1}
	f.Add(r.Document())
	for _, c := range changes() {
		f.Add(c.Line())
	}
	f.Add([]byte(`{"after":{"wrong":"unreadable"},"class":"added","path":"%FF/Köln"}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		if r, err := run.Parse(doc); err == nil && !bytes.Equal(r.Document(), doc) {
			t.Errorf("%q is written again as %q", doc, r.Document())
		}
		c, err := run.ParseChange(doc)
		check.That(t, err != nil || bytes.Equal(c.Line(), doc), "%q is written again as %q", doc, c.Line())
		check.That(t, err != nil || ijson.IsCanonical(doc), "%q is not canonical", doc)
	})
}
