package form

import (
	"encoding/xml"
	"fmt"
	"iter"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/answer/answertest"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
)

// many is a report of n items and as many problems of the run, made as they are read. Every
// third item is verified, and the rejected ones come last. Texts have so many bytes more than
// they need.
func many(n, octets int) *outcome.Report {
	long := strings.Repeat("ü|", octets/3)
	run := outcome.Run{Command: "svc-verify verify", Verdict: outcome.Rejected}
	for i := range n {
		run.Problems = append(run.Problems, outcome.Problem{Code: "object.missing", Class: outcome.Rejected,
			Message: fmt.Sprintf("It is missing: %d %s", i, long)})
		run.NotExamined = append(run.NotExamined, fmt.Sprintf("Not this: %d %s", i, long))
		run.Limitations = append(run.Limitations, finding.Limitation{Code: "some", Sentence: "Not that: " + long})
		run.Counts = append(run.Counts, answer.Count{What: fmt.Sprint(i, long), N: 1})
	}
	document := func() *answer.Doc {
		t := answer.Table{Columns: answer.Columns("Item", "name"),
			Left: answer.Rest{File: "everything.jsonl"}.Left(0, "items")}
		for i := range n {
			t.Rows = append(t.Rows, answer.Row(answer.Label(oneOfMany(n-1-i, n, long).Name)))
		}
		d := answer.NewAnswer(run.Verdict, long)
		d.AddSections(answer.NewSection("", "Items", t))
		d.AddFold("More", answer.Paragraph(long))
		return d
	}
	return &outcome.Report{Run: run, Document: document, Items: func() iter.Seq2[outcome.Item, error] {
		return func(yield func(outcome.Item, error) bool) {
			for i := range n {
				if !yield(oneOfMany(i, n, long), nil) {
					return
				}
			}
		}
	}}
}

func oneOfMany(i, n int, long string) outcome.Item {
	item := outcome.Item{Name: fmt.Sprint("item-", i, long), Class: outcome.Verified,
		Place: outcome.Place{File: fmt.Sprint("file-", i, long)}}
	if i%3 == 0 {
		return item
	}
	item.Class = outcome.Inconclusive
	if i == n-1 {
		item.Class = outcome.Rejected
	}
	for range 2 {
		item.Problems = append(item.Problems, outcome.Problem{Code: finding.Code("form.type"), Class: item.Class,
			Path: "/a", Message: "It is wrong: " + long})
	}
	return item
}

// TestLimits: each form keeps within its limits, whatever is long or many, shows the worst
// first, and states how much it leaves out and where that is.
func TestLimits(t *testing.T) {
	counts := map[string]func(string) map[string]int64{"junit": countXML, "sarif": countSARIF, "html": countHTML,
		"github-annotations": countCommands, "markdown": nil, "github-summary": nil}
	for _, size := range []struct{ n, octets int }{{8_000, 0}, {300, 60_000}, {1_400, 900}, {5, 0}} {
		if testing.Short() {
			size.n, size.octets = max(5, size.n/4), size.octets/4
		}
		report := many(size.n, size.octets)
		for _, f := range Forms() {
			doc := render(t, f.Name, report, Options{Rest: answer.Rest{File: "everything.jsonl"}})
			name := fmt.Sprintf("%s of %d with %d", f.Name, size.n, size.octets)
			found := map[string]int64{}
			if count := counts[f.Name]; count != nil {
				found = count(doc)
			}
			found["octets"] = int64(len(doc))
			for _, l := range f.Limits {
				n, counted := found[l.Of]
				check.That(t, counted && n <= l.Most, "%s: %d %s of %d", name, n, l.Of, l.Most)
			}
			check.That(t, strings.Contains(doc, fmt.Sprintf("item-%d", size.n-1)), "%s does not show the worst", name)
			checkLeft(t, name, f.Name, doc, size.n)
		}
	}
}

var leftOut = regexp.MustCompile(`(\d+) more ([a-z ]+), in everything\.jsonl`)

// checkLeft checks that the shown and the omitted entries together are all entries.
func checkLeft(t *testing.T, name, form, doc string, n int) {
	t.Helper()
	left := map[string]int{}
	for _, m := range leftOut.FindAllStringSubmatch(doc, -1) {
		left[m[2]], _ = strconv.Atoi(m[1])
	}
	wrong := n - (n+2)/3
	shown := map[string]int{}
	want := map[string]int{"problems of the run": n, "items with problems": wrong}
	switch form {
	case "junit":
		shown["problems of the run"] = strings.Count(doc, `verify.run" name="object.missing`)
		shown["items with problems"] = strings.Count(doc, `type="form.type"`)
		shown["verified items"] = strings.Count(doc, "<testcase") - strings.Count(doc, "type=\"")
		want["verified items"] = n - wrong
	case "sarif":
		shown["results"], want = strings.Count(doc, `"ruleIndex"`), map[string]int{"results": n + 2*wrong}
	case "html":
		shown["items"], want = strings.Count(doc, `data-label="Item"`), map[string]int{"items": n}
	case "markdown", "github-summary":
		shown["items"], want = strings.Count(doc, "item-"), map[string]int{"items": n}
	case "github-annotations":
		shown["errors"] = strings.Count(doc, "title=rejected ") // the verdict and the omissions have other titles
		shown["warnings"] = strings.Count(doc, "title=inconclusive ")
		want = map[string]int{"errors": n + 1, "warnings": wrong - 1}
	}
	for what, all := range want {
		check.That(t, shown[what]+left[what] == all,
			"%s: %d %s shown and %d left out, of %d", name, shown[what], what, left[what], all)
	}
}

// machineForms are the forms that are made of the items.
func machineForms() []Form { return []Form{junit, sarif, annotations} }

// TestHostileRest: the name of the report that has everything is text as well.
func TestHostileRest(t *testing.T) {
	for _, f := range machineForms() {
		n, octets := 8_000, 150
		if testing.Short() {
			n, octets = 5_200, 0
		}
		report := many(n, octets)
		report.Run.Problems = nil // the remaining ones would use room for the items
		doc := render(t, f.Name, report, Options{Rest: answer.Rest{File: hostileName}})
		checks[f.Name](t, doc, render(t, f.Name, report, Options{Rest: answer.Rest{File: "x"}}))
		at := answertest.UnsafeAt(doc)
		check.That(t, at < 0 && (strings.Contains(doc, `x\u202e`) || strings.Contains(doc, `x\\u202e`)),
			"%s: unsafe at %d, or no name", f.Name, at)
	}
}

func countXML(doc string) map[string]int64 {
	return map[string]int64{"cases": int64(strings.Count(doc, "<testcase"))}
}

func countSARIF(doc string) map[string]int64 {
	return map[string]int64{"results": int64(strings.Count(doc, `"ruleIndex"`))}
}

func countHTML(doc string) map[string]int64 {
	return map[string]int64{"rows of a table": int64(strings.Count(doc, `data-label="Item"`))}
}

func countCommands(doc string) map[string]int64 {
	all := map[string]int64{}
	for _, kind := range []string{"error", "warning", "notice"} {
		all[kind+"s"] = int64(strings.Count("\n"+doc, "\n::"+kind+" "))
	}
	return all
}

// TestObjects: GitLab refuses a file with more than 250,000 elements, attributes and
// texts. The longest that there can be has fewer.
func TestObjects(t *testing.T) {
	objects := 0
	for d := xml.NewDecoder(strings.NewReader(render(t, "junit", many(8_000, 0), Options{}))); ; {
		token, err := d.Token()
		if err != nil {
			break
		}
		objects++
		if start, is := token.(xml.StartElement); is {
			objects += len(start.Attr)
		}
	}
	check.That(t, objects >= 20_000 && objects <= 250_000, "%d objects", objects)
}

// TestMemory: the kept content of the items is bounded in bytes, whatever their number and
// their texts, and the worst are kept.
func TestMemory(t *testing.T) {
	report := many(0, 0)
	const n = 3_000
	long := strings.Repeat("x", 1<<16)
	report.Items = func() iter.Seq2[outcome.Item, error] {
		return func(yield func(outcome.Item, error) bool) {
			for i := range n {
				if !yield(oneOfMany(i, n, long), nil) {
					return
				}
			}
		}
	}
	list := must.Get(gatherItems(report, n))(t)
	octets := 0
	for i := range list.items {
		octets += list.items[i].sizeOf()
	}
	if octets > mostOctets || octets < mostOctets*9/10 || list.items[0].Class != outcome.Rejected {
		t.Errorf("%d octets of %d items are kept, the first %s", octets, len(list.items), list.items[0].Class)
	}
	check.That(t, list.failed == 2_000 && list.problems == 4_000 && list.classes[outcome.Verified] == 1_000,
		"counted %d, %d and %v", list.failed, list.problems, list.classes)
}

// TestOrder: the worst come first, in each class in the order of the run, and none of
// a class is kept before all of a worse one.
func TestOrder(t *testing.T) {
	var items []outcome.Item
	classes := "verified inconclusive rejected unreadable inconclusive not-a-bundle rejected"
	for i, class := range strings.Fields(classes) {
		items = append(items, outcome.Item{Name: fmt.Sprint(i), Class: outcome.Class(class)})
	}
	for most, want := range map[int]string{9: "2 6 5 3 1 4 0", 5: "2 6 5 3 1", 1: "2", 0: ""} {
		list := must.Get(gatherItems(reportOf(outcome.Run{}, items...), most))(t)
		var names []string
		for _, i := range list.items {
			names = append(names, i.Name)
		}
		check.Equal(t, strings.Join(names, " "), want, "of %d", most)
	}
}

// TestWorstFirst: a rejected item comes before a problem of the run that leaves it open, and
// one of the same class behind it.
func TestWorstFirst(t *testing.T) {
	item := outcome.Item{Name: "proof", Class: outcome.Rejected, Problems: []outcome.Problem{{Class: outcome.Rejected,
		Message: "forged"}}}
	for class, first := range map[outcome.Class]string{outcome.Unreadable: "forged", outcome.Rejected: "of the run"} {
		run := outcome.Run{Problems: []outcome.Problem{{Class: class, Message: "of the run"}}}
		for name, opening := range map[string]string{"github-annotations": "::error ", "sarif": `"results":[`} {
			doc := render(t, name, reportOf(run, item), Options{})
			_, doc, _ = strings.Cut(doc, opening)
			at := []int{strings.Index(doc, "forged"), strings.Index(doc, "of the run")}
			check.That(t, (at[0] < at[1]) == (first == "forged") && min(at[0], at[1]) >= 0, "%s, %s: at %v", name, class, at)
		}
	}
}

// TestWorstIsKept: of more problems of a run than there is room for, the worst is shown.
func TestWorstIsKept(t *testing.T) {
	item := outcome.Item{Name: "proof", Class: outcome.Rejected}
	run := outcome.Run{}
	for range 2 * mostResults {
		run.Problems = append(run.Problems, outcome.Problem{Class: outcome.Unreadable})
	}
	run.Problems = append(run.Problems, outcome.Problem{Class: outcome.Rejected, Message: "forged"})
	for _, f := range machineForms() {
		check.That(t, strings.Contains(render(t, f.Name, reportOf(run, item), Options{}), "forged"), "%s", f.Name)
	}
}

// TestOrderOfLong: an item that is left out for its length is not replaced by a later one, and
// long messages leave room for others.
func TestOrderOfLong(t *testing.T) {
	long := strings.Repeat("x", mostOctets*2/3)
	var items []outcome.Item
	for _, name := range []string{"a" + long, "b" + long, "c"} {
		items = append(items, outcome.Item{Name: name, Class: outcome.Rejected})
	}
	list, err := gatherItems(reportOf(outcome.Run{}, items...), 9)
	check.That(t, err == nil && len(list.items) == 1 && list.items[0].Name[0] == 'a', "%d items, %v", len(list.items), err)
	wordy := outcome.Item{Class: outcome.Rejected, Problems: []outcome.Problem{{Message: long, Path: long}}}
	list, err = gatherItems(reportOf(outcome.Run{}, wordy, wordy, wordy), 9)
	check.That(t, err == nil && len(list.items) == 3 && strings.HasSuffix(list.items[0].decidingRow().said(), "x..."),
		"%d wordy items, %v", len(list.items), err)
}

// TestError: an error of the items is an error of every form that is made of them.
func TestError(t *testing.T) {
	broken := &outcome.Report{Items: func() iter.Seq2[outcome.Item, error] {
		return func(yield func(outcome.Item, error) bool) { yield(outcome.Item{}, fmt.Errorf("broken")) }
	}}
	for _, f := range machineForms() {
		check.That(t, f.Write(&strings.Builder{}, broken, Options{}) != nil, "%s: no error", f.Name)
	}
}
