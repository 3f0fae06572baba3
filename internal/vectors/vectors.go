// Package vectors gives tests the public test vectors, which lie beside the
// project in ../shared/vectors and are not copied into it. A test that asks for
// vectors which are not there is skipped, and says so.
package vectors

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

// Read returns the content of a file of the vectors, such as
// "jcs/input/weird.json".
func Read(t testing.TB, name string) []byte {
	t.Helper()
	folder := filepath.Join(root(t), "..", "shared", "vectors")
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("the public test vectors are not beside the project: %v", err)
	}
	content, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// root is the project's folder: the one above the test that has a go.mod.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}

// Signature is one Ed25519 vector: whether a signature of a message is a key's.
type Signature struct {
	Source                     string
	Public, Message, Signature []byte
	Valid                      bool
}

// Ed25519 returns every Ed25519 vector: 151 of Wycheproof, those of RFC 8032,
// section 7.1, and the 128 of the authors' sign.input, each of the last also
// with another message. It fails the test if a file holds fewer.
func Ed25519(t testing.TB) []Signature {
	t.Helper()
	all := append(wycheproof(t), rfc8032(t)...)
	return append(all, signInput(t)...)
}

func wycheproof(t testing.TB) []Signature {
	t.Helper()
	var file struct {
		TestGroups []struct {
			PublicKey struct{ Pk string }
			Tests     []struct{ Msg, Sig, Result string }
		}
	}
	decode(t, "wycheproof/ed25519_test.json", &file)
	var all []Signature
	for _, g := range file.TestGroups {
		for _, c := range g.Tests {
			all = append(all, Signature{"Wycheproof", unhex(t, g.PublicKey.Pk), unhex(t, c.Msg), unhex(t, c.Sig), c.Result == "valid"})
		}
	}
	if len(all) != 151 {
		t.Fatalf("%d cases of Wycheproof, want 151", len(all))
	}
	return all
}

func rfc8032(t testing.TB) []Signature {
	t.Helper()
	var file struct {
		Cases []struct{ Pk, Sig, Msg string }
	}
	decode(t, "rfc8032/rfc8032_sec7_1.json", &file)
	var all []Signature
	for _, c := range file.Cases {
		all = append(all, Signature{"RFC 8032", unhex(t, c.Pk), unhex(t, c.Msg), unhex(t, c.Sig), true})
	}
	if len(all) < 3 {
		t.Fatalf("%d cases of RFC 8032, want at least 3", len(all))
	}
	return all
}

func signInput(t testing.TB) []Signature {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(Read(t, "rfc8032/go-crypto-ed25519-sign.input.gz")))
	if err != nil {
		t.Fatal(err)
	}
	var all []Signature
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		fields := bytes.Split(lines.Bytes(), []byte(":")) // secret and key, key, message, signature and message
		public, message := unhex(t, string(fields[1])), unhex(t, string(fields[2]))
		signature := unhex(t, string(fields[3]))[:ed25519.SignatureSize]
		other := append([]byte{1}, message...)
		all = append(all, Signature{"sign.input", public, message, signature, true}, Signature{"sign.input", public, other, signature, false})
	}
	if err := lines.Err(); err != nil || len(all) != 2*128 {
		t.Fatalf("%d vectors of sign.input, want 128 (%v)", len(all)/2, err)
	}
	return all
}

func decode(t testing.TB, name string, file any) {
	t.Helper()
	if err := json.Unmarshal(Read(t, name), file); err != nil {
		t.Fatal(err)
	}
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
