package trust

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestPAE holds the examples of the DSSE specification.
func TestPAE(t *testing.T) {
	for _, tt := range []struct{ protocol, payload, want string }{
		{"http://example.com/HelloWorld", "hello world", "DSSEv1 29 http://example.com/HelloWorld 11 hello world"},
		{"", "", "DSSEv1 0  0 "},
		{"a b", "c", "DSSEv1 3 a b 1 c"},
		{"a", "b c", "DSSEv1 1 a 3 b c"},
	} {
		if got := string(PAE(tt.protocol, []byte(tt.payload))); got != tt.want {
			t.Errorf("PAE(%q, %q) = %q, want %q", tt.protocol, tt.payload, got, tt.want)
		}
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
	root, err := Parse(file(nil))
	if err != nil {
		t.Fatal(err)
	}
	node := func(id string) word { return word{Role: Node, Node: id} }
	tests := []struct {
		name   string
		sealed Sealed[word]
		alter  func(*Sealed[word])
		code   string
		at     string
	}{
		{name: "audit", sealed: sealWith(1, "audit-1", word{Role: Audit})},
		{name: "signer", sealed: sealWith(2, "signer-1", word{Role: Signer})},
		{name: "node", sealed: sealWith(3, "node-a", node("node-a"))},
		{name: "node, second generation", sealed: sealWith(5, "node-b/2", node("node-b"))},
		{name: "another node's name", sealed: sealWith(3, "node-a", node("node-b")), code: KeyOfOtherNode, at: "/x/key_id"},
		{name: "generation as the node's name", sealed: sealWith(5, "node-b/2", node("node-b/2")), code: KeyOfOtherNode, at: "/x/key_id"},
		{name: "unknown key", sealed: sealWith(9, "node-x", node("node-x")), code: KeyUnknown, at: "/x/key_id"},
		{name: "unknown key under a known id", sealed: sealWith(9, "node-a", node("node-a")), code: SignatureInvalid, at: "/x/signature"},
		{name: "key of another role", sealed: sealWith(1, "audit-1", node("audit-1")), code: KeyUnknown, at: "/x/key_id"},
		{name: "key of another role under the right id", sealed: sealWith(1, "node-a", node("node-a")), code: SignatureInvalid, at: "/x/signature"},
		{name: "first generation's id, second's key", sealed: sealWith(5, "node-b", node("node-b")), code: SignatureInvalid, at: "/x/signature"},
		{name: "no role", sealed: sealWith(1, "audit-1", word{}), code: KeyUnknown, at: "/x/key_id"},
		{name: "other protocol", sealed: sealWith(1, "audit-1", word{Role: Audit}), alter: func(s *Sealed[word]) { s.Protocol = "svc.test.v2" }, code: SignatureInvalid, at: "/x/signature"},
		{name: "other payload", sealed: sealWith(1, "audit-1", word{Role: Audit}), alter: func(s *Sealed[word]) { s.Payload = []byte(`{ }`) }, code: SignatureInvalid, at: "/x/signature"},
		{name: "short signature", sealed: sealWith(1, "audit-1", word{Role: Audit}), alter: func(s *Sealed[word]) { s.Signature = s.Signature[:63] }, code: SignatureInvalid, at: "/x/signature"},
		{name: "no signature", sealed: sealWith(1, "audit-1", word{Role: Audit}), alter: func(s *Sealed[word]) { s.Signature = nil }, code: SignatureInvalid, at: "/x/signature"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.alter != nil {
				tt.alter(&tt.sealed)
			}
			opened, refusal := Open(root, tt.sealed)
			switch {
			case tt.code == "" && refusal != nil:
				t.Errorf("refused: %+v", refusal)
			case tt.code == "" && opened.Key.ID != tt.sealed.KeyID:
				t.Errorf("opened by %s", opened.Key.ID)
			case tt.code != "" && refusal == nil:
				t.Error("opened")
			case tt.code != "" && (refusal.Code != tt.code || refusal.Pointer != tt.at || refusal.Want == "" || refusal.Got == ""):
				t.Errorf("refused with %+v, want %s at %s", refusal, tt.code, tt.at)
			}
		})
	}
}

// vectors returns the folder of public test vectors, which lies beside the
// project. Without it the test is skipped.
func vectors(t *testing.T, parts ...string) string {
	path := filepath.Join(append([]string{"..", "..", "shared", "vectors"}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the public test vectors are not beside the project: %v", err)
	}
	return path
}

// accepts is the predicate of the trust file and of Open together.
func accepts(public, message, signature []byte) bool {
	if len(public) != ed25519.PublicKeySize {
		return false
	}
	k := PublicKey(public)
	return weakness(k) == "" && k.holds(message, signature)
}

func unhex(t *testing.T, s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestWycheproof(t *testing.T) {
	data, err := os.ReadFile(vectors(t, "wycheproof", "ed25519_test.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		NumberOfTests int
		TestGroups    []struct {
			PublicKey struct{ Pk string }
			Tests     []struct {
				TcID             int
				Msg, Sig, Result string
			}
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, g := range file.TestGroups {
		for _, c := range g.Tests {
			ran++
			if got := accepts(unhex(t, g.PublicKey.Pk), unhex(t, c.Msg), unhex(t, c.Sig)); got != (c.Result == "valid") {
				t.Errorf("case %d: accepted %t, the vector says %s", c.TcID, got, c.Result)
			}
		}
	}
	if ran != 151 || ran != file.NumberOfTests {
		t.Errorf("%d cases ran, want 151", ran)
	}
}

func TestRFC8032(t *testing.T) {
	data, err := os.ReadFile(vectors(t, "rfc8032", "rfc8032_sec7_1.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct{ Name, Pk, Sig, Msg string }
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	for _, c := range file.Cases {
		if !accepts(unhex(t, c.Pk), unhex(t, c.Msg), unhex(t, c.Sig)) {
			t.Errorf("%s is refused", c.Name)
		}
	}
	if len(file.Cases) < 3 {
		t.Errorf("%d cases ran, want at least 3", len(file.Cases))
	}
}

// TestSignInput runs the 128 vectors of the Ed25519 authors, each also with one
// bit of the message flipped.
func TestSignInput(t *testing.T) {
	f, err := os.Open(vectors(t, "rfc8032", "go-crypto-ed25519-sign.input.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	ran := 0
	for lines.Scan() {
		parts := bytes.Split(lines.Bytes(), []byte(":"))
		public, message := unhex(t, string(parts[1])), unhex(t, string(parts[2]))
		signature := unhex(t, string(parts[3]))[:ed25519.SignatureSize]
		if ran++; !accepts(public, message, signature) {
			t.Errorf("vector %d is refused", ran)
		}
		if len(message) > 0 {
			message[0] ^= 1
		} else {
			message = []byte{0}
		}
		if accepts(public, message, signature) {
			t.Errorf("vector %d is accepted for another message", ran)
		}
	}
	if err := lines.Err(); err != nil || ran != 128 {
		t.Errorf("%d vectors ran, want 128 (%v)", ran, err)
	}
}
