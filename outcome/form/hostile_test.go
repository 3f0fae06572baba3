package form

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/answer/answertest"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
)

// filled is a report whose texts are all drawn. Its form does not depend on them.
func filled(text func() string) (*outcome.Report, Options) {
	n := 0 // no two places are the same
	place := func() outcome.Place {
		n++
		return outcome.Place{File: fmt.Sprint("f", n, text()), Entry: "e" + text(), Line: 2}
	}
	problem := func(c outcome.Class) outcome.Problem {
		return outcome.Problem{Code: finding.Code("c" + text()), Class: c, Path: fmt.Sprint("/p", n, text()),
			Message: "m" + text(), Place: place()}
	}
	run := outcome.Run{
		Command: "svc" + text(), Verdict: outcome.Rejected, NotExamined: []string{"n" + text(), "n" + text()},
		Counts:      []answer.Count{{What: "w" + text(), N: 1}, {What: "w" + text(), N: 2}},
		Problems:    []outcome.Problem{problem(outcome.Rejected), problem(outcome.Inconclusive)},
		Limitations: []finding.Limitation{{Code: finding.Code("c" + text()), Sentence: "s" + text()}},
		TrustSHA256: "t" + text(),
	}
	var items []outcome.Item
	for _, class := range outcome.Classes() {
		item := outcome.Item{Name: "i" + text(), Place: place(), Class: class,
			About: []outcome.Fact{{What: "a" + text(), Value: "v" + text()}}}
		if class != outcome.Verified {
			item.Problems = []outcome.Problem{problem(class), problem(outcome.Inconclusive)}
		}
		items = append(items, item)
	}
	return reportOf(run, items...), Options{Tool: text(), Rest: answer.Rest{File: text()}}
}

// plain is each form of harmless texts.
var plain = sync.OnceValue(func() map[string]string {
	report, options := filled(func() string { return "x" })
	all := map[string]string{}
	for _, f := range Forms() {
		var b strings.Builder
		if err := f.Write(&b, report, options); err != nil {
			panic(err)
		}
		all[f.Name] = b.String()
	}
	return all
})

// checks compare a form of hostile texts with the same form of harmless ones.
var checks = map[string]func(rapid.TB, string, string){
	"junit": sameXML, "sarif": checkSARIF, "markdown": sameMarkdown, "github-summary": sameMarkdown,
	"html": sameHTML, "github-annotations": sameCommands,
}

// checkForms checks every form of a report whose texts are drawn.
func checkForms(t rapid.TB, text func() string) {
	report, options := filled(text)
	for _, f := range Forms() {
		var got strings.Builder
		must.Do(t, f.Write(&got, report, options))
		if at := answertest.UnsafeAt(got.String()); at >= 0 {
			t.Fatalf("%s: unsafe: %q", f.Name, got.String()[at:min(at+40, got.Len())])
		}
		checks[f.Name](t, got.String(), plain()[f.Name])
	}
}

// TestHostile: whatever the texts are, each form has the markup of harmless ones, and
// no text of it does anything.
func TestHostile(t *testing.T) {
	hostile := answertest.Hostile
	if testing.Short() {
		hostile = hostile[:len(hostile)/4]
	}
	for _, text := range append(slices.Clone(hostile), "") {
		checkForms(t, func() string { return text })
	}
	rapid.Check(t, func(t *rapid.T) {
		checkForms(t, func() string { return answertest.Texts().Draw(t, "text") })
	})
}

// FuzzForms is TestHostile with any texts. Of longer ones a report leaves rows out, as it should.
func FuzzForms(f *testing.F) {
	const longest = 500
	for i, text := range answertest.Hostile {
		f.Add(text, answertest.Hostile[(i+1)%len(answertest.Hostile)])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		a, b = a[:min(len(a), longest)], b[:min(len(b), longest)]
		n := 0
		checkForms(t, func() string {
			n++
			return []string{a, b, a + b, b + a}[n%4]
		})
	})
}

// skeletonXML is the elements of a document with the names of their attributes.
func skeletonXML(t rapid.TB, doc string) string {
	var b strings.Builder
	for d := xml.NewDecoder(strings.NewReader(doc)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return b.String()
		}
		must.That(t, err == nil, "%v\n%s", err, doc)
		switch token := token.(type) {
		case xml.StartElement:
			b.WriteString("<" + token.Name.Local)
			for _, a := range token.Attr {
				b.WriteString(" " + a.Name.Local)
			}
			b.WriteString(">")
		case xml.EndElement:
			b.WriteString("</>")
		case xml.Comment, xml.Directive:
			t.Fatalf("%T in %s", token, doc)
		}
	}
}

func sameXML(t rapid.TB, doc, plain string) {
	diff := cmp.Diff(skeletonXML(t, plain), skeletonXML(t, doc))
	must.That(t, diff == "", "%s", diff)
}

var single = strings.NewReplacer("{{", "", "}}", "")

// checkSARIF checks rules that are not in the schema: the rules of GitHub, and that no message
// has a placeholder or a link.
func checkSARIF(t rapid.TB, doc, plain string) {
	log, want := decode(t, doc), decode(t, plain)
	run := log.Runs[0]
	if strings.Count(doc, "\n") != strings.Count(plain, "\n") || len(run.Results) != len(want.Runs[0].Results) {
		t.Fatalf("%d results, want %d", len(run.Results), len(want.Runs[0].Results))
	}
	messages := []sarifMessage{}
	for _, n := range run.Invocations[0].Notifications {
		messages = append(messages, n.Message)
	}
	for _, r := range run.Results {
		messages = append(messages, r.Message)
		must.That(t, len(r.Locations) == 1 && run.Tool.Driver.Rules[r.RuleIndex].ID == r.RuleID && len(r.Fingerprints) > 0,
			"found %+v", r)
		uri := r.Locations[0].Physical.Artifact.URI
		parsed, err := url.Parse(uri)
		must.That(t, err == nil && !parsed.IsAbs() && parsed.Host == "" && parsed.Path != "" &&
			!strings.HasPrefix(uri, "/") && parsed.RawQuery == "" && parsed.Fragment == "", "the address %q: %v", uri, err)
	}
	for _, r := range run.Tool.Driver.Rules {
		messages = append(messages, r.Short, r.Full, r.Help)
	}
	for _, m := range messages {
		must.That(t, m.Text != "" && !strings.Contains(m.Text, "](") && !strings.ContainsAny(single.Replace(m.Text), "{}"),
			"the message %q", m.Text)
	}
}

// cells splits a line of a table as cmark-gfm does.
var cells = regexp.MustCompile(`(?:\\.|[^|\\])+`)

// sameMarkdown: the same lines begin blocks, and rows have as many cells.
func sameMarkdown(t rapid.TB, doc, plain string) {
	got, want := strings.Split(doc, "\n"), strings.Split(plain, "\n")
	must.That(t, len(got) == len(want), "%d lines, want %d:\n%s", len(got), len(want), doc)
	for i := range got {
		must.That(t, blockOf(got[i]) == blockOf(want[i]), "line %d is %q, which should be like %q", i+1, got[i], want[i])
	}
}

var blockStart = regexp.MustCompile("^([#>+ -]*|```|[0-9]+[.)]|<|\\|)")

// blockOf returns the kind of block that a line begins, and how many cells it has.
func blockOf(line string) string {
	if strings.HasPrefix(line, "| ") {
		return strings.Repeat("|", len(cells.FindAllString(line, -1)))
	}
	return blockStart.FindString(line)
}

func sameHTML(t rapid.TB, doc, plain string) {
	diff := cmp.Diff(answertest.Skeleton(plain), answertest.Skeleton(doc))
	must.That(t, diff == "", "%s", diff)
	acts := regexp.MustCompile(`<script| style=| on[a-z]+=|<iframe|<img|<link|<form|(src|href)="[^#]`)
	found := acts.FindString(strings.Join(answertest.Tag.FindAllString(doc, -1), "\n"))
	must.That(t, found == "", "the page has %s", found)
}

var command = regexp.MustCompile(`^::(error|warning|notice) (file=[^,:]+,(line=[0-9]+,)?)?title=[^,:]*::`)

// sameCommands: each line is one command of the same kind.
func sameCommands(t rapid.TB, doc, plain string) {
	got, want := strings.Split(strings.TrimSuffix(doc, "\n"), "\n"), strings.Split(strings.TrimSuffix(plain, "\n"), "\n")
	must.That(t, len(got) == len(want), "%d lines, want %d", len(got), len(want))
	for i := range got {
		found, wanted := command.FindStringSubmatch(got[i]), command.FindStringSubmatch(want[i])
		if found == nil || found[1] != wanted[1] {
			t.Fatalf("line %d: %q", i+1, got[i])
		}
		if rest := got[i][len(found[0]):]; regexp.MustCompile(`%(?:[^2]|2[^5]|.?$)`).MatchString(rest) {
			t.Fatalf("line %d has an escape of its own: %q", i+1, rest)
		}
	}
}

// TestRulesOfCodes: the help text of a code has no placeholder.
func TestRulesOfCodes(t *testing.T) {
	for _, e := range finding.Codes("") {
		help, _ := ruleOf(string(e.Code))["help"].(object)
		text, _ := help["text"].(string)
		check.That(t, strings.Contains(single.Replace(text), strings.NewReplacer("{", "", "}", "").Replace(e.Arises)) &&
			!strings.ContainsAny(single.Replace(text), "{}"), "%s: %q", e.Code, text)
	}
}
