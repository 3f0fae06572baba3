package schemas_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/schemas"
)

// set replaces the value at a pointer (without escapes in it) of a decoded
// document.
func set(t *testing.T, root any, pointer string, value any) {
	t.Helper()
	path := strings.Split(pointer, "/")[1:]
	for _, name := range path[:len(path)-1] {
		switch v := root.(type) {
		case map[string]any:
			root = v[name]
		case []any:
			i := must.Get(strconv.Atoi(name))(t)
			root = v[i]
		}
	}
	last := path[len(path)-1]
	switch v := root.(type) {
	case map[string]any:
		v[last] = value
	case []any:
		i := must.Get(strconv.Atoi(last))(t)
		v[i] = value
	default:
		t.Fatalf("nothing at %s", pointer)
	}
}

// members is an object of n members, each a key.
func members(n int) map[string]any {
	all := map[string]any{}
	for i := range n {
		all[strconv.Itoa(i+1)] = strings.Repeat("A", 43)
	}
	return all
}

// nearMiss is values of an example of a schema that are refused, and others that are taken.
type nearMiss struct {
	schema, pointer string
	bad, good       []any
}

var repeatedText = regexp.MustCompile(`\{(\w+)\*(\d+)\}`)

// nearMisses reads testdata/near_misses.txt.
func nearMisses(t *testing.T) []nearMiss {
	t.Helper()
	all := []nearMiss{
		{"trust", "/audit_keys", []any{map[string]any{}, members(1025)}, []any{members(1024)}},
		{"trust", "/nodes", []any{map[string]any{}, members(65537)}, []any{members(65536)}},
	}
	text := string(must.Get(os.ReadFile(filepath.Join("testdata", "near_misses.txt")))(t))
	text = repeatedText.ReplaceAllStringFunc(text, func(s string) string {
		m := repeatedText.FindStringSubmatch(s)
		return strings.Repeat(m[1], must.Get(strconv.Atoi(m[2]))(t))
	})
	for line := range strings.Lines(text) {
		if words := strings.SplitN(line, " ", 3); len(words) == 3 && words[0] != "#" {
			bad, good, _ := strings.Cut(words[2], " | ")
			all = append(all, nearMiss{words[0], words[1], decodeValues(t, bad), decodeValues(t, good)})
		}
	}
	return all
}

// TestNearMisses changes one value of an example; the violation must be at
// that value.
func TestNearMisses(t *testing.T) {
	examples := specExamples(t)
	for _, tt := range nearMisses(t) {
		t.Run(tt.schema+tt.pointer, func(t *testing.T) {
			i := slices.IndexFunc(examples, func(e example) bool { return e.schema == tt.schema })
			root := decode(t, examples[i].doc)
			for _, value := range tt.bad {
				set(t, root, tt.pointer, value)
				if v := violations(t, tt.schema, root); !slices.ContainsFunc(v,
					func(v schemas.Violation) bool { return v.Pointer == tt.pointer }) {
					t.Errorf("%.60v: the violations are %v", value, v)
				}
			}
			for _, value := range tt.good {
				set(t, root, tt.pointer, value)
				v := violations(t, tt.schema, root)
				check.That(t, len(v) == 0, "%.60v: the violations are %v", value, v)
			}
		})
	}
}

func violations(t *testing.T, schema string, root any) []schemas.Violation {
	t.Helper()
	doc := must.Get(json.Marshal(root))(t)
	return must.Get(schemas.FindViolations(schema, doc))(t)
}

// TestForbiddenMembers adds a member that belongs to a sibling of the document.
func TestForbiddenMembers(t *testing.T) {
	tests := []struct {
		schema, having  string // an example of the schema that has this text
		pointer         string
		value           any
		violatedPointer string
	}{
		{"decision", `"trust_domain":"service"`, "/node_id", "mesh-oslo-1", "/node_id"},
		{"decision", `"trust_domain":"service"`, "/approvals", []any{strings.Repeat("ab", 32)}, "/approvals"},
		{"evidence-status", `"status":"issued"`, "/revocation_receipt_sha256", strings.Repeat("ab", 32),
			"/revocation_receipt_sha256"},
		{"audit-checkpoint", `.v0"`, "/required_witnesses", 1, "/required_witnesses"},
		{"audit-checkpoint", `.v1"`, "/protocol", "svc.audit-checkpoint.v0", "/required_witnesses"},
		{"trust", "nodes", "/nodes/mesh-oslo-1~1", "x", "/nodes/mesh-oslo-1~01"},
		{"result", `"verified":false`, "/status", "issued", "/status"},
	}
	for _, tt := range tests {
		t.Run(tt.schema+tt.pointer, func(t *testing.T) {
			examples := specExamples(t)
			i := slices.IndexFunc(examples, func(e example) bool {
				return e.schema == tt.schema && strings.Contains(string(e.doc), tt.having)
			})
			root := decode(t, examples[i].doc)
			set(t, root, tt.pointer, tt.value)
			v := violations(t, tt.schema, root)
			check.That(t, slices.ContainsFunc(v, func(v schemas.Violation) bool { return v.Pointer == tt.violatedPointer }),
				"the violations are %v", v)
		})
	}
}

// TestBundlePlaces puts a statement of another protocol, or of the other trust
// domain, where it does not belong.
func TestBundlePlaces(t *testing.T) {
	bundle := sceneBundles(t)[0]
	places := []string{"/status", "/approvals/0", "/decisions/customer", "/decisions/service", "/signer_receipt",
		"/revocation_receipt", "/checkpoint", "/witness_receipts/0"}
	parts := map[string]any{}
	root := decode(t, bundle.doc).(map[string]any)
	parts["/status"], parts["/signer_receipt"], parts["/checkpoint"] = root["status"], root["signer_receipt"],
		root["checkpoint"]
	parts["/revocation_receipt"] = root["revocation_receipt"]
	parts["/approvals/0"], parts["/witness_receipts/0"] = root["approvals"].([]any)[0], root["witness_receipts"].([]any)[0]
	decisions := root["decisions"].(map[string]any)
	parts["/decisions/customer"], parts["/decisions/service"] = decisions["customer"], decisions["service"]
	for _, place := range places {
		for from, part := range parts {
			changed := decode(t, bundle.doc)
			set(t, changed, place, part)
			v := violations(t, "bundle", changed)
			check.That(t, (len(v) == 0) == (from == place), "the part of %s at %s: %v", from, place, v)
		}
	}
}
