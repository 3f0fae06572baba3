package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestQuestionsTable: each cell of the table of questions in docs/cli.md is the answer of
// verify on that proof with those flags, and each question is there met, unmet and waived.
func TestQuestionsTable(t *testing.T) {
	text := string(must.Get(os.ReadFile(filepath.Join(docs, "cli.md")))(t))
	dir := sceneIn(t, "revoked")
	t.Chdir(dir)
	proofs := []string{"issued.json", "revoked.json", "altered.json", "empty.json"}
	issued := must.Get(os.ReadFile("svc-evidence-tx-2026-0002.json"))(t)
	for i, doc := range [][]byte{issued, must.Get(os.ReadFile("svc-evidence-tx-2026-0001.json"))(t),
		bytes.Replace(issued, []byte("allow"), []byte("alloW"), 1), nil} {
		must.Do(t, os.WriteFile(proofs[i], doc, 0o600))
	}
	row := regexp.MustCompile("(?m)^\\| ((?:whose|status|in force|how old|none)[^|]*) \\|(?: `([^`]*)`)? \\| (.*) \\|$")
	seen := map[string]bool{}
	for _, m := range row.FindAllStringSubmatch(text, -1) {
		seen[m[1]] = true
		for i, cell := range strings.Split(m[3], " | ") {
			args := append([]string{"verify", proofs[i], "--trust", "trust.json"}, strings.Fields(m[2])...)
			code, stdout, _ := call(nil, args...)
			check.Equal(t, fmt.Sprintf("%d %s", code, titleIn(stdout, proofs[i])), cell, "%v", args)
		}
	}
	for _, want := range []string{"none is asked", "whose: met", "whose: unmet", "whose: waived", "status: issued",
		"status: revoked", "status: waived", "in force: met", "in force: unmet", "in force: waived", "how old: met",
		"how old: unmet", "how old: waived"} {
		check.That(t, seen[want], "the table has no row %q", want)
	}
}

// titleIn returns the title of an answer on a proof.
func titleIn(stdout, proof string) string {
	_, title, _ := strings.Cut(stdout, "  "+proof+": ")
	title, _, _ = strings.Cut(title, "\n")
	return title
}

// TestGate: with --gate, each question must be asked or waived by name. A question that is
// half asked, or asked and waived, is refused without it too.
func TestGate(t *testing.T) {
	t.Chdir(sceneIn(t, "revoked"))
	all := []string{"--dns payments.acme.example", "--status issued", "--at 2026-03-03", "--max-age 24h"}
	waived := []string{"--any-subject", "--status any", "--any-time", "--any-age"}
	run := func(flags ...string) (int, string) {
		args := []string{"verify", "svc-evidence-tx-2026-0002.json", "--trust", "trust.json"}
		code, stdout, stderr := call(nil, append(args, strings.Fields(strings.Join(flags, " "))...)...)
		check.That(t, code != 2 || stdout == "", "%v: %s", flags, stdout)
		return code, stderr
	}
	wants := func(want int, flags ...string) {
		t.Helper()
		if code, stderr := run(flags...); code != want || want == 2 && !strings.Contains(stderr, "--") {
			t.Errorf("%v: %d, want %d: %s", flags, code, want, stderr)
		}
	}
	for mask := range 1 << 4 {
		flags := []string{"--gate"}
		for i := range all {
			if mask>>i&1 == 0 {
				flags = append(flags, all[i])
			} else {
				flags = append(flags, waived[i])
			}
		}
		want := 0
		if mask>>2&1 == 1 && mask>>3&1 == 0 {
			want = 2 // an age at no time
		}
		wants(want, flags...)
		for i := range all {
			wants(2, append(append([]string{}, flags[:i+1]...), flags[i+2:]...)...)
		}
	}
	for _, flags := range []string{"--any-subject --tenant acme-corp", "--any-age --at 2026-03-03 --max-age 24h",
		"--any-time --at 2026-03-03", "--max-age 24h", "--dns *.acme.example", "--dns a..b", "--dns a.b..", "--at soon",
		"--at 2026-03-02T09:02:08.9995Z", "--at 2026-03-09T09:02:09.0001Z",
		"--contradiction --gate", "--contradiction --dns a.b"} {
		wants(2, flags)
	}
	wants(0, "--dns PAYMENTS.acme.example.")
	for at, want := range map[string]int{"2026-03-02T09:02:08.999Z": 1, "2026-03-02T10:02:09.000000+01:00": 0,
		"2026-03-09T09:02:09Z": 0, "2026-03-09T09:02:09.001Z": 1} {
		wants(want, "--at", at)
	}
	wants(0, strings.Repeat("--dns payments.acme.example ", 64))
	wants(2, strings.Repeat("--dns payments.acme.example ", 65))
	code, stdout, _ := call(nil, "verify", "svc-evidence-tx-2026-0002.json", "--trust", "trust.json", "--at", "now",
		"--json")
	check.That(t, code == 1 && regexp.MustCompile(`"in_force_at": "20\d\d-`).MatchString(stdout),
		"now is not in the result: %d, %s", code, stdout)
}
