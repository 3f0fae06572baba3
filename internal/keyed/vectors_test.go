package keyed

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/ed25519"
	"encoding/json"
	"os"
	"testing"
)

// expect checks the verdicts of the tables against those of a public vector.
func expect(t *testing.T, public []byte, items []Item, want []bool) {
	t.Helper()
	agree(t, [32]byte(public), items)
	got := make([]bool, len(items))
	if err := tabled([32]byte(public)).Verify(items, got); err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("key %x, message %x, signature %x: %t, the vector says %t",
				public, items[i].Message, items[i].Signature, got[i], want[i])
		}
	}
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
			Tests     []struct{ Msg, Sig, Result string }
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, g := range file.TestGroups {
		var items []Item
		var want []bool
		for _, c := range g.Tests {
			items = append(items, Item{unhex(t, c.Msg), unhex(t, c.Sig)})
			want = append(want, c.Result == "valid")
		}
		expect(t, unhex(t, g.PublicKey.Pk), items, want)
		ran += len(items)
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
		Cases []struct{ Pk, Sig, Msg string }
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	for _, c := range file.Cases {
		expect(t, unhex(t, c.Pk), []Item{{unhex(t, c.Msg), unhex(t, c.Sig)}}, []bool{true})
	}
	if len(file.Cases) < 3 {
		t.Errorf("%d cases ran, want at least 3", len(file.Cases))
	}
}

// TestSignInput runs the vectors of the Ed25519 authors, each of which has its
// own key, also with one byte of the message changed.
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
	lines, ran := bufio.NewScanner(z), 0
	for lines.Scan() {
		fields := bytes.Split(lines.Bytes(), []byte(":")) // secret and key, key, message, signature and message
		message := unhex(t, string(fields[2]))
		signature := unhex(t, string(fields[3]))[:ed25519.SignatureSize]
		other := append([]byte{1}, message...)
		items := []Item{{message, signature}, {other, signature}}
		expect(t, unhex(t, string(fields[1])), items, []bool{true, false})
		ran++
	}
	if err := lines.Err(); err != nil || ran != 128 {
		t.Errorf("%d vectors ran, want 128 (%v)", ran, err)
	}
}
