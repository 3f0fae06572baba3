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
			found := regexp.MustCompile(`svc-verify\s+` + m[1] + `\b.*`).FindString(text)
			check.That(t, found == "", "%s: %s", name, found)
		}
	}
}

// TestMovedLines: a former command of testdata/moved.txt names the line to type, which is below it and which the
// program understands.
func TestMovedLines(t *testing.T) {
	lines := strings.Split(string(must.Get(os.ReadFile(filepath.Join("testdata", "moved.txt")))(t)), "\n")
	t.Chdir(t.TempDir())
	for i := 0; i+1 < len(lines); i += 2 {
		former, want := lines[i], strings.TrimSpace(lines[i+1])
		code, stdout, stderr := call(nil, strings.Fields(former)...)
		check.That(t, code == 2 && stdout == "" && strings.Contains(stderr, "; type: svc-verify "+want+"\n"),
			"%s: exit code %d\n%s%s", former, code, stdout, stderr)
		_, _, stderr = call(nil, strings.Fields(strings.ReplaceAll(want, "'", ""))...)
		check.That(t, !strings.Contains(stderr, "has no "), "%s is no command line: %s", want, stderr)
	}
}
