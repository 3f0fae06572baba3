package trust

import (
	"crypto/ed25519"
	"reflect"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/eddsa"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/vectors"
)

// TestPAE holds the examples of the DSSE specification.
func TestPAE(t *testing.T) {
	for _, tt := range []struct{ protocol, payload, want string }{
		{"http://example.com/HelloWorld", "hello world", "DSSEv1 29 http://example.com/HelloWorld 11 hello world"},
		{"", "", "DSSEv1 0  0 "},
		{"a b", "c", "DSSEv1 3 a b 1 c"},
		{"a", "b c", "DSSEv1 1 a 3 b c"},
	} {
		check.Equal(t, string(PAE(tt.protocol, []byte(tt.payload))), tt.want,
			"PAE(%q, %q) =", tt.protocol, tt.payload)
	}
}

// word is a statement for these tests: the signatory that it claims.
type word Signatory

func (w word) Signatory() Signatory { return Signatory(w) }

func sealWith(n byte, id string, w word) Sealed[word] {
	e := Envelope{Protocol: "svc.test.v1", Payload: []byte(`{}`), KeyID: id, Pointer: "/x"}
	e.Signature = ed25519.Sign(private(n), PAE(e.Protocol, e.Payload))
	return Seal(e, w)
}

func TestOpen(t *testing.T) {
	root := must.Get(Parse(file(nil)))(t)
	session := NewSession(root, SessionMemory)
	node := func(id string) word { return word{Role: Node, Node: id} }
	tests := []struct {
		name   string
		sealed Sealed[word]
		alter  func(*Sealed[word])
		code   finding.Code
		at     string
	}{
		{name: "audit", sealed: sealWith(1, "audit-1", word{Role: Audit})},
		{name: "signer", sealed: sealWith(2, "signer-1", word{Role: Signer})},
		{name: "node", sealed: sealWith(3, "node-a", node("node-a"))},
		{name: "node, second generation", sealed: sealWith(5, "node-b/2", node("node-b"))},
		{name: "another node's name", sealed: sealWith(3, "node-a", node("node-b")), code: KeyOfOtherNode, at: "/x/key_id"},
		{name: "generation as the node's name", sealed: sealWith(5, "node-b/2", node("node-b/2")),
			code: KeyOfOtherNode, at: "/x/key_id"},
		{name: "unknown key", sealed: sealWith(9, "node-x", node("node-x")), code: KeyUnknown, at: "/x/key_id"},
		{name: "unknown key under a known id", sealed: sealWith(9, "node-a", node("node-a")), code: SignatureInvalid,
			at: "/x/signature"},
		{name: "key of another role", sealed: sealWith(1, "audit-1", node("audit-1")), code: KeyUnknown, at: "/x/key_id"},
		{name: "key of another role under the right id", sealed: sealWith(1, "node-a", node("node-a")),
			code: SignatureInvalid, at: "/x/signature"},
		{name: "first generation's id, second's key", sealed: sealWith(5, "node-b", node("node-b")),
			code: SignatureInvalid, at: "/x/signature"},
		{name: "no role", sealed: sealWith(1, "audit-1", word{}), code: KeyUnknown, at: "/x/key_id"},
		{name: "other protocol", sealed: sealWith(1, "audit-1", word{Role: Audit}),
			alter: func(s *Sealed[word]) { s.Protocol = "svc.test.v2" }, code: SignatureInvalid, at: "/x/signature"},
		{name: "other payload", sealed: sealWith(1, "audit-1", word{Role: Audit}),
			alter: func(s *Sealed[word]) { s.Payload = []byte(`{ }`) }, code: SignatureInvalid, at: "/x/signature"},
		{name: "short signature", sealed: sealWith(1, "audit-1", word{Role: Audit}),
			alter: func(s *Sealed[word]) { s.Signature = s.Signature[:63] }, code: SignatureInvalid, at: "/x/signature"},
		{name: "no signature", sealed: sealWith(1, "audit-1", word{Role: Audit}),
			alter: func(s *Sealed[word]) { s.Signature = nil }, code: SignatureInvalid, at: "/x/signature"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.alter != nil {
				tt.alter(&tt.sealed)
			}
			opened, refusal := Open(root, tt.sealed)
			if o, again := Open(session.Root(), tt.sealed); !reflect.DeepEqual(o, opened) || !reflect.DeepEqual(again, refusal) {
				t.Errorf("in a session: %+v, %+v", o, again)
			}
			switch {
			case tt.code == "" && refusal != nil:
				t.Errorf("refused: %+v", refusal)
			case tt.code == "" && opened.Key.ID != tt.sealed.KeyID:
				t.Errorf("opened by %s", opened.Key.ID)
			case tt.code != "" && refusal == nil:
				t.Error("opened")
			case tt.code != "" && (refusal.Code != tt.code || refusal.Path != tt.at || refusal.Expected == "" ||
				refusal.Found == ""):
				t.Errorf("refused with %+v, want %s at %s", refusal, tt.code, tt.at)
			}
		})
	}
}

// TestPresume: a key that is unknown is presumed only under an id that could be pinned for the
// statement.
func TestPresume(t *testing.T) {
	root := must.Get(Parse(file(nil)))(t)
	check.That(t, root.Lacks("node-x") && !root.Lacks("audit-1") && !root.Lacks("node-b/2"), "the ids that are lacking")
	check.That(t, len(root.Registries()) > 0, "no registry is pinned")
	for _, tt := range []struct {
		id    string
		by    word
		could bool
	}{
		{"audit-9", word{Role: Audit}, true},
		{"audit 9", word{Role: Audit}, false},
		{"node-x", word{Role: Node, Node: "node-x"}, true},
		{"node-x/2", word{Role: Node, Node: "node-x"}, true},
		{"node-x/1", word{Role: Node, Node: "node-x"}, false},
		{"node-x", word{Role: Node, Node: "node-y"}, false},
	} {
		opened, ok := Presume(sealWith(9, tt.id, tt.by))
		check.That(t, ok == tt.could && (!ok || opened.Key.ID == tt.id && opened.Key.Node == tt.by.Node),
			"%s for %+v: %t, %+v", tt.id, tt.by, ok, opened.Key)
	}
}

// accepts is the predicate of the trust file and of Open together.
func accepts(public, message, signature []byte) bool {
	if len(public) != ed25519.PublicKeySize {
		return false
	}
	k := PublicKey(public)
	return eddsa.Weakness(k) == "" && k.isSignedBy(message, signature)
}

// TestPublicVectors: a signature is accepted exactly if its vector is valid, after the
// strictness about keys.
func TestPublicVectors(t *testing.T) {
	for i, v := range vectors.Ed25519(t) {
		check.Equal(t, accepts(v.Public, v.Message, v.Signature), v.Valid,
			"%s, vector %d: accepted", v.Source, i)
	}
}
