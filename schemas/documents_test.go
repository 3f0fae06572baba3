package schemas_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/schemas"
)

// example is one document and the name of its schema.
type example struct {
	schema string
	doc    []byte
}

var exampleBlock = regexp.MustCompile("\\*\\*([^*]+)\\*\\*,\\s+`([0-9a-f]{64})`\n\n```json ([a-z0-9-]+)\n([^\n]+)\n```")

// specExamples reads the examples of the specification's appendix, and checks the digest next
// to each.
func specExamples(t testing.TB) []example {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join("..", "docs", "spec.md")))(t)
	var all []example
	for _, m := range exampleBlock.FindAllSubmatch(text, -1) {
		sum := sha256.Sum256(m[4])
		if got := hex.EncodeToString(sum[:]); got != string(m[2]) {
			t.Errorf("docs/spec.md: the example %q has the digest %s, but %s stands beside it", m[1], got, m[2])
		}
		all = append(all, example{string(m[3]), m[4]})
	}
	n := bytes.Count(text, []byte("```json "))
	check.That(t, n == len(all), "docs/spec.md: %d of %d examples could be read", len(all), n)
	return all
}

// sceneBundles builds a bundle with a revocation, and one with capability
// evidence, in this order.
func sceneBundles(t testing.TB) []example {
	t.Helper()
	return []example{sceneBundle(t, "revoked", "revocation_receipt"), sceneBundle(t, "capability", "capability_evidence")}
}

// sceneBundle builds the first bundle of a scene that has the given member.
func sceneBundle(t testing.TB, name, member string) example {
	t.Helper()
	scene := must.Get(harness.Build(name, 1, harness.Options{}))(t)
	for _, export := range scene.Exports {
		if export.Bundle[member] != nil {
			return example{"bundle", seal.Canonical(export.Bundle)}
		}
	}
	t.Fatalf("the scene %s has no bundle with %s", name, member)
	return example{}
}

func conforms(t *testing.T, e example) {
	t.Helper()
	check.OK(t, schemas.Conformance(e.schema, e.doc), "%.80s", e.doc)
}

// outputs are documents of the programs and not of the formats: the tests of the programs
// check their output against them.
var outputs = []string{
	"affected", "archive-accepted", "archive-bag", "archive-check", "archive-compare", "archive-diff", "archive-evidence",
	"archive-export", "archive-log", "archive-record", "archive-seal", "archive-status", "batches",
	"case-report", "changes", "check-item", "check-run", "conformance", "contradiction", "crosscheck", "custody", "events",
	"findings", "gaps", "ingest", "ingest-explained", "inspect", "node-check", "pack", "part-description", "plan",
	"progress", "receive", "report", "schema-validate", "show", "status", "status-row", "timeline", "trust-diff",
	"trust-history", "trust-lint", "trust-show", "verify",
	"verify-contradiction", "verify-record", "version", "walk",
}

func TestSpecExamplesConform(t *testing.T) {
	seen := map[string]bool{
		"bundle":             true, // shown in part only; the scenes have whole ones
		"contradiction-file": true, // holds two bundles; package contradiction has whole ones
		"pack-line":          true, // holds signed parts; package pack has whole ones
	}
	for _, name := range outputs {
		seen[name] = true
	}
	for _, e := range specExamples(t) {
		conforms(t, e)
		seen[e.schema] = true
	}
	for _, name := range schemas.Names() {
		check.That(t, seen[name], "docs/spec.md has no example of the document %q", name)
	}
}

func TestScenesConform(t *testing.T) {
	for _, name := range []string{"issued", "revoked", "capability", "rotated-keys", "legacy", "denied"} {
		t.Run(name, func(t *testing.T) {
			scene := must.Get(harness.Build(name, 7, harness.Options{}))(t)
			conforms(t, example{"trust", seal.Canonical(scene.Trust)})
			for _, export := range scene.Exports {
				conforms(t, example{"bundle", seal.Canonical(export.Bundle)})
			}
			for _, event := range slices.Concat(scene.Tenant, scene.Journals["mesh-berlin-1"]) {
				conforms(t, example{"audit-event", seal.Canonical(event)})
			}
		})
	}
}

// optional lists the members that a document may leave out, as the last two
// names of their place.
var optional = map[string]bool{
	"body transaction_id":      true,
	" minimum_audit_witnesses": true,
	" revocation_receipt":      true,
	"before verdict":           true,
	"after verdict":            true,
	"before wrong":             true,
	"after wrong":              true,
	"policy minimum_approvals": true,
	"policy tenant_id":         true,
}

// optionalIn are members that one kind of document may leave out at its top.
var optionalIn = map[string][]string{
	"archive-run":    {"tool_sha256", "seed", "sample"},
	"archive-object": {"verdict", "verified", "wrong"},
	"archive-change": {"before", "after"},
	"custody-entry":  {"walk"},
}

// TestEveryMemberCounts removes every member of every example, and adds an
// unknown one to every object: each must be noticed, except where the format
// leaves it open. With -short it is a third of the members.
func TestEveryMemberCounts(t *testing.T) {
	tried := 0
	for _, e := range slices.Concat(specExamples(t), sceneBundles(t)) {
		root := decode(t, e.doc)
		for _, o := range objects(root, "") {
			if isOpen(e, o) {
				continue
			}
			if tried++; !testing.Short() || tried%9 == 0 {
				o.members["unknown"] = true
				refused(t, e, root, o.name+" with an unknown member")
				delete(o.members, "unknown")
			}
			if e.schema == "trust" && o.name != "" || o.name == "counts" {
				continue // a map: its members are data
			}
			for _, name := range names(o.members) {
				free := optional[o.name+" "+name] || o.name == "" && slices.Contains(optionalIn[e.schema], name)
				if free && o.members["type"] != "issuance.completed" && o.members["type"] != "certificate.revoked" {
					continue
				}
				if tried++; testing.Short() && tried%9 != 0 {
					continue
				}
				value := o.members[name]
				delete(o.members, name)
				refused(t, e, root, o.name+" without "+name)
				o.members[name] = value
			}
		}
	}
}

// object is one object of a decoded document and the name of its member.
type object struct {
	name    string
	members map[string]any
	parent  map[string]any
}

// objects lists every object of a document, outermost first.
func objects(v any, name string) []object { return objectsWithin(v, name, nil) }

func objectsWithin(v any, name string, parent map[string]any) []object {
	var all []object
	switch v := v.(type) {
	case map[string]any:
		all = append(all, object{name, v, parent})
		for _, n := range names(v) {
			all = append(all, objectsWithin(v[n], n, v)...)
		}
	case []any:
		for _, element := range v {
			all = append(all, objectsWithin(element, name, parent)...)
		}
	}
	return all
}

// isOpen reports whether the object is data that no rule closes.
func isOpen(e example, o object) bool {
	if o.name != "data" {
		return false
	}
	if e.schema == "trust-event" {
		return true
	}
	closed := []string{"approval.recorded", "decision.recorded", "issuance.completed", "certificate.revoked",
		"node.reported", "approval.signed", "checkpoint.witnessed", "capability.observed"}
	kind, _ := o.parent["type"].(string)
	return !slices.Contains(closed, kind)
}

func names(members map[string]any) []string {
	var all []string
	for n := range members {
		all = append(all, n)
	}
	slices.Sort(all)
	return all
}

func decode(t testing.TB, doc []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var v any
	must.Do(t, d.Decode(&v))
	return v
}

func refused(t *testing.T, e example, root any, what string) {
	t.Helper()
	doc := must.Get(json.Marshal(root))(t)
	violations := must.Get(schemas.FindViolations(e.schema, doc))(t)
	check.That(t, len(violations) > 0, "%s: %s was accepted", e.schema, strings.TrimSpace(what))
}
