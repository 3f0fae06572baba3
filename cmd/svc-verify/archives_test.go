package main

import (
	"archive/zip"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestArchivesGuide runs the commands of docs/archives.md that concern checks, line by
// line, in one folder.
func TestArchivesGuide(t *testing.T) {
	_, page, _ := strings.Cut(documentOf(t, filepath.Join("docs", "archives.md")), "\n## A first check\n")
	page, _, ended := strings.Cut(page, "\n## Logs and cases\n")
	check.That(t, ended, "docs/archives.md: the guide to checks does not end where it did")
	ran := runGuide(t, "docs/archives.md", page)
	check.That(t, ran >= 8, "only %d commands ran", ran)
}

// TestGuides runs the commands of the first pages: for auditors, responders, pipelines and large jobs.
func TestGuides(t *testing.T) {
	for name, least := range map[string]int{"docs/auditing.md": 6, "docs/investigating.md": 19, "ci/README.md": 1,
		"docs/scale.md": 6} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			ran := runGuide(t, name, documentOf(t, filepath.FromSlash(name)))
			check.That(t, ran >= least, "only %d commands ran", ran)
		})
	}
}

// TestReadme runs the commands of README.md, which are indented.
func TestReadme(t *testing.T) {
	page := regexp.MustCompile(`(?m)^ {4}(.+)$`).ReplaceAllString(documentOf(t, "README.md"), "```sh\n$1\n```")
	ran := runGuide(t, "README.md", page)
	check.That(t, ran >= 6, "only %d commands ran", ran)
}

// guideLines are the commands of a page: in blocks, and alone in the last cell of a table's row.
var guideLines = regexp.MustCompile("(?s)```sh\n(.*?)```|\\| `(svc-verify [^`\n]+)` \\|\n")

// runGuide runs the commands of a page, line by line, in one folder, and returns how many of them
// were of svc-verify. The exit code is 0 where the line states no other one.
func runGuide(t *testing.T, name, page string) (ran int) {
	t.Helper()
	makefile := documentOf(t, "Makefile")
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	for _, block := range guideLines.FindAllStringSubmatch(page, -1) {
		for line := range strings.Lines(block[1] + block[2]) {
			line, note, _ := strings.Cut(strings.TrimSpace(line), " # ")
			line = strings.TrimPrefix(strings.TrimSpace(line), "bin/")
			words := strings.Fields(line)
			switch words[0] {
			case "make":
				check.That(t, strings.Contains(makefile, "\n"+words[1]+":"), "%s: there is no such target", line)
			case "svc-harness":
				playLine(t, words[1:])
			case "sed":
				replaceLine(t, line)
			case "mkdir":
				must.Do(t, os.Mkdir(words[1], 0o755))
			case "mv":
				must.Do(t, moveLine(words[1], words[2]))
			case "svc-verify":
				ran++
				if file, content := verifyLine(t, line, note); file != "" {
					must.WriteFile(t, file, content)
				}
			default:
				t.Errorf("%s: unknown command %q", name, line)
			}
		}
	}
	return ran
}

// moveLine does as mv FILE TO, where TO may be a folder.
func moveLine(file, to string) error {
	if info, err := os.Stat(to); err == nil && info.IsDir() {
		to = filepath.Join(to, filepath.Base(file))
	}
	return os.Rename(file, to)
}

// scriptPack packs files: pack tar|tar.gz|gz|zip|jsonl TO FILE...
func scriptPack(ts *testscript.TestScript, _ bool, args []string) {
	var files []string
	lines := ""
	for _, name := range args[2:] {
		content := ts.ReadFile(name)
		if files = append(files, name, content); lines != "" && !strings.HasSuffix(lines, "\n") {
			lines += "\n"
		}
		lines += content
	}
	packed := map[string]func() string{
		"tar":    func() string { return must.Tar(files...) },
		"tar.gz": func() string { return must.Gzip(must.Tar(files...)) },
		"gz":     func() string { return must.Gzip(files[1]) },
		"zip":    func() string { return must.Zip(zip.Deflate, files...) },
		"jsonl":  func() string { return lines },
	}[args[0]]()
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(packed), 0o644))
}

// scriptCut cuts bytes off the end of a file: cut FILE TO N.
func scriptCut(ts *testscript.TestScript, _ bool, args []string) {
	less, err := strconv.Atoi(args[2])
	ts.Check(err)
	content := ts.ReadFile(args[0])
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(content[:len(content)-less]), 0o644))
}

// scriptSides writes both bundles of a contradiction file: sides FILE ONE OTHER.
func scriptSides(ts *testscript.TestScript, _ bool, args []string) {
	var c struct{ Bundles []struct{ Document string } }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &c))
	for i, b := range c.Bundles {
		doc, err := base64.RawURLEncoding.DecodeString(b.Document)
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(args[1+i]), doc, 0o644))
	}
}
