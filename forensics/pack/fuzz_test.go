package pack_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/forensics/pack"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// FuzzVerify: a pack verifies only if each event in it is one of the conformance cases, where it was
// signed. The last line is made to fit, so that the other checks are reached.
func FuzzVerify(f *testing.F) {
	folder := os.DirFS(filepath.Join("..", "..", "fixtures", "packs"))
	cases := must.Get(fixtures.ReadSamples[fixtures.PackAnswer](folder))(f)
	mixed := slices.IndexFunc(cases, func(c fixtures.Pack) bool { return c.Name == "mixed" })
	root := must.Get(trust.Parse(cases[mixed].Files["trust.json"]))(f)
	signed := map[string]bool{}
	for _, c := range cases {
		lines := c.Files["pack.jsonl"]
		lines = lines[:max(bytes.LastIndex(lines, []byte(`{"end"`)), 0)]
		f.Add(lines)
		if pack.Verify(withEnd(lines), root).Verdict == verify.Verified {
			for _, line := range chosenLines(lines) {
				signed[line] = true
			}
		}
	}
	f.Fuzz(func(t *testing.T, lines []byte) {
		if pack.Verify(withEnd(lines), root).Verdict != verify.Verified {
			return
		}
		for _, line := range chosenLines(lines) {
			if !signed[line] {
				t.Errorf("an event that nobody signed: %s", line)
			}
		}
	})
}

// chosenLines returns the lines with events, and not the links between them.
func chosenLines(lines []byte) (all []string) {
	for line := range bytes.Lines(lines) {
		if bytes.HasPrefix(line, []byte(`{"disclosed"`)) || bytes.HasPrefix(line, []byte(`{"redacted"`)) {
			all = append(all, string(line))
		}
	}
	return all
}
