package reports

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/outcome/form"
)

// set is the reports of one run: the file of each form that has one.
type set struct {
	verdict outcome.Class
	files   map[string]string
}

// sets are the runs whose reports are read.
func sets(t *testing.T) map[string]set {
	return map[string]set{
		"program": program(t),
		"hostile": written(t, hostileRun()),
		"many":    written(t, manyRun(12_000)),
		"nothing": written(t, reportOf(outcome.Run{Command: "svc-verify verify", Verdict: outcome.Inconclusive},
			itemsOf(0, nil))),
		"verified": written(t, reportOf(outcome.Run{Command: "svc-verify verify", Verdict: outcome.Verified},
			itemsOf(3, func(i int) outcome.Item {
				return outcome.Item{Name: fmt.Sprint(i, ".json"), Class: outcome.Verified}
			}))),
	}
}

// names are the files of the forms.
var names = map[string]string{"junit": "junit.xml", "sarif": "report.sarif", "markdown": "report.md",
	"github-summary": "summary.md", "html": "report.html"}

// written writes a report in each form.
func written(t *testing.T, r *outcome.Report) set {
	t.Helper()
	s := set{verdict: r.Verdict, files: map[string]string{}}
	dir := t.TempDir()
	for _, f := range form.Forms() {
		if f.Stream {
			continue
		}
		s.files[f.Name] = filepath.Join(dir, names[f.Name])
		out, err := os.Create(s.files[f.Name])
		must.Do(t, err)
		rest := answer.Rest{File: hostile[0]}
		err = f.Write(out, r, form.Options{Tool: "1.2.3", Rest: rest})
		must.Do(t, errors.Join(err, out.Close()))
	}
	return s
}

// program lets the program itself report on all conformance cases under the trust
// file of one of them: bundles, trust files and other documents.
func program(t *testing.T) set {
	t.Helper()
	dir := t.TempDir()
	binary := filepath.Join(dir, "svc-verify")
	build := exec.Command("go", "build", "-o", binary, "./cmd/svc-verify") // #nosec G204
	build.Dir = filepath.Join("..", "..")                                  // with the modules of the program
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s := set{verdict: outcome.Rejected, files: map[string]string{}}
	cases := filepath.Join("..", "..", "fixtures", "cases")
	args := []string{"verify", "--trust", filepath.Join(cases, "times.ordered", "evidence-expired", "trust.json"),
		"--base", filepath.Join("..", ".."), "--expect", "12"}
	for form, name := range names {
		s.files[form] = filepath.Join(dir, name)
		args = append(args, "--report", form+"="+s.files[form])
	}
	out, err := exec.Command(binary, append(args, cases)...).CombinedOutput() // #nosec G204
	var exit *exec.ExitError
	must.That(t, errors.As(err, &exit) && exit.ExitCode() == 1, "%v\n%s", err, out)
	return s
}

// hostile are texts that would do something in one of the forms.
var hostile = []string{
	"\x1b[2J<script>alert(1)</script>](https://evil.example) {0} `|` @all #1\r\n::error::x\u202e\xff\x00]]>\ufffe",
	`</failure><script>`, `"/><img src=x onerror=alert(1)>`, `\|`, `\\|`, "`|`", "| a |\n|---|\n",
	"[a](javascript:alert(1))",
	"![a](https://evil.example/x)", "https://evil.example", "www.evil.example", "a@evil.example", "mailto:a@evil.example",
	"<b>", "&lt;b&gt;", "{0}", "# a", "- [x] a", "~~a~~", "**a**", "$x$", ":tada:", "GH-1",
	"../../../a", "C:\\a b", "-", "",
	"[^1]", "<https://evil.example>", "\\", "\u05d0", "```", strings.Repeat("ü|`", 2_000),
}

func itemsOf(n int, item func(int) outcome.Item) func() iter.Seq2[outcome.Item, error] {
	return func() iter.Seq2[outcome.Item, error] {
		return func(yield func(outcome.Item, error) bool) {
			for i := range n {
				if !yield(item(i), nil) {
					return
				}
			}
		}
	}
}

// reportOf makes a report of items. Its document has their texts in each kind of block.
func reportOf(run outcome.Run, items func() iter.Seq2[outcome.Item, error]) *outcome.Report {
	return &outcome.Report{Run: run, Items: items, Document: func() *answer.Doc {
		d := answer.NewAnswer(run.Verdict, run.TrustSHA256)
		for _, note := range run.NotExamined {
			d.LeftOut = append(d.LeftOut, answer.Say(note))
		}
		t := answer.Table{Columns: answer.Columns("Item", "name", "Says", ""),
			Left: answer.Rest{File: hostile[0]}.Left(0, "items")}
		var list answer.List
		for i := range items() {
			t.Rows = append(t.Rows, answer.Row(answer.Name(i.Name), i.Name))
			list = append(list, answer.Entry(answer.Say(i.Name), answer.Say(answer.Code(i.Name)))...)
		}
		shown, _ := answer.Cut(list, len(hostile))
		d.Head = []answer.Block{shown}
		for _, p := range run.Problems[:min(len(run.Problems), len(hostile))] {
			d.Head = append(d.Head, answer.Card{Class: "finding", Heading: answer.Say(p.Message),
				Blocks: []answer.Block{answer.Pairs{answer.Value(p.Message, answer.Name(p.Message))}}})
			d.AddFold(p.Message, answer.Paragraph(p.Message))
		}
		d.AddSections(answer.NewSection("items", "Items", t))
		return d
	}}
}

// hostileRun has every hostile text in every place.
func hostileRun() *outcome.Report {
	run := outcome.Run{Command: "svc-verify verify", Verdict: outcome.Rejected, TrustSHA256: hostile[0]}
	for i, text := range hostile {
		run.NotExamined = append(run.NotExamined, text)
		run.Problems = append(run.Problems, problem(text, outcome.Rejected))
		run.Limitations = append(run.Limitations, finding.Limitation{Code: "some", Sentence: text})
		run.Counts = append(run.Counts, answer.Count{What: text, N: int64(i)})
	}
	classes := outcome.Classes()
	return reportOf(run, itemsOf(len(hostile)*len(classes), func(i int) outcome.Item {
		text, class := hostile[i/len(classes)], classes[i%len(classes)]
		item := outcome.Item{Name: fmt.Sprint(i, text), Place: outcome.Place{File: text, Entry: text, Line: int64(i)},
			Class: class, About: []outcome.Fact{{What: text, Value: text}}}
		if class != outcome.Verified || i%2 == 0 {
			item.Problems = []outcome.Problem{problem(text, class), problem(text, outcome.Inconclusive)}
		}
		return item
	}))
}

func problem(text string, class outcome.Class) outcome.Problem {
	return outcome.Problem{Code: "some.code", Class: class, Path: "/" + text, Message: text, Subject: text}
}

// manyRun is more than any form shows.
func manyRun(n int) *outcome.Report {
	run := outcome.Run{Command: "svc-verify verify", Verdict: outcome.Rejected}
	for i := range n {
		run.Problems = append(run.Problems, problem(fmt.Sprint("It is missing: ", i), outcome.Rejected))
	}
	return reportOf(run, itemsOf(n, func(i int) outcome.Item {
		item := outcome.Item{Name: fmt.Sprint(i, ".json"), Place: outcome.Place{File: fmt.Sprint(i, ".json")},
			Class: outcome.Verified, About: []outcome.Fact{{What: "transaction", Value: fmt.Sprint(i)}}}
		if i%2 == 0 {
			item.Class = outcome.Rejected
			item.Problems = []outcome.Problem{problem(strings.Repeat("long ", 40), outcome.Rejected)}
		}
		return item
	}))
}
