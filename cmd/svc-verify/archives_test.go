package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
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
// line, in one folder. The exit code is 0 where the line states no other one.
func TestArchivesGuide(t *testing.T) {
	_, page, _ := strings.Cut(documentOf(t, filepath.Join("docs", "archives.md")), "\n## A first check\n")
	page, _, ended := strings.Cut(page, "\n## Logs and cases\n")
	check.That(t, ended, "docs/archives.md: the guide to checks does not end where it did")
	if ran := runGuide(t, "docs/archives.md", page); ran < 8 {
		t.Errorf("only %d commands ran", ran)
	}
}

// TestGuides runs the commands of the first pages: for auditors, responders, pipelines and large jobs.
func TestGuides(t *testing.T) {
	for name, least := range map[string]int{"docs/auditing.md": 6, "docs/investigating.md": 19, "ci/README.md": 1,
		"docs/scale.md": 6} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			if ran := runGuide(t, name, documentOf(t, filepath.FromSlash(name))); ran < least {
				t.Errorf("only %d commands ran", ran)
			}
		})
	}
}

// guideLines are the commands of a page: in blocks, and alone in the last cell of a table's row.
var guideLines = regexp.MustCompile("(?s)```sh\n(.*?)```|\\| `(svc-verify [^`\n]+)` \\|\n")

// runGuide runs the commands of a page, line by line, in one folder, and returns how many of them
// were of svc-verify.
func runGuide(t *testing.T, name, page string) (ran int) {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	for _, block := range guideLines.FindAllStringSubmatch(page, -1) {
		for line := range strings.Lines(block[1] + block[2]) {
			line, note, _ := strings.Cut(strings.TrimSpace(line), " # ")
			words := strings.Fields(line)
			switch words[0] {
			case "svc-harness":
				playLine(t, words[1:])
			case "sed":
				replaceLine(t, line)
			case "mkdir":
				guideFile(t, os.Mkdir(words[1], 0o755))
			case "mv":
				guideFile(t, moveLine(words[1], words[2]))
			case "svc-verify":
				ran++
				if file, content := verifyLine(t, line, note); file != "" {
					guideFile(t, os.WriteFile(file, []byte(content), 0o644))
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

func guideFile(t *testing.T, err error) {
	t.Helper()
	must.Do(t, err)
}

// scriptPack packs files: pack tar|tar.gz|zip|jsonl TO FILE...
func scriptPack(ts *testscript.TestScript, _ bool, args []string) {
	var b bytes.Buffer
	put, end := packer(args[0], &b)
	for _, name := range args[2:] {
		w, err := put(name, int64(len(ts.ReadFile(name))))
		ts.Check(err)
		_, err = io.WriteString(w, ts.ReadFile(name))
		ts.Check(err)
	}
	ts.Check(end())
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b.Bytes(), 0o644))
}

// packer returns functions that begin a member and end the archive.
func packer(form string, b *bytes.Buffer) (put func(string, int64) (io.Writer, error), end func() error) {
	switch form {
	case "zip":
		w := zip.NewWriter(b)
		return func(name string, _ int64) (io.Writer, error) { return w.Create(name) }, w.Close
	case "jsonl":
		return func(string, int64) (io.Writer, error) {
			if s := b.String(); s != "" && !strings.HasSuffix(s, "\n") {
				b.WriteByte('\n')
			}
			return b, nil
		}, func() error { return nil }
	case "tar.gz":
		z := gzip.NewWriter(b)
		put, end := tarPacker(z)
		return put, func() error {
			if err := end(); err != nil {
				return err
			}
			return z.Close()
		}
	}
	return tarPacker(b)
}

func tarPacker(to io.Writer) (func(string, int64) (io.Writer, error), func() error) {
	w := tar.NewWriter(to)
	return func(name string, size int64) (io.Writer, error) {
		return w, w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600})
	}, w.Close
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
