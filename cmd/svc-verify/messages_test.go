package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/cliapp/clitest"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestMessages: whatever is wrong with a command line, what the program says is
// a sentence. What JSON and dumps print is their own affair.
func TestMessages(t *testing.T) {
	t.Chdir(t.TempDir())
	trust := must.Get(filepath.Abs("trust.json"))(t)
	must.Do(t, os.WriteFile(trust, []byte("{}\n"), 0o600))
	for _, good := range []map[string]string{{}, {"case": "case.db", "trust": trust, "evidence": trust}} {
		for i, line := range clitest.BadLines(program(), good) {
			if slices.Contains(line, "selftest") || testing.Short() && i%16 != 0 {
				continue // TestSelftest runs it, and it takes a while
			}
			var stdout, stderr bytes.Buffer
			program().Run(line, strings.NewReader(""), &stdout, &stderr)
			if slip := clitest.Slip(stderr.String()); slip != "" {
				t.Errorf("svc-verify %q: %s in %s", line, slip, stderr.String())
			}
		}
	}
}

// TestTimes: every flag that takes a time or a duration accepts the same values, and
// refuses the same others in the same words.
func TestTimes(t *testing.T) {
	wrong, flags := clitest.WrongTimes(program())
	for _, w := range wrong {
		t.Error(w)
	}
	check.That(t, flags >= 30, "only %d flags were tried", flags)
}
