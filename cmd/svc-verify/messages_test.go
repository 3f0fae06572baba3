package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/cliapp/clitest"
)

// TestMessages: whatever is wrong with a command line, what the program says is
// a sentence. What JSON and dumps print is their own affair.
func TestMessages(t *testing.T) {
	t.Chdir(t.TempDir())
	trust, err := filepath.Abs("trust.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(trust, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, good := range []map[string]string{{}, {"case": "case.db", "trust": trust, "evidence": trust}} {
		for i, line := range clitest.BadLines(program(), good) {
			if slices.Contains(line, "selftest") || testing.Short() && i%4 != 0 {
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
	if flags < 30 {
		t.Errorf("only %d flags were tried", flags)
	}
}
