package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/plan"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// TestDeclaredValues: commands.txt has the values and the bounds that the packages have.
func TestDeclaredValues(t *testing.T) {
	for name, want := range map[string][]string{
		"ingest --input-format":    words(read.Formats()),
		"show findings --severity": words(finding.Severities()),
		"report --output":          report.FormNames(),
		"archive seal --rehash":    words([]timestamp.Hash{timestamp.SHA3x512, timestamp.SHA512}),
		"verify --status":          {bundle.Issued, bundle.Revoked, anyStatus},
	} {
		got := declared(t, name).Choices
		check.That(t, slices.Equal(got, want), "%s: %q, want %q", name, got, want)
	}
	approvals, age := fmt.Sprint(verify.MostApprovals), fmt.Sprintf("%dd", verify.MostAge/(24*time.Hour))
	for name, want := range map[string]string{
		"verify --minimum-approvals":     approvals,
		"trust show --minimum-approvals": approvals,
		"trust diff --minimum-approvals": approvals,
		"verify --max-age":               age,
		"archive status --max-age":       age,
	} {
		check.Equal(t, declared(t, name).Most, want, "%s: most", name)
	}
	for name, want := range map[string]string{
		"plan --parts":    fmt.Sprintf(" up to %d;", plan.MaxShares),
		"part --part-key": fmt.Sprintf(" of %d to %d bytes ", part.LeastKey, part.MostKey),
	} {
		got := declared(t, name).Usage
		check.That(t, strings.Contains(got, want), "%s: %q, want %q in it", name, got, want)
	}
}

// declared returns the flag that is behind a command.
func declared(t *testing.T, line string) cliapp.Flag {
	t.Helper()
	words := strings.Fields(line)
	commands, flags := newProgram().Commands, []cliapp.Flag(nil)
	for _, word := range words[:len(words)-1] {
		i := slices.IndexFunc(commands, func(c *cliapp.Command) bool { return c.Name == word })
		must.That(t, i >= 0, "%s: there is no command %s", line, word)
		commands, flags = commands[i].Commands, commands[i].Flags
	}
	i := slices.IndexFunc(flags, func(f cliapp.Flag) bool { return "--"+f.Name == words[len(words)-1] })
	must.That(t, i >= 0, "there is no flag %s", line)
	return flags[i]
}

func words[T ~string](all []T) (text []string) {
	for _, one := range all {
		text = append(text, string(one))
	}
	return text
}

// TestFormerCommands: no page, help or text of a code asks the reader to type a command that
// no longer exists.
func TestFormerCommands(t *testing.T) {
	moved := regexp.MustCompile(`(?m)^moved ([a-z]+( [a-z-]+)*)`).FindAllStringSubmatch(commands, -1)
	must.That(t, len(moved) >= 10, "commands.txt has no former commands")
	pages := map[string]string{"commands.txt": commands}
	root := filepath.Join("..", "..")
	for _, pattern := range []string{"*.md", "docs/*.md", "ci/*", "finding/codes.txt", "docs/man/*"} {
		names := must.Get(filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern))))(t)
		for _, name := range names {
			if text, err := os.ReadFile(name); err == nil && filepath.Base(name) != "CHANGELOG.md" {
				pages[name] = string(text)
			}
		}
	}
	for name, text := range pages {
		for _, m := range moved {
			if strings.Contains(commands, "\n["+m[1]+"]") {
				continue // it is one still, with other arguments
			}
			if found := regexp.MustCompile(`svc-verify\s+` + m[1] + `\b.*`).FindString(text); found != "" {
				t.Errorf("%s: %s", name, found)
			}
		}
	}
}

// movedLines are former command lines, each with the line to type now.
const movedLines = `archive check-bag -
  archive verify -
archive diff --ledger l 1 12 -o json
  archive log --objects --since 1 --until 12 --ledger l -o json
archive keygen --out records.key --by a;b
  archive key records.key --new --by 'a;b'
archive keygen
  archive key --new
archive premis --ledger l --out p.xml
  archive export --premis --ledger l --out p.xml
archive public --from 2026-01-01 --until=x 1.k
  archive key --from 2026-01-01 --until=x 1.k
archive renew --rehash sha-512 --out=1.tsq 1.seal data
  archive seal --request 1.tsq --rehash sha-512 1.seal data
archive request --seal-trust k.json --out 1.tsq 1.seal
  archive seal --request 1.tsq --seal-trust k.json 1.seal
archive stamp --token 1.tsr --seal-trust k.json 1.seal
  archive seal --token 1.tsr --seal-trust k.json 1.seal
archive verify-object --proof 1.proof --seal-trust s.json 1.json
  archive verify 1.proof --seal-trust s.json 1.json
archive verify-seal --seal-trust s.json a.seal dir
  archive verify --seal-trust s.json a.seal dir
trust explain --minimum-approvals 2 t.json
  trust show --minimum-approvals 2 t.json
trust fingerprint t.json --output json
  trust show t.json --output json
trust history add --trust t.json --key k --by A --reason b;c --at 2026-01-05 t.history
  trust history --add t.json --from 2026-01-05 --key k --by A --reason 'b;c' t.history
trust history show --seal-trust s.json --at 2026-01-05 t.history
  trust history --seal-trust s.json --at 2026-01-05 t.history
`

// TestMovedLines: a former command names the line to type, which the program understands.
func TestMovedLines(t *testing.T) {
	t.Chdir(t.TempDir())
	lines := strings.Split(movedLines, "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		former, want := lines[i], strings.TrimSpace(lines[i+1])
		code, stdout, stderr := call(nil, strings.Fields(former)...)
		check.That(t, code == 2 && stdout == "" && strings.Contains(stderr, "; type: svc-verify "+want+"\n"),
			"%s: exit code %d\n%s%s", former, code, stdout, stderr)
		_, _, stderr = call(nil, strings.Fields(strings.ReplaceAll(want, "'", ""))...)
		check.That(t, !strings.Contains(stderr, "has no "), "%s is no command line: %s", want, stderr)
	}
}

// TestFormerFlags: the answer to a former flag is what to do instead.
func TestFormerFlags(t *testing.T) {
	for line, want := range map[string]string{
		"ingest --by-reference c.db p":      "ingest no longer has --by-reference: a case has all events whole",
		"ingest --explain p":                "ingest no longer has --explain: type: svc-verify check --explain PATH...\n",
		"check --status issued --trust t p": "check no longer has --status: a status is demanded of a proof; type: ",
	} {
		code, stdout, stderr := call(nil, strings.Fields(line)...)
		check.That(t, code == 2 && stdout == "" && strings.Contains(stderr, want), "%s: %d\n%s%s", line, code, stdout, stderr)
	}
}
