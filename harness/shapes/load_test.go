package shapes

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
)

// TestEveryFileIsAShape checks that no file below data is left out, and that files call
// every function.
func TestEveryFileIsAShape(t *testing.T) {
	names, called := map[string]bool{}, map[string]bool{}
	for _, s := range All() {
		names[s.Name] = true
	}
	inside := regexp.MustCompile(`(?s)(?:through: |\{\{).*?(?:\}\}|\n)`)
	seal.Do(fs.WalkDir(os.DirFS("data"), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		check.That(t, names[strings.TrimSuffix(path, ".txtar")], "%s: is no shape", path)
		for _, action := range inside.FindAllString(string(seal.Must(os.ReadFile("data/"+path))), -1) {
			for _, word := range regexp.MustCompile(`\w+`).FindAllString(action, -1) {
				called[word] = true
			}
		}
		return nil
	}))
	for name := range functions {
		check.That(t, called[name], "no file calls %s", name)
	}
}

// TestBrokenFiles checks that errors name the file and the line.
func TestBrokenFiles(t *testing.T) {
	const good = "document: Text, https://example.org/\nexport: cp\nkeeps: less\nlost: above 9\ncuts: true\n" +
		"through: crlf | gzip\n\n-- a.txt --\none\n\n-- b.txt --\n{{range .}}{{json .Line}}\n{{end}}\n"
	read := func(text string) ([]Shape, error) {
		return loadShapes(fstest.MapFS{"data/text/plain.txtar": {Data: []byte(text)}}, "data")
	}
	all, err := read(good)
	if err != nil || len(all) != 1 || all[0].Name != "text/plain" || all[0].Lost([]byte("123456789")) {
		t.Fatal(all, err)
	}
	check.Equal(t, len(all[0].Write(Log{Lines: [][]byte{[]byte("{}")}})), 2, "files")
	for _, c := range []struct{ old, new, want string }{
		{"export: cp", "exports: cp", `data/text/plain.txtar:2: "exports: cp": unknown key`},
		{"export: cp\n", "", "data/text/plain.txtar:1: expected document"},
		{"document: Text, https://example.org/\n", "", "data/text/plain.txtar:1: expected document"},
		{"keeps: less", "keeps: more", "data/text/plain.txtar:1: expected document, export, keeps"},
		{"above 9", "above", "data/text/plain.txtar:4: "},
		{"cuts: true", "cuts: yes", "data/text/plain.txtar:5: "},
		{"crlf | gzip", "crlf | gzap", "data/text/plain.txtar:6: "},
		{"-- a.txt", "- a.txt", `data/text/plain.txtar:7: "": unknown key`},
		{"one", "{{end}}", "data/text/plain.txtar:9: unexpected {{end}}"},
		{"json", "jason", `data/text/plain.txtar:12: function "jason" not defined`},
		{"{{end}}", "", "data/text/plain.txtar:13: unexpected EOF"},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		_, err := read(text)
		check.That(t, err != nil && strings.Contains(err.Error(), c.want), "%s: %v, not %s", c.new, err, c.want)
	}
}
