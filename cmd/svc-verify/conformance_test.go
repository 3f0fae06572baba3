package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/fixtures/gen"
	"github.com/svc-edge/svc-verify/fixtures/kit"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestConformance: the exit code and the text of a run follow from its cases. A script runs all.
func TestConformance(t *testing.T) {
	corpus := must.Get(kit.ReadCorpus(must.Get(kit.EmbeddedArchive())(t)))(t)
	corpus.Cases = corpus.Cases[:20]
	code, text := runCases(t, corpus)
	check.That(t, code == 0 && strings.HasPrefix(text, "VERIFIED  20 cases\n"), "exit code %d\n%s", code, text)

	// A verifier that answers otherwise than one case wants.
	corpus.Cases[0].Expect.Verdict = "inconclusive"
	wrong := corpus.Cases[0].Name
	code, text = runCases(t, corpus)
	check.That(t, code == 1 && strings.Contains(text, wrong) && strings.HasPrefix(text, "REJECTED  20 cases\n"),
		"with a disagreement: exit code %d\n%s", code, text)
	code, text = runCases(t, corpus, "--output", "json")
	check.That(t, code == 1 && strings.Contains(text, `"name": "`+wrong+`"`),
		"with a disagreement, as JSON: exit code %d\n%s", code, text)

	// V-01: no cases, no success.
	code, text = runCases(t, &kit.Corpus{})
	check.That(t, code == 3 && strings.HasPrefix(text, "OPEN  0 cases\n"), "without cases: exit code %d\n%s", code, text)
}

// runCases runs the program's own verifier over an archive of cases.
func runCases(t *testing.T, corpus *kit.Corpus, args ...string) (int, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "cases.tar")
	must.Do(t, os.WriteFile(file, must.Get(kit.MakeArchive(corpus))(t), 0o600))
	var out bytes.Buffer
	args = append([]string{"conformance", "run", "--corpus", file}, args...)
	return newProgram().Run(args, strings.NewReader(""), &out, io.Discard), out.String()
}

// TestCollectionsAsCases: a run judges a verifier of logs by messy collections, clean and altered.
func TestCollectionsAsCases(t *testing.T) {
	_, source := messySource(t)
	corpus := &kit.Corpus{Collections: gen.MakeCollections(source, *messyFrom, 2)}
	run := func(entrypoint, first string) string {
		code, text := runCases(t, corpus, "--level", "code", "--entrypoint", entrypoint)
		check.That(t, strings.HasPrefix(text, first+"  4 cases\n"), "%s", text)
		check.Equal(t, code == 0, first == "VERIFIED", "exit code %d", code)
		return text
	}
	run("svc-verify", "VERIFIED")
	text := run("svc-verify explain", "REJECTED")
	check.That(t, strings.Contains(text, "collections: 4 of 4 answered wrongly"), "%s", text)
	clean := &corpus.Collections[0]
	clean.Expect = kit.CollectionAnswer{Exit: []int{1}}
	check.That(t, strings.Contains(run("svc-verify", "REJECTED"), clean.Name+" (SPEC 13): exit code"), "not named")
}

// TestWholeLogs: for every conformance case of whole logs the commands give the expected
// answer: the verdict, the verdicts of the logs, and the codes of all findings that count.
func TestWholeLogs(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	cases, err := fixtures.ReadSamples[fixtures.LogAnswer](os.DirFS(filepath.Join("..", "..", "fixtures", "logs")))
	must.That(t, err == nil && len(cases) >= 30, "%d cases: %v", len(cases), err)
	for i, c := range cases {
		if testing.Short() && i%5 != 0 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			dir := filepath.Join("..", "..", "fixtures", "logs", c.Name)
			got := askAll[blamed](ends{t, dir}, nil, []string{filepath.Join(dir, "evidence")})
			answer := fixtures.LogAnswer{Verdict: got.Verdict, Codes: []string{}}
			for _, f := range got.Findings {
				if e, _ := finding.Lookup(finding.Code(f.Code)); e.Effect != finding.None && !ofDamage(e.Code) {
					answer.Codes = append(answer.Codes, f.Code)
				}
			}
			slices.Sort(answer.Codes)
			answer.Codes = slices.Compact(answer.Codes)
			for _, l := range got.Logs {
				if c.Expect.Logs[l.LogID] != "" {
					if answer.Logs == nil {
						answer.Logs = map[string]string{}
					}
					answer.Logs[l.LogID] = l.Verdict
				}
			}
			diff := cmp.Diff(c.Expect, answer)
			check.That(t, diff == "", "%s:\n- expected, + found\n%s", c.Title, diff)
		})
	}
}

// ofDamage reports whether a code is of a source that was not read whole, for which the
// specification has no codes (SPEC 13.1).
func ofDamage(code finding.Code) bool {
	return code == finding.NotRead || strings.HasPrefix(string(code), "source.") && code != finding.SourceAltered &&
		code != finding.SourceDisagrees
}
