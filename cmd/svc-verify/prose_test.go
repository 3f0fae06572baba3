package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/cliapp/clitest"
	"github.com/svc-edge/svc-verify/internal/must"
)

// proseColumns is how wide prose in documents may be.
const proseColumns = 100

// documents calls f with every Markdown file of the repository that is not
// test data, by its path from the root, and with its text.
func documents(t *testing.T, f func(name, text string)) {
	t.Helper()
	root := filepath.Join("..", "..")
	seen := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		hidden := strings.HasPrefix(d.Name(), ".") && name != "."
		if d.IsDir() && (hidden || d.Name() == "testdata" || name == "bin" || name == "demo") {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || filepath.Ext(name) != ".md" {
			return err
		}
		seen++
		f(filepath.ToSlash(name), documentOf(t, name))
		return nil
	})
	check.That(t, err == nil && seen >= 15, "%d documents, %v", seen, err)
}

// TestProseIsWrapped: prose in documents is at most 100 columns wide. Code, tables, headings,
// text that cannot be broken and generated pages may be wider.
func TestProseIsWrapped(t *testing.T) {
	documents(t, func(name, text string) {
		if name == "CHANGELOG.md" || generated(text) {
			return
		}
		fenced := false
		for i, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				fenced = !fenced
			}
			check.That(t, fenced || !isProse(line) || !couldBreak(line),
				"%s:%d is wider than %d columns", name, i+1, proseColumns)
		}
	})
}

// generated reports whether a page states at its top that it is generated.
func generated(text string) bool {
	head, _, _ := strings.Cut(text, "\n## ")
	return strings.Contains(head, "\nThis page is generated: ")
}

// isProse reports whether a line is none of code, a row of a table, a heading.
func isProse(line string) bool {
	text := strings.TrimLeft(line, " ")
	return !strings.HasPrefix(line, "    ") && !strings.HasPrefix(text, "|") && !strings.HasPrefix(text, "#")
}

var codeSpan = regexp.MustCompile("`[^`]*`")

// couldBreak reports whether a line that is too wide has a space, outside of
// code, at which it could end.
func couldBreak(line string) bool {
	if utf8.RuneCountInString(line) <= proseColumns {
		return false
	}
	blank := codeSpan.ReplaceAllStringFunc(line, func(s string) string { return strings.ReplaceAll(s, " ", "x") })
	text := strings.TrimLeft(blank, " -*")
	start := []rune(blank)[:proseColumns]
	return strings.ContainsRune(string(start[len(blank)-len(text):]), ' ')
}

var (
	relative   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	headingOf  = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notInASlug = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// TestLinksResolve: every relative link of a document leads to a file or folder,
// and to a heading of it where the link names one.
func TestLinksResolve(t *testing.T) {
	documents(t, func(name, text string) {
		for _, m := range relative.FindAllStringSubmatch(text, -1) {
			path, heading, _ := strings.Cut(m[1], "#")
			if strings.Contains(path, ":") {
				continue // an address
			}
			target := filepath.Join("..", "..", filepath.FromSlash(name))
			if path != "" {
				target = filepath.Join(filepath.Dir(target), filepath.FromSlash(path))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", name, err)
			} else if heading != "" && !hasHeading(t, target, heading) {
				t.Errorf("%s: %s has no heading %q", name, path, heading)
			}
		}
	})
}

// hasHeading reports whether a document has a heading that a link calls slug.
func hasHeading(t *testing.T, path, slug string) bool {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	for _, m := range headingOf.FindAllStringSubmatch(string(text), -1) {
		plain := notInASlug.ReplaceAllString(strings.ToLower(m[1]), "")
		if strings.ReplaceAll(plain, " ", "-") == slug {
			return true
		}
	}
	return false
}

// TestMessages: whatever is wrong with a command line, the program's message is a sentence.
// JSON and dumps are exempt.
func TestMessages(t *testing.T) {
	t.Chdir(t.TempDir())
	trust := must.Get(filepath.Abs("trust.json"))(t)
	must.Do(t, os.WriteFile(trust, []byte("{}\n"), 0o600))
	for _, good := range []map[string]string{{}, {"case": "case.db", "trust": trust, "evidence": trust}} {
		for i, line := range clitest.BadLines(newProgram(), good) {
			if slices.Contains(line, "conformance") || testing.Short() && i%16 != 0 {
				continue // TestScripts runs it, and it takes a while
			}
			var stdout, stderr bytes.Buffer
			newProgram().Run(line, strings.NewReader(""), &stdout, &stderr)
			slip := clitest.Slip(stderr.String())
			check.That(t, slip == "", "svc-verify %q: %s in %s", line, slip, stderr.String())
		}
	}
}

// TestTimes: every flag for a time or a duration accepts the same values, and refuses the same
// others in the same words.
func TestTimes(t *testing.T) {
	wrong, flags := clitest.WrongTimes(newProgram())
	for _, w := range wrong {
		t.Error(w)
	}
	check.That(t, flags >= 30, "only %d flags were tried", flags)
}
