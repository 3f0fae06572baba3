package trustfile

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

func TestLint(t *testing.T) {
	rfc := encode(must.Get(hex.DecodeString("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"))(t))
	tests := []struct {
		name, member, text string
		code               finding.Code
		path               string
	}{
		{"key of RFC 8032", "audit_keys", fmt.Sprintf(`{"a": %q}`, rfc), KnownKey, "/audit_keys/a"},
		{"key of a trivial seed", "nodes", fmt.Sprintf(`{"n/2": %q}`, public(9)), KnownKey, "/nodes/n~12"},
		{"more witnesses than nodes", "minimum_audit_witnesses", "3", QuorumUnreachable, "/minimum_audit_witnesses"},
		{"no witness", "minimum_audit_witnesses", "0", QuorumZero, "/minimum_audit_witnesses"},
		{"half the nodes", "minimum_audit_witnesses", "1", SplitViewPossible, "/minimum_audit_witnesses"},
		{"no minimum given", "minimum_audit_witnesses", "", SplitViewPossible, "/minimum_audit_witnesses"},
		{"one node", "nodes", fmt.Sprintf(`{"n": %q, "n/2": %q}`, public(8), public(9)), SingleNode, "/nodes"},
		{"two audit keys", "audit_keys", fmt.Sprintf(`{"a": %q, "b": %q}`, public(8), public(9)), SeveralKeys, "/audit_keys"},
		{"two signer keys", "protected_signer_keys", fmt.Sprintf(`{"a": %q, "b": %q}`, public(8), public(9)),
			SeveralKeys, "/protected_signer_keys"},
		{"two keys of a node", "nodes", fmt.Sprintf(`{"n": %q, "n/2": %q}`, public(8), public(9)), SeveralKeys, "/nodes"},
		{"no first key", "nodes", fmt.Sprintf(`{"n/2": %q}`, public(9)), OlderMissing, "/nodes/n~12"},
		{"pin of an empty file", "registries", `{"1": "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"}`, PinOfNothing,
			"/registries/1"},
		{"pin of zeros", "registries", fmt.Sprintf(`{"1": %q}`, encode(make([]byte, 32))), PinOfNothing, "/registries/1"},
		{"registries 1 and 3", "registries", fmt.Sprintf(`{"1": %q, "3": %q}`, public(8), public(9)), OlderMissing,
			"/registries"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			notices := Lint(parse(t, map[string]string{tt.member: tt.text}), nil)
			i := slices.IndexFunc(notices, func(n Notice) bool { return n.Code == tt.code && n.Path == tt.path })
			must.That(t, i >= 0, "no %s at %s in %+v", tt.code, tt.path, notices)
			if n := notices[i]; n.Severity == "" || n.Sentence == "" || strings.Contains(n.Sentence, "{") {
				t.Errorf("notice %+v", n)
			}
		})
	}
}

// TestLintOfASoundFile: a file gets no notice if two of its three nodes must witness, and no
// one knows its keys.
func TestLintOfASoundFile(t *testing.T) {
	root := parse(t, map[string]string{
		"audit_keys":            `{"a": "xgUi5ihckmhKZ7QH-MZpOWbYLLLcH3IZ0wxk--2EMjg"}`,
		"protected_signer_keys": `{"s": "kvgqABAPVmKPEliSG_zWHn8GwDRzZugy2yhxGP7xxD8"}`,
		"registries":            `{"1": "2dxzyyhF3qEvKrDirYi6RBNHTwGkf0M8T_OjmaFhxKg"}`,
		"nodes": `{"a": "7nDgaT-IXw25vJ6krpmTYVOirLdzFeI_i1L0ey9SNtc", "b": "JrzAh3VcqoyJLPlDv-FJUvDfsganpkL3_X0LmFSwjYc",
			"c": "6tjuf9j3w07BoXjH9K2Fx7semvCHv3waHbhI9BRRBIQ"}`,
	})
	if notices := Lint(root, nil); len(notices) > 0 {
		t.Errorf("notices %+v", notices)
	}
	k, _ := root.Key(trust.Node, "b")
	notices := Lint(root, map[trust.PublicKey]string{k.Public: "a key of a demonstration"})
	check.That(t, len(notices) == 1 && notices[0].Code == KnownKey && notices[0].Path == "/nodes/b" &&
		notices[0].Severity == Warning, "with a known key: %+v", notices)
}

// TestPublicSeeds compares the keys of the seeds with the public keys that RFC 8032, section
// 7.1, gives with them.
func TestPublicSeeds(t *testing.T) {
	known := publicSeeds()
	for i, text := range []string{
		"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
		"3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
		"fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
		"278117fc144c72340f67d0f2316e8386ceffbf2b2428c9c51fef7c597f1d426e",
		"ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
	} {
		want := fmt.Sprintf("the test key %d of RFC 8032", i+1)
		check.Equal(t, known[trust.PublicKey(must.Get(hex.DecodeString(text))(t))], want, "%s", text)
	}
	check.That(t, len(known) == 5+1+256, "%d known keys", len(known))
}

// TestNotices: each entry is whole, and its code is its own.
func TestNotices(t *testing.T) {
	seen := map[finding.Code]bool{}
	for _, r := range finding.Codes("trust-notices") {
		check.That(t, !seen[r.Code] && r.Severity != "" && r.Spec != "" && r.Sentence != "" && r.Arises != "" &&
			r.Next != "", "entry %+v", r)
		seen[r.Code] = true
	}
}

// TestLintBeside: a node key that two tenants' files have is named where it is in
// the first, under whatever name it is in the second. Other roles may be
// served by one key for both.
func TestLintBeside(t *testing.T) {
	ours := parse(t, map[string]string{"nodes": fmt.Sprintf(`{"n": %q, "n/2": %q}`, public(8), public(9))})
	theirs := parse(t, map[string]string{"nodes": fmt.Sprintf(`{"m/3": %q, "n": %q}`, public(9), public(10))})
	notices := LintBeside(ours, theirs)
	check.That(t, len(notices) == 1 && notices[0].Code == KeyOfTwoTenants && notices[0].Path == "/nodes/n~12" &&
		notices[0].Severity == Warning && strings.HasSuffix(notices[0].Sentence, "node m/3"), "notices %+v", notices)
	apart := parse(t, map[string]string{"nodes": fmt.Sprintf(`{"n": %q, "n/2": %q}`, public(10), public(11))})
	if notices := LintBeside(ours, apart); notices == nil || len(notices) > 0 {
		t.Errorf("one name and other keys: %+v", notices)
	}
}
