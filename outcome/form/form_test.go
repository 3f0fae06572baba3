package form

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
)

var update = flag.Bool("update", false, "write the expected reports")

func render(t testing.TB, name string, r *outcome.Report, o Options) string {
	t.Helper()
	f, known := Lookup(name)
	must.That(t, known, "there is no form %s", name)
	var b bytes.Buffer
	must.Do(t, f.Write(&b, r, o))
	return b.String()
}

// golden names the files that contain the scene in each form.
var golden = map[string]string{
	"junit": "junit.xml", "sarif": "sarif.json", "github-annotations": "annotations.txt", "markdown": "markdown.md",
	"html": "page.html", "github-summary": "summary.md",
}

// TestGolden: the scene in each form, and the same bytes each time.
func TestGolden(t *testing.T) {
	for _, f := range Forms() {
		got := render(t, f.Name, scene(), sceneOptions())
		check.That(t, render(t, f.Name, scene(), sceneOptions()) == got, "%s differs from run to run", f.Name)
		file := filepath.Join("testdata", golden[f.Name])
		if *update {
			must.Do(t, os.WriteFile(file, []byte(got), 0o600))
		}
		want := must.Get(os.ReadFile(file))(t)
		diff := cmp.Diff(string(want), got)
		check.That(t, diff == "", "%s: run go test ./outcome/form -update and look at it\n%s", f.Name, diff)
	}
}

func decode(t rapid.TB, doc string) sarifLog {
	t.Helper()
	var log sarifLog
	d := json.NewDecoder(strings.NewReader(doc))
	d.DisallowUnknownFields()
	must.Do(t, d.Decode(&log))
	return log
}

// TestLimitsDocument: the reference has the forms with the limits that they keep.
func TestLimitsDocument(t *testing.T) {
	const file, head = "../../docs/cli.md", "| form | for | at most |\n|---|---|---|\n"
	var want strings.Builder
	for _, f := range Forms() {
		var limits []string
		for _, l := range f.Limits {
			limits = append(limits, fmt.Sprintf("%s %s, %s", answer.Number(l.Most), l.Of, l.Why))
		}
		fmt.Fprintf(&want, "| `%s` | %s | %s |\n", f.Name, f.Reader, strings.Join(limits, "; "))
	}
	content := must.Get(os.ReadFile(file))(t)
	before, rest, found := strings.Cut(string(content), head)
	rows, after, ended := strings.Cut(rest, "\n\n")
	if strings.HasPrefix(rest, "\n") { // no row
		rows, after = "", rest[1:]
	}
	must.That(t, found && ended, "%s has no table of the forms", file)
	if *update {
		page := before + head + want.String() + "\n" + after
		must.Do(t, os.WriteFile(file, []byte(page), 0o600))
		return
	}
	check.That(t, rows+"\n" == want.String(), "%s is out of date: run make docs\n%s", file, want.String())
}
