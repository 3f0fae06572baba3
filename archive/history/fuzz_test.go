package history_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/archive/history"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/must"
)

// FuzzParse compares the parsed entries with encoding/json's reading of each line, and checks
// the one spelling: an accepted entry is written in the same way.
func FuzzParse(f *testing.F) {
	doc := must.Get(os.ReadFile(filepath.Join(folder, "verified", "history", history.EntriesFile)))(f)
	f.Add(doc)
	f.Add(doc[:len(doc)-1])
	f.Add(bytes.ReplaceAll(doc, []byte(`"Ada`), []byte(`"\u0041da`)))
	f.Add([]byte("{}\n"))
	f.Add([]byte("\n"))
	f.Fuzz(func(t *testing.T, doc []byte) { checkParse(t, doc) })
}

// TestMutations does the same with edits of an honest file, which come closer to accepted
// files than a fuzzer's edits.
func TestMutations(t *testing.T) {
	honest := must.Get(os.ReadFile(filepath.Join(folder, "verified", "history", history.EntriesFile)))(t)
	rapid.Check(t, func(t *rapid.T) {
		doc := bytes.Clone(honest)
		for range rapid.IntRange(1, 3).Draw(t, "edits") {
			at := rapid.IntRange(0, len(doc)-1).Draw(t, "at")
			to := min(len(doc), at+rapid.IntRange(0, 3).Draw(t, "octets"))
			with := rapid.SampledFrom([]string{"", "0", "a", "\n", " ", `"`, ",", "{}", "é", "\\u0041", "\xff"}).Draw(t, "with")
			doc = slices.Concat(doc[:at], []byte(with), doc[to:])
		}
		checkParse(t, doc)
	})
}

// checkParse compares the parsed entries of a file with encoding/json's reading.
func checkParse(t must.T, doc []byte) {
	entries, fault := history.Parse(doc)
	lines := bytes.Split(doc, []byte("\n"))
	must.That(t, fault != nil || len(lines) == len(entries)+1 && len(lines[len(entries)]) == 0,
		"%d entries in %d lines", len(entries), len(lines))
	for i, e := range entries {
		var envelope struct {
			Signatures map[string]string `json:"signatures"`
			Statement  json.RawMessage   `json:"statement"`
		}
		var s struct {
			By       string            `json:"by"`
			From     string            `json:"in_force_from"`
			Number   int64             `json:"number"`
			Previous string            `json:"previous_sha256"`
			Protocol string            `json:"protocol"`
			Reason   string            `json:"reason"`
			Signer   map[string]string `json:"signer"`
			Trust    string            `json:"trust_sha256"`
			Size     int64             `json:"trust_size"`
		}
		must.That(t, json.Unmarshal(lines[i], &envelope) == nil && json.Unmarshal(envelope.Statement, &s) == nil,
			"line %d is no entry", i)
		same := s.By == e.By && s.Reason == e.Reason && s.From == form.FormatTime(e.From) && s.Number == e.Number &&
			s.Previous == hex.EncodeToString(e.Previous[:]) && s.Trust == hex.EncodeToString(e.Trust[:]) && s.Size == e.Size &&
			s.Protocol == history.Protocol && e.Digest == sha256.Sum256(envelope.Statement)
		must.That(t, same && run.IsText(e.By) && run.IsText(e.Reason), "line %d is read as %+v", i, e)
		var b bytes.Buffer
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		again := map[string]any{"signatures": envelope.Signatures,
			"statement": map[string]any{"by": s.By, "in_force_from": s.From,
				"number": s.Number, "previous_sha256": s.Previous, "protocol": s.Protocol, "reason": s.Reason, "signer": s.Signer,
				"trust_sha256": s.Trust, "trust_size": s.Size}}
		must.Do(t, encoder.Encode(again))
		must.That(t, bytes.Equal(bytes.TrimSuffix(b.Bytes(), []byte("\n")), lines[i]),
			"line %d is accepted, but its spelling is %s", i, b.Bytes())
	}
}
