package reports

import (
	"encoding/json"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
)

// peers is the folder that install.sh filled.
func peers(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("REPORTS_PEERS")
	if _, err := os.Stat(filepath.Join(folder, "junit-10.xsd")); folder == "" || err != nil {
		must.That(t, os.Getenv("CI") == "", "REPORTS_PEERS is %q: make reports installs what it names", folder)
		t.Skip("make reports installs the readers")
	}
	return folder
}

// run runs a reader, and returns its output and whether it accepts.
func run(t *testing.T, name string, args ...string) (stdout, stderr string, accepts bool) {
	t.Helper()
	c := exec.Command(name, args...) // #nosec G204
	c.Env = append(os.Environ(), "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1")
	var out, errs strings.Builder
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	must.That(t, c.ProcessState != nil, "%v", err)
	return out.String(), errs.String(), err == nil
}

// damaged writes a copy of a file in which something was replaced, once.
func damaged(t *testing.T, file, old, replacement string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	must.That(t, err == nil && strings.Contains(string(content), old), "%s has no %q: %v", file, old, err)
	name := filepath.Join(t.TempDir(), filepath.Base(file))
	must.Do(t, os.WriteFile(name, []byte(strings.Replace(string(content), old, replacement, 1)), 0o600))
	return name
}

// TestReports hands the reports of several runs to their readers.
func TestReports(t *testing.T) {
	folder := peers(t)
	all := sets(t)
	t.Run("JUnit", func(t *testing.T) { junit(t, folder, all) })
	t.Run("SARIF", func(t *testing.T) { sarif(t, folder, all) })
	t.Run("Markdown", func(t *testing.T) { markdown(t, folder, all) })
	t.Run("HTML", func(t *testing.T) { html(t, all) })
	t.Run("Pictures", func(t *testing.T) { pictures(t, folder, all["hostile"].files["html"]) })
}

// junit: the files keep to Jenkins' schema, and junitparser finds as many cases in them as
// they state. None is green for a run that is not verified.
func junit(t *testing.T, folder string, all map[string]set) {
	schema := func(file string) bool {
		_, said, accepts := run(t, "xmllint", "--noout", "--nonet", "--schema", filepath.Join(folder, "junit-10.xsd"), file)
		if !accepts {
			t.Logf("%.500s", said)
		}
		return accepts
	}
	var file string
	for name, s := range all {
		file = s.files["junit"]
		check.That(t, schema(file), "%s is not of the schema", name)
		out, said, _ := run(t, filepath.Join(folder, "python/bin/python"), "programs/junit.py", file)
		var counts map[string][2]int
		err := json.Unmarshal([]byte(out), &counts)
		must.That(t, err == nil, "%s: %v\n%s", name, err, said)
		for what, n := range counts {
			check.That(t, n[0] == n[1], "%s: %s are %d, and said to be %d", name, what, n[1], n[0])
		}
		check.Equal(t, counts["failures"][1]+counts["errors"][1] == 0, s.verdict == outcome.Verified,
			"%s is %s: %v", name, s.verdict, counts)
		check.That(t, counts["tests"][1] != 0 && counts["skipped"][1] == 0, "%s: %v", name, counts)
	}
	check.That(t, !schema(damaged(t, file, " classname=", " class=")), "the schema takes everything")
}

// sarif: Microsoft's validator finds no error and no warning by the rules of the
// standard and of GitHub, and sarif-tools reads every result.
func sarif(t *testing.T, folder string, all map[string]set) {
	for name, s := range all {
		check.Equal(t, validate(t, folder, s.files["sarif"]), "", "%s", name)
		rows := filepath.Join(t.TempDir(), "rows.csv")
		_, said, accepts := run(t, filepath.Join(folder, "python/bin/sarif"), "csv", "-o", rows, s.files["sarif"])
		content, err := os.ReadFile(rows)
		sarif, sarifErr := os.ReadFile(s.files["sarif"])
		must.That(t, accepts && err == nil && sarifErr == nil, "%s: %v, %v\n%s", name, err, sarifErr, said)
		results := strings.Count(string(sarif), `"ruleIndex"`)
		got := strings.Count(string(content), "\n") - 1
		check.That(t, got == results, "%s: sarif-tools read %d of %d results", name, got, results)
	}
	bad := damaged(t, all["program"].files["sarif"], `"uri":"fixtures/`, `"uri":"/fixtures/`)
	found := validate(t, folder, bad)
	check.That(t, strings.Contains(found, "SARIF1004"), "the validator takes everything: %s", found)
}

// validate returns the objections of the validator.
func validate(t *testing.T, folder, file string) string {
	t.Helper()
	verdict := filepath.Join(t.TempDir(), "validated.sarif")
	tool := filepath.Join(folder, "node/node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool")
	out, said, accepts := run(t, tool, "validate", file, "--rule-kind", "Sarif;Ghas", "--level", "Error;Warning",
		"--max-file-size-in-kb", "20000", "--output", verdict, "--log", "ForceOverwrite")
	content, err := os.ReadFile(verdict)
	must.That(t, err == nil, "%v\n%s%s", err, out, said)
	var log struct {
		Runs []struct {
			Results []struct {
				RuleID string `json:"ruleId"`
			}
			Invocations []struct {
				ToolExecutionNotifications, ToolConfigurationNotifications []struct {
					Level string
				}
			}
		}
	}
	if err := json.Unmarshal(content, &log); err != nil || len(log.Runs) != 1 {
		t.Fatalf("%v\n%s", err, content)
	}
	for _, i := range log.Runs[0].Invocations {
		check.That(t, len(i.ToolExecutionNotifications)+len(i.ToolConfigurationNotifications) == 0,
			"the validator did not do its work: %+v", i)
	}
	if len(log.Runs[0].Results) > 0 || !accepts || !strings.Contains(out, "1 files scanned") {
		return out + said
	}
	return ""
}

var tag = regexp.MustCompile(`<(/?[a-zA-Z][a-zA-Z0-9]*)([^>]*)>`)

// allowed are the elements of a rendered report. None of them does anything.
var allowed = map[string]bool{"h1": true, "h2": true, "p": true, "strong": true, "table": true, "thead": true,
	"tbody": true, "tr": true, "th": true, "td": true, "code": true, "ul": true, "li": true, "br": true, "h3": true,
	"details": true, "summary": true}

// objections returns the pieces of a rendered report that a text of the evidence must have
// made.
func objections(html string) []string {
	var all []string
	for _, m := range tag.FindAllStringSubmatch(html, -1) {
		attribute := strings.TrimSpace(strings.TrimSuffix(m[2], "/"))
		aligned := attribute == `align="right"` || attribute == `style="text-align:right"`
		if !allowed[strings.TrimPrefix(strings.ToLower(m[1]), "/")] || attribute != "" && !aligned {
			all = append(all, m[0])
		}
	}
	for row := range strings.SplitSeq(html, "<tr>") {
		if n := strings.Count(row, "<td"); n > 0 && (n < 2 || n > 4 || strings.Contains(row, "<td></td>\n</tr>")) {
			all = append(all, row)
		}
	}
	return all
}

// markdown: GitHub's own renderer and markdown-it, with everything that they can,
// make the tables that were meant and nothing else of any text.
func markdown(t *testing.T, folder string, all map[string]set) {
	t.Setenv("NODE_PATH", filepath.Join(folder, "node/node_modules"))
	renderers := map[string][]string{
		"cmark-gfm": {"cmark-gfm", "--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough", "-e", "tasklist",
			"-e", "footnotes"},
		"markdown-it": {"node", "programs/markdown.mjs"},
	}
	for renderer, command := range renderers {
		render := func(file string) string {
			out, said, accepts := run(t, command[0], append(command[1:], file)...)
			must.That(t, accepts, "%s: %s", renderer, said)
			return out
		}
		for name, s := range all {
			for _, form := range []string{"markdown", "github-summary"} {
				html := render(s.files[form])
				bad := objections(html)
				check.That(t, len(bad) == 0, "%s makes of %s, %s: %.1000q", renderer, name, form, bad)
				source, err := os.ReadFile(s.files[form])
				want := strings.Count(string(source), "\n| ") - strings.Count(string(source), "\n|---")
				if got := strings.Count(html, "<tr>") - strings.Count(html, "<thead>"); err != nil || got != want {
					t.Errorf("%s makes %d rows of %s, %s, want %d: %v", renderer, got, name, form, want, err)
				}
			}
		}
		for _, text := range []string{"www.example.com", "<b>x</b>", "[a](b)", "| a |\n|---|\n| a |"} {
			file := filepath.Join(t.TempDir(), "bad.md")
			must.Do(t, os.WriteFile(file, []byte(text+"\n"), 0o600))
			check.That(t, len(objections(render(file))) != 0, "%s: %q is no objection", renderer, text)
		}
	}
}

// browse lets Chromium show a page, and returns the page as it understood it, and its
// complaints.
func browse(t *testing.T, file string, flags ...string) (page, complaints string) {
	t.Helper()
	out, said, accepts := run(t, "chromium", append([]string{"--headless", "--no-sandbox", "--disable-gpu",
		"--user-data-dir=" + t.TempDir(), "--enable-logging=stderr", "--dump-dom"}, append(flags, "file://"+file)...)...)
	must.That(t, accepts, "%v", said)
	for line := range strings.Lines(said) {
		if strings.Contains(line, "CONSOLE") {
			complaints += line
		}
	}
	return out, complaints
}

var active = regexp.MustCompile(`(?i)<(script|img|iframe|object|embed|link|form|input|b)\b| on[a-z]+="| href="[^#]`)

// html: a browser finds all elements of the page, nothing that does something, and nothing
// that the page's own policy forbids.
func html(t *testing.T, all map[string]set) {
	for name, s := range all {
		page, complaints := browse(t, s.files["html"])
		source := must.Get(os.ReadFile(s.files["html"]))(t)
		word := string(s.verdict)
		switch {
		case name == "program":
			word = "no" // verify answers so
		case s.verdict == outcome.Inconclusive:
			word = "open" // people read it so
		}
		check.That(t, complaints == "" && strings.Contains(page, "<span>"+word+"</span>"), "%s: %.500s", name, complaints)
		_, body, _ := strings.Cut(page, "</style>")
		check.Equal(t, active.FindString(body), "", "%s", name)
		for _, element := range []string{"<tr>", "<li>", "<section>", "<dt>"} {
			got, want := strings.Count(body, element), strings.Count(string(source), element)
			check.That(t, got == want, "%s: the browser finds %d of %d %s", name, got, want, element)
		}
	}
	bad := damaged(t, all["verified"].files["html"], "<main>", "<main><script>document.title = 'x'</script>")
	_, complaints := browse(t, bad)
	check.That(t, strings.Contains(complaints, "Content Security Policy"), "a script is no complaint: %q", complaints)
}

// pictures makes pictures of a page to look at, in both schemes, wide and narrow,
// and checks that the schemes differ.
func pictures(t *testing.T, folder, file string) {
	folder = filepath.Join(folder, "pictures")
	must.Do(t, os.MkdirAll(folder, 0o750))
	corner := map[string]uint32{}
	for name, flags := range map[string][]string{
		"light": {"--window-size=1100,2400"}, "narrow": {"--window-size=500,4000"},
		"dark": {"--window-size=1100,2400", "--blink-settings=preferredColorScheme=0"},
	} {
		picture := filepath.Join(folder, name+".png")
		browse(t, file, append(flags, "--hide-scrollbars", "--screenshot="+picture)...)
		in := must.Get(os.Open(picture))(t)
		defer in.Close()
		decoded := must.Get(png.Decode(in))(t)
		corner[name], _, _, _ = decoded.At(2, 2).RGBA()
	}
	check.That(t, corner["light"] >= 0xe000 && corner["narrow"] >= 0xe000 && corner["dark"] <= 0x3000,
		"the grounds are %x", corner)
}
