package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/cliapp/clitest"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestMessages: whatever is wrong with a command line, what the program says is
// a sentence.
func TestMessages(t *testing.T) {
	file := filepath.Join(t.TempDir(), "none.pem")
	must.Do(t, os.WriteFile(file, []byte("none\n"), 0o600))
	good := map[string]string{"ca": file, "cert": file, "key": file, "url": "https://127.0.0.1:1", "node-spki": file}
	for _, line := range clitest.BadLines(program(), good) {
		var stdout, stderr bytes.Buffer
		program().Run(line, strings.NewReader(""), &stdout, &stderr)
		if slip := clitest.Slip(stderr.String()); slip != "" {
			t.Errorf("svc-edge %q: %s in %s", line, slip, stderr.String())
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
	check.That(t, flags >= 1, "only %d flags were tried", flags)
}
