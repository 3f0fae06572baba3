package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestWholeLogs: of every conformance case of whole logs the commands say what it
// expects: the verdict, that of the logs, and the codes of all findings that count.
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
			if diff := cmp.Diff(c.Expect, answer); diff != "" {
				t.Errorf("%s:\n- expected, + found\n%s", c.Title, diff)
			}
		})
	}
}

// ofDamage reports whether a code is of a source that was not read whole, for which the
// specification has no codes (SPEC 13.1).
func ofDamage(code finding.Code) bool {
	return code == finding.NotRead || strings.HasPrefix(string(code), "source.") && code != finding.SourceAltered &&
		code != finding.SourceDisagrees
}
