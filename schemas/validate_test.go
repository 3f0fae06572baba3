package schemas

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/must"
)

func TestNothingBeyondTheEmbeddedIsLoaded(t *testing.T) {
	for _, url := range []string{
		"http://localhost/schema.json", "https://json-schema.org/x", "file:///etc/hostname", "schemas.go",
		"bundle.schema.json",
		"urn:svc-edge:schema:nothing:v1", "urn:svc-edge:schema:bundle:v2", "urn:svc-edge:schema:../go.mod:v1",
	} {
		_, err := loadSchema(url)
		check.That(t, err != nil, "%s was loaded", url)
	}
}

func TestReferencesAreRefused(t *testing.T) {
	for _, ref := range []string{"http://localhost/schema.json", "file:///etc/hostname"} {
		c := newCompiler()
		must.Do(t, c.AddResource("urn:test", strings.NewReader(`{"$ref":"`+ref+`"}`)))
		_, err := c.Compile("urn:test")
		check.That(t, err != nil && strings.Contains(err.Error(), "is not an embedded schema"),
			"$ref to %s: error %v", ref, err)
	}
}

func TestValidateHostileInput(t *testing.T) {
	deep := strings.Repeat("[", 40) + strings.Repeat("]", 40)
	tests := []struct{ name, doc, pointer, message string }{
		{"nothing", "", "", ijson.CodeEmpty},
		{"null", "null", "", ijson.CodeSyntax},
		{"number that crashed the library", `{"sequence":1e10000000}`, "/sequence", ijson.CodeSyntax},
		{"fraction", `{"sequence":1.0}`, "/sequence", ijson.CodeSyntax},
		{"duplicate", `{"a":1,"\u0061":1}`, "/a", ijson.CodeAmbiguous},
		{"second document", `{}{}`, "", ijson.CodeTrailingData},
		{"deep", deep, strings.Repeat("/0", 32), ijson.CodeTooLarge},
		{"other type", `[]`, "", "expected object, but got array"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := must.Get(FindViolations("witness-receipt", []byte(tt.doc)))(t)
			check.That(t, len(v) == 1 && v[0].Pointer == tt.pointer && strings.Contains(v[0].Message, tt.message),
				"got %+v, want %q at %q", v, tt.message, tt.pointer)
		})
	}
}

func TestValidateErrors(t *testing.T) {
	tests := []struct{ name, schema, doc, want string }{
		{"no such schema", "nothing", "{}", `"nothing"`},
		{"definitions only", "common", "{}", `"common"`},
		{"too many bytes", "bundle", strings.Repeat(" ", form.MaxBundle+1), "bytes"},
		{"too many values", "bundle", "[" + strings.Repeat("1,", maxValues) + "1]", "values"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := FindViolations(tt.schema, []byte(tt.doc))
			check.That(t, err != nil && v == nil && strings.Contains(err.Error(), tt.want), "got %v and the error %v", v, err)
		})
	}
}

// TestMessagesAreSafe: text of the document reaches a message escaped and cut.
func TestMessagesAreSafe(t *testing.T) {
	v, err := FindViolations("trust", []byte(`{"\u001b[2J\u202e":1,"`+strings.Repeat("x", 10000)+`":1}`))
	must.That(t, err == nil && len(v) > 0, "%v %v", v, err)
	for _, violation := range v {
		for _, r := range violation.Message {
			must.That(t, r >= 0x20 && r <= 0x7e, "the message %q holds %U", violation.Message, r)
		}
		check.That(t, len(violation.Message) <= 5000, "a message of %d bytes", len(violation.Message))
	}
}

// TestPointersAreExact: names that need escapes, in the pointer's own way and
// in the library's.
func TestPointersAreExact(t *testing.T) {
	v := must.Get(FindViolations("trust",
		[]byte(`{"audit_keys":{"a~/% é":1},"protected_signer_keys":{},"registries":{},"nodes":{}}`)))(t)
	want := "/audit_keys/a~0~1% é"
	check.That(t, slices.ContainsFunc(v, func(v Violation) bool { return v.Pointer == want }),
		"got %+v, want one at %q", v, want)
}

func TestViolationsAreSorted(t *testing.T) {
	doc := []byte(`{"zz":1,"yy":1,"xx":1,"ww":1,"tenant_id":"","sequence":0,"log_id":"","node_id":"",` +
		`"head_hash":"","protocol":""}`)
	first, err := FindViolations("witness-receipt", doc)
	must.That(t, err == nil && len(first) >= 7, "%v %v", first, err)
	check.That(t, slices.IsSortedFunc(first, func(a, b Violation) int { return strings.Compare(a.Pointer, b.Pointer) }),
		"not sorted: %+v", first)
	for range 50 {
		again, err := FindViolations("witness-receipt", doc)
		must.That(t, err == nil && reflect.DeepEqual(again, first), "first %+v, then %+v, %v", first, again, err)
	}
}

// FuzzValidate: whatever the bytes, there is an answer, and it depends on the
// document's values only: the canonical form of a document has the same
// violations.
func FuzzValidate(f *testing.F) {
	for _, name := range Names() {
		f.Add(name,
			[]byte(`{"protocol":"svc.approval.v1","terms":{"names":["dns:a","ip:::"]},`+
				`"statement":{"protocol":"svc.decision.v1"}}`))
	}
	f.Add("trust", []byte(`{"nodes":{"a/2":"`+strings.Repeat("A", 43)+`","%":1}}`))
	f.Add("audit-path", []byte(` {"links":[{"event":{"body":{"type":"node.reported","data":{}}}},1,{"sequence":1}]}`))
	f.Fuzz(func(t *testing.T, name string, doc []byte) {
		got, err := FindViolations(name, doc)
		if err != nil {
			must.That(t, got == nil, "both %v and the error %v", got, err)
			return
		}
		canonical, fault := ijson.Canonical(doc)
		if fault != nil {
			must.That(t, len(got) == 1 && got[0].Pointer == fault.Path,
				"a document that cannot be read (%v) has the violations %v", fault, got)
			return
		}
		if again, err := FindViolations(name, canonical); err != nil || !reflect.DeepEqual(got, again) {
			t.Fatalf("%v, but in canonical form %v, %v", got, again, err)
		}
	})
}

// TestConformance: each violation has a line, and so has a schema that there is not.
func TestConformance(t *testing.T) {
	const registry = `{"created_at":"2026-03-02T09:00:05.366Z","generation":2,"protocol":"svc.signer-registry.v1",` +
		`"signers":[{"algorithms":["ed25519"],` +
		`"issuer_public_key_sha256":["16797bf244623598aa0944aa4918592da4309d6b4be499525b41b32b7f369a8b"],` +
		`"key_id":"signer-2026-1","public_key":"kvgqABAPVmKPEliSG_zWHn8GwDRzZugy2yhxGP7xxD8"}]}`
	for _, tt := range []struct {
		name, doc string
		want      int
	}{
		{"signer-registry", registry, 0},
		{"signer-registry", strings.NewReplacer("ed25519", "ed448", ":2,", ":0,").Replace(registry), 2},
		{"no such form", registry, 1},
	} {
		var lines []string
		if err := Conformance(tt.name, []byte(tt.doc)); err != nil {
			lines = strings.Split(err.Error(), "\n")
		}
		check.That(t, len(lines) == tt.want, "%s: %q, want %d lines", tt.name, lines, tt.want)
	}
}
