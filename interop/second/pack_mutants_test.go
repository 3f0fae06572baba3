package second_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// withDigest are lines and the last one, which has their digest.
func withDigest(lines []byte) []byte {
	return append(lines, seal.Line(seal.Object{"end": seal.Object{"sha256": seal.SHA256(lines)}})...)
}

// changedBytes changes a pack as it is written: one bit, or one byte more or less.
func changedBytes(s *chance.Stream, pack []byte) []byte {
	pack = bytes.Clone(pack)
	anew, at := s.Below(2) == 0, s.Below(len(pack))
	switch s.Below(3) {
	case 0:
		pack[at] ^= 1 << s.Below(8)
	case 1:
		pack = slices.Delete(pack, at, at+1)
	case 2:
		pack = slices.Insert(pack, at, s.Bytes(1)[0])
	}
	if end := bytes.LastIndex(pack, []byte(`{"end"`)); anew && end >= 0 {
		return withDigest(pack[:end:end])
	}
	return pack
}

// provenLines are the lines of a pack without the claims and the digest, and without the log of a
// history: nothing proves the tenant of a redacted journal.
func provenLines(pack []byte) []string {
	var lines []string
	for line := range strings.Lines(string(pack)) {
		if kind, _, _ := strings.Cut(line, ":"); slices.Contains([]string{`{"pack"`, `{"history"`, `{"end"`}, kind) {
			line = kind
		}
		lines = append(lines, line)
	}
	return lines
}

// TestPackMutantsAreJudgedAlike: the verifiers agree on genuine packs that chance has changed. A
// mutant verifies only if nothing was changed that a pack proves, or by right.
func TestPackMutantsAreJudgedAlike(t *testing.T) {
	mutants := 2000
	if testing.Short() {
		mutants = 200
	}
	scene := must.Get(harness.Build("revoked", 1, harness.Options{}))(t)
	keys := maps.Clone(scene.Keys.Node)
	maps.Copy(keys, scene.Keys.Audit)
	_, genuine := packCases(t)
	genuine = slices.DeleteFunc(genuine, func(c fixtures.Pack) bool { return c.Expect.Verdict != "verified" })
	stream := chance.New(22).Stream("packs")
	var cases []fixtures.Pack
	var sources []fixtures.Pack
	var byRight []bool
	for len(cases) < mutants {
		source := genuine[stream.Below(len(genuine))]
		kind := stream.Below(len(packMutations) + 3)
		c := fixtures.Pack{Files: maps.Clone(source.Files)}
		if kind >= len(packMutations) {
			c.Name, c.Files["pack.jsonl"] = "bytes", changedBytes(stream, source.Files["pack.jsonl"])
			byRight = append(byRight, false)
		} else {
			m := mutantOf(t, stream, source, keys)
			if !packMutations[kind].change(m) {
				continue
			}
			c.Name, c.Files["trust.json"] = packMutations[kind].name, seal.Canonical(m.trust)
			c.Files["pack.jsonl"] = withDigest(seal.Lines(m.lines))
			byRight = append(byRight, packMutations[kind].byRight)
		}
		c.Name = fmt.Sprintf("%04d %s of %s", len(cases), c.Name, source.Name)
		cases, sources = append(cases, c), append(sources, source)
	}
	comparePacks(t, cases, sources, byRight)
}

func mutantOf(t *testing.T, s *chance.Stream, source fixtures.Pack, keys map[string]seal.Key) *packMutant {
	t.Helper()
	m := &packMutant{Stream: s, trust: must.Get(seal.Parse(source.Files["trust.json"]))(t), keys: keys}
	for line := range bytes.Lines(source.Files["pack.jsonl"]) {
		m.lines = append(m.lines, must.Get(seal.Parse(line))(t))
	}
	m.lines = m.lines[:len(m.lines)-1]
	return m
}

// comparePacks has both verifiers judge mutants.
func comparePacks(t *testing.T, cases, sources []fixtures.Pack, byRight []bool) {
	t.Helper()
	folder, verdicts := t.TempDir(), map[string]int{}
	for _, c := range cases {
		dir := filepath.Join(folder, c.Name)
		must.Do(t, os.Mkdir(dir, 0o700))
		for name, doc := range must.Get(c.All())(t) {
			must.Do(t, os.WriteFile(filepath.Join(dir, name), doc, 0o600))
		}
	}
	for i, their := range theirPackAnswers(t, folder, len(cases)) {
		c := cases[i]
		our := ourPackAnswer(t, c)
		_, kind, _ := strings.Cut(c.Name, " ")
		kind, _, _ = strings.Cut(kind, " ")
		verdicts[kind+" "+our.Verdict]++
		if !byRight[i] && our.Verdict == "verified" {
			proven, before := provenLines(c.Files["pack.jsonl"]), provenLines(sources[i].Files["pack.jsonl"])
			check.That(t, slices.Equal(proven, before), "%s: verified", c.Name)
		}
		if byRight[i] || our.Verdict == "verified" {
			check.Equal(t, packDiff(our, their), "", "%s: - the first, + the second verifier", c.Name)
		}
		check.That(t, our.Verdict == their.Verdict, "%s: %+v, the second verifier: %+v", c.Name, our, their)
	}
	t.Log(verdicts)
	for _, m := range packMutations {
		all := verdicts[m.name+" rejected"] + verdicts[m.name+" verified"] + verdicts[m.name+" inconclusive"]
		check.That(t, all > 0, "no mutant of %s", m.name)
		check.That(t, !m.byRight || verdicts[m.name+" rejected"] == 0, "%s: %v", m.name, verdicts)
	}
}
