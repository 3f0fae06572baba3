// Package vectors gives tests the public test vectors. Some are stored in testdata, with their
// licences; others come from the Go distribution and from a required module. If vectors are
// missing, the test fails; none is ever skipped.
package vectors

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/ed25519"
	"embed"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

//go:embed testdata
var stored embed.FS

// readFile returns a file that is stored here.
func readFile(t testing.TB, name string) []byte {
	t.Helper()
	content, err := stored.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// askGo returns the line with which the go command answers.
func askGo(t testing.TB, args ...string) string {
	t.Helper()
	line, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(line))
}

// fromFolder returns a file below a folder of this machine.
func fromFolder(t testing.TB, folder, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// unzipFile decompresses gzip data.
func unzipFile(t testing.TB, compressed []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// JCS returns a file of the vectors of RFC 8785's authors, such as
// "input/weird.json". The module that writes the canonical form has them.
func JCS(t testing.TB, name string) []byte {
	t.Helper()
	return fromFolder(t, askGo(t, "list", "-m", "-f", "{{.Dir}}", "github.com/gowebpki/jcs"), "testdata/"+name)
}

// ES6Numbers returns the first 10,000 lines of the number vectors of RFC 8785's
// authors: the bits of a double in hex, a comma, and its canonical text.
func ES6Numbers(t testing.TB) []byte {
	t.Helper()
	return unzipFile(t, readFile(t, "jcs/es6numbers-10000.txt.gz"))
}

// Signature is one Ed25519 vector: whether a signature of a message is a key's.
type Signature struct {
	Source                     string
	Public, Message, Signature []byte
	Valid                      bool
}

// Ed25519 returns every Ed25519 vector: 151 of Wycheproof, all of RFC 8032, section 7.1, and
// the 128 of the authors' sign.input, each of the last also with another message. It fails the
// test if a file holds fewer.
func Ed25519(t testing.TB) []Signature {
	t.Helper()
	all := append(readWycheproof(t), readRFC8032(t)...)
	return append(all, signInput(t)...)
}

func readWycheproof(t testing.TB) []Signature {
	t.Helper()
	var file struct {
		TestGroups []struct {
			PublicKey struct{ Pk string }
			Tests     []struct{ Msg, Sig, Result string }
		}
	}
	decodeVector(t, "wycheproof/ed25519_test.json", &file)
	var all []Signature
	for _, g := range file.TestGroups {
		for _, c := range g.Tests {
			all = append(all, Signature{"Wycheproof", unhex(t, g.PublicKey.Pk), unhex(t, c.Msg), unhex(t, c.Sig),
				c.Result == "valid"})
		}
	}
	if len(all) != 151 {
		t.Fatalf("%d cases of Wycheproof, want 151", len(all))
	}
	return all
}

func readRFC8032(t testing.TB) []Signature {
	t.Helper()
	var file struct {
		Cases []struct{ Pk, Sig, Msg string }
	}
	decodeVector(t, "rfc8032/sec7_1.json", &file)
	var all []Signature
	for _, c := range file.Cases {
		all = append(all, Signature{"RFC 8032", unhex(t, c.Pk), unhex(t, c.Msg), unhex(t, c.Sig), true})
	}
	if len(all) < 3 {
		t.Fatalf("%d cases of RFC 8032, want at least 3", len(all))
	}
	return all
}

// signInput reads the vectors of the authors of Ed25519, which the Go distribution has with
// crypto/ed25519.
func signInput(t testing.TB) []Signature {
	t.Helper()
	compressed := fromFolder(t, askGo(t, "env", "GOROOT"), "src/crypto/ed25519/testdata/sign.input.gz")
	var all []Signature
	lines := bufio.NewScanner(bytes.NewReader(unzipFile(t, compressed)))
	for lines.Scan() {
		fields := bytes.Split(lines.Bytes(), []byte(":")) // secret and key, key, message, signature and message
		public, message := unhex(t, string(fields[1])), unhex(t, string(fields[2]))
		signature := unhex(t, string(fields[3]))[:ed25519.SignatureSize]
		other := append([]byte{1}, message...)
		all = append(all, Signature{"sign.input", public, message, signature, true},
			Signature{"sign.input", public, other, signature, false})
	}
	if err := lines.Err(); err != nil || len(all) != 2*128 {
		t.Fatalf("%d vectors of sign.input, want 128 (%v)", len(all)/2, err)
	}
	return all
}

func decodeVector(t testing.TB, name string, file any) {
	t.Helper()
	if err := json.Unmarshal(readFile(t, name), file); err != nil {
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
