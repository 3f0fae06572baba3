package trust

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/eddsa"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/must"
)

// private returns the n-th test key.
func private(n byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
}

func public(n byte) string { return encode(private(n).Public().(ed25519.PublicKey)) }

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// file builds a trust file; each argument replaces the text of one member, and
// an empty text removes it.
func file(changes map[string]string) []byte {
	members := map[string]string{
		"audit_keys":            fmt.Sprintf(`{"audit-1": %q}`, public(1)),
		"protected_signer_keys": fmt.Sprintf(`{"signer-1": %q}`, public(2)),
		"registries":            fmt.Sprintf(`{"1": %q}`, encode(make([]byte, 32))),
		"nodes": fmt.Sprintf(`{"node-a": %q, "node-b": %q, "node-b/2": %q}`, public(3), public(4),
			public(5)),
		"minimum_audit_witnesses": "2",
	}
	for name, text := range changes {
		members[name] = text
		if text == "" {
			delete(members, name)
		}
	}
	var lines []string
	for name, text := range members {
		lines = append(lines, fmt.Sprintf("%q: %s", name, text))
	}
	slices.Sort(lines)
	return []byte("{" + strings.Join(lines, ", ") + "}")
}

func TestParse(t *testing.T) {
	root, err := Parse(file(nil))
	must.Do(t, err)
	got := root.MinimumWitnesses()
	check.That(t, got == 2, "minimum %d, want 2", got)
	if got := root.Nodes(); !slices.Equal(got, []string{"node-a", "node-b"}) {
		t.Errorf("nodes %v", got)
	}
	k, ok := root.Key(Node, "node-b/2")
	check.That(t, ok && k.Node == "node-b" && encode(k.Public[:]) == public(5), "node-b/2 is %+v", k)
	_, ok = root.Key(Audit, "node-a")
	check.That(t, !ok, "a node's key in the role audit")
	root, err = Parse(file(map[string]string{"minimum_audit_witnesses": ""}))
	check.That(t, err == nil && root.MinimumWitnesses() == 1, "without a minimum: %v, %v", root, err)
}

func TestParseRefuses(t *testing.T) {
	identity := encode(append([]byte{1}, make([]byte, 31)...))
	nonCanonical := slices.Repeat([]byte{0xff}, 32)
	nonCanonical[0], nonCanonical[31] = 0xee, 0x7f // p + 1: the identity's other encoding
	tests := []struct {
		name, member, text string
		code, pointer      string
	}{
		{"no audit keys", "audit_keys", "", form.BadValue, ""},
		{"empty nodes", "nodes", "{}", form.BadValue, "/nodes"},
		{"list of nodes", "nodes", "[]", form.BadValue, "/nodes"},
		{"unknown member", "expires", `"2027-01-01"`, form.UnknownMember, "/expires"},
		{"member in other case", "Nodes", "{}", form.UnknownMember, "/Nodes"},
		{"negative minimum", "minimum_audit_witnesses", "-1", form.BadValue, "/minimum_audit_witnesses"},
		{"fractional minimum", "minimum_audit_witnesses", "2.0", ijson.CodeSyntax, "/minimum_audit_witnesses"},
		{"minimum as text", "minimum_audit_witnesses", `"2"`, form.BadValue, "/minimum_audit_witnesses"},
		{"huge minimum", "minimum_audit_witnesses", "1025", form.BadValue, "/minimum_audit_witnesses"},
		{"short key", "audit_keys", fmt.Sprintf(`{"a": %q}`, encode(make([]byte, 31))), form.BadValue, "/audit_keys/a"},
		{"long key", "audit_keys", fmt.Sprintf(`{"a": %q}`, encode(make([]byte, 33))), form.BadValue, "/audit_keys/a"},
		{"empty key", "audit_keys", `{"a": ""}`, form.BadValue, "/audit_keys/a"},
		{"padded key", "audit_keys", fmt.Sprintf(`{"a": "%s="}`, public(7)), form.BadValue, "/audit_keys/a"},
		{"key with a newline", "audit_keys", `{"a": "` + public(7) + `\n"}`, form.BadValue, "/audit_keys/a"},
		{"all zero key", "audit_keys", fmt.Sprintf(`{"a": %q}`, encode(make([]byte, 32))), WeakKey, "/audit_keys/a"},
		{"identity", "audit_keys", fmt.Sprintf(`{"a": %q}`, identity), WeakKey, "/audit_keys/a"},
		{"not canonical", "audit_keys", fmt.Sprintf(`{"a": %q}`, encode(nonCanonical)), WeakKey, "/audit_keys/a"},
		{"not on the curve", "audit_keys", fmt.Sprintf(`{"a": %q}`, encode(append([]byte{2}, make([]byte, 31)...))),
			WeakKey, "/audit_keys/a"},
		{"one key, two nodes", "nodes", fmt.Sprintf(`{"x": %q, "y": %q}`, public(3), public(3)), DuplicateKey, "/nodes/y"},
		{"one key, two generations", "nodes", fmt.Sprintf(`{"x": %q, "x/2": %q}`, public(3), public(3)), DuplicateKey,
			"/nodes/x~12"},
		{"node key is the audit key", "nodes", fmt.Sprintf(`{"x": %q}`, public(1)), DuplicateKey, "/nodes/x"},
		{"signer key is the audit key", "protected_signer_keys", fmt.Sprintf(`{"s": %q}`, public(1)), DuplicateKey,
			"/protected_signer_keys/s"},
		{"generation 1", "nodes", fmt.Sprintf(`{"x/1": %q}`, public(3)), form.BadValue, "/nodes/x~11"},
		{"generation 02", "nodes", fmt.Sprintf(`{"x/02": %q}`, public(3)), form.BadValue, "/nodes/x~102"},
		{"two slashes", "nodes", fmt.Sprintf(`{"x/2/3": %q}`, public(3)), form.BadValue, "/nodes/x~12~13"},
		{"no-break space in a node id", "nodes", fmt.Sprintf(`{"x\u00a0": %q}`, public(3)), form.BadValue, "/nodes/x\u00a0"},
		{"registry 0", "registries", fmt.Sprintf(`{"0": %q}`, encode(make([]byte, 32))), form.BadValue, "/registries/0"},
		{"registry 01", "registries", fmt.Sprintf(`{"01": %q}`, encode(make([]byte, 32))), form.BadValue, "/registries/01"},
		{"short registry pin", "registries", fmt.Sprintf(`{"1": %q}`, encode(make([]byte, 31))), form.BadValue,
			"/registries/1"},
		{"hex registry pin", "registries", `{"1": "` + strings.Repeat("0", 64) + `"}`, form.BadValue, "/registries/1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(file(map[string]string{tt.member: tt.text}))
			var faults Faults
			must.That(t, errors.As(err, &faults) && len(faults) != 0, "accepted: %v", err)
			if f := faults[0]; f.Code != tt.code || f.Path != tt.pointer {
				t.Errorf("%s at %q, want %s at %q", f.Code, f.Path, tt.code, tt.pointer)
			}
		})
	}
}

func TestParseReportsEveryFault(t *testing.T) {
	_, err := Parse(file(map[string]string{"audit_keys": `{"a": "x"}`, "nodes": "{}", "registries": `{"x": "y"}`}))
	var faults Faults
	check.That(t, errors.As(err, &faults) && len(faults) == 3, "faults %v, want 3", err)
	for _, doc := range []string{"", "null", "[]", "{}", "{", strings.Repeat(" ", 2<<20)} {
		check.That(t, check.Err(Parse([]byte(doc))) != nil, "%.10q was accepted", doc)
	}
}

// TestOneKeyIsOneWitness: whatever names a key is given, it counts once, and so
// does a node whatever its number of keys.
func TestOneKeyIsOneWitness(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var keys []Key
		nodes, publics := map[int]bool{}, map[int]bool{}
		for range rapid.IntRange(0, 12).Draw(t, "keys") {
			node, public := rapid.IntRange(0, 4).Draw(t, "node"), rapid.IntRange(0, 4).Draw(t, "public")
			nodes[node], publics[public] = true, true
			keys = append(keys, Key{Node: fmt.Sprint("node-", node), Public: PublicKey{byte(public)}})
		}
		got, want := Distinct(keys), min(len(nodes), len(publics))
		must.That(t, got == want, "Distinct = %d, want %d", got, want)
	})
}

func FuzzParse(f *testing.F) {
	f.Add(file(nil))
	f.Add(file(map[string]string{"minimum_audit_witnesses": ""}))
	f.Add(file(map[string]string{"nodes": fmt.Sprintf(`{"x": %q, "y": %q}`, public(3), public(3))}))
	f.Add([]byte(`{"audit_keys":{},"audit_keys":{}}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		root, err := Parse(doc)
		if err != nil {
			return
		}
		canonical, fault := ijson.Canonical(doc)
		must.That(t, fault == nil, "accepted, but not strict JSON: %v", fault)
		again, err := Parse(canonical)
		must.That(t, err == nil, "accepted, but not its canonical form: %v", err)
		must.That(t, slices.Equal(root.Keys(Node), again.Keys(Node)) && root.MinimumWitnesses() == again.MinimumWitnesses(),
			"the canonical form is another trust file")
		seen := map[PublicKey]bool{}
		for _, role := range Roles {
			for _, k := range root.Keys(role) {
				must.That(t, !seen[k.Public] && eddsa.Weakness(k.Public) == "", "weak or repeated key %s", k.ID)
				seen[k.Public] = true
			}
		}
	})
}
