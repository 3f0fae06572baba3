package read_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"mime/quotedprintable"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
)

// foldedText breaks text after every hundred bytes, as fold does.
func foldedText(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		for ; len(line) > 100; line = line[100:] {
			out.WriteString(line[:100] + "\n")
		}
		out.WriteString(line)
	}
	return out.String()
}

// wrappings are ways to write events into text that continues over line ends or blocks.
var wrappings = map[string]func(bodies [][]byte) string{
	"folded lines": func(b [][]byte) string {
		return foldedText("# a journal\n" + string(bytes.Join(b, []byte("\n"))) + "\n")
	},
	"folded without a line end between events": func(b [][]byte) string {
		return foldedText("log: " + string(bytes.Join(b, []byte(" "))) + "\n")
	},
	"folded records of a log": func(b [][]byte) string {
		return foldedText("INFO " + string(bytes.Join(b, []byte(" done\nINFO "))) + " done\n")
	},
	"base64 in lines": func(b [][]byte) string {
		var out strings.Builder
		for _, body := range b {
			code := base64.StdEncoding.EncodeToString(body)
			for ; len(code) > 76; code = code[76:] {
				out.WriteString(code[:76] + "\n")
			}
			out.WriteString(code + "\n--\n")
		}
		return "mail:\n" + out.String()
	},
	"hexadecimal dumps": func(b [][]byte) string {
		var out strings.Builder
		for _, body := range b {
			out.WriteString("a record:\n" + hex.Dump(body))
		}
		return out.String()
	},
	"octets": func(b [][]byte) string {
		return "\x00\x01\x02" + string(bytes.Join(b, []byte{0, 1, 2, 3}))
	},
}

// genuineEvents are events whose hashes hold.
func genuineEvents(n int) (all [][]byte) {
	log, key := seal.NewLog("acme", "node/berlin"), seal.Key{ID: "berlin", Private: make([]byte, 64)}
	for i := range n {
		e := log.Append(seal.Entry{Type: "test.event", Data: seal.Object{"n": int64(i)}}, key)
		all = append(all, seal.Canonical(e))
	}
	return all
}

// inBlocks returns the bodies that are found if text is searched in such blocks.
func inBlocks(t *testing.T, dump string, first, most int) []string {
	t.Helper()
	var found Found
	must.Do(t, read.ReadInBlocks(context.Background(), strings.NewReader(dump), read.Options{}, &found, first, most))
	var all []string
	for _, r := range found.Records {
		all = append(all, string(r.Body))
	}
	return all
}

// Wherever a block of text ends, the same events are found.
func TestBlockEnds(t *testing.T) {
	bodies := genuineEvents(12)
	for name, wrap := range wrappings {
		t.Run(name, func(t *testing.T) {
			dump := wrap(bodies)
			want := inBlocks(t, dump, 16<<20, 16<<20)
			must.That(t, len(want) >= len(bodies)-1, "%d events of %d in one block", len(want), len(bodies))
			for first := 2 << 10; first < 4<<10; first += chance.Sized(7, 97) {
				got := inBlocks(t, dump, first, 1<<20)
				must.That(t, strings.Join(got, "\n") == strings.Join(want, "\n"),
					"blocks of %d octets: %d events, want %d", first, len(got), len(want))
			}
		})
	}
}

// TestProofsAtBlockEnds: wherever a block of text ends, a proof is read as one, and nothing of
// it for itself.
func TestProofsAtBlockEnds(t *testing.T) {
	var proofs [][]byte
	for i := range 6 {
		events := string(bytes.Join(genuineEvents(3 + i)[i:], []byte(",")))
		approval := `{"key_id":"k","signature":"s","statement":{"protocol":"svc.approval.v1"}}`
		proofs = append(proofs, []byte(`{"approvals":[`+approval+`],"audit_path":{"events":[`+events+
			`]},"manifest":{"n":1},"protocol":"svc.evidence-bundle.v1"}`))
	}
	forms := map[string]func([][]byte) string{
		"over lines": func(b [][]byte) string {
			var out bytes.Buffer
			for _, proof := range b {
				out.WriteString("a proof\n")
				must.Do(t, json.Indent(&out, proof, "", "  "))
				out.WriteString("\n")
			}
			return out.String()
		},
		"quoted-printable": func(b [][]byte) string {
			var out strings.Builder
			for _, proof := range b {
				out.WriteString("a mail\n\n")
				w := quotedprintable.NewWriter(&out)
				must.Get(w.Write(proof))(t)
				must.Do(t, w.Close())
				out.WriteString("\n--\n")
			}
			return out.String()
		},
	}
	for _, name := range []string{"base64 in lines", "hexadecimal dumps"} {
		forms[name] = wrappings[name]
	}
	for name, form := range forms {
		dump := form(proofs)
		for first := 2 << 10; first < 4<<10; first += chance.Sized(7, 97) {
			if got := inBlocks(t, dump, first, 1<<20); len(got) != len(proofs) {
				t.Fatalf("%s, blocks of %d octets: %d documents, want %d", name, first, len(got), len(proofs))
			}
		}
	}
}
