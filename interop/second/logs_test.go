package second_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestWholeLogsAreJudgedAlike: of every conformance case of whole logs, the second
// verifier says what it expects, as the first one does in cmd/svc-verify.
func TestWholeLogsAreJudgedAlike(t *testing.T) {
	folder := filepath.Join("..", "..", "fixtures", "logs")
	cases, err := fixtures.ReadSamples[fixtures.LogAnswer](os.DirFS(folder))
	must.That(t, err == nil && len(cases) >= 30, "%d cases: %v", len(cases), err)
	lines := answers(t, "logs.mjs", folder, len(cases))
	for i, c := range cases {
		var their fixtures.LogAnswer
		must.Do(t, json.Unmarshal(lines[i], &their))
		for id := range their.Logs {
			if c.Expect.Logs[id] == "" {
				delete(their.Logs, id)
			}
		}
		if len(their.Logs) == 0 {
			their.Logs = nil
		}
		check.Equal(t, cmp.Diff(c.Expect, their), "", "%s: - expected, + the second verifier", c.Name)
	}
}
