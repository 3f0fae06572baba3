package form

import (
	"io"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
)

// The forms for people are one document in several.
var (
	// markdown is Markdown of GitHub's kind, short enough for a comment.
	markdown = Form{
		Name:   "markdown",
		Reader: "people, as a comment on GitHub or GitLab",
		Limits: []Limit{{answer.MostComment, "octets", "below the 65,536 characters of a comment on GitHub"}},
		Write:  markdownOf(answer.MostComment),
	}

	// summary is the same for the summary of a step.
	summary = Form{
		Name:   "github-summary",
		Reader: "people, as what GITHUB_STEP_SUMMARY names",
		Limits: []Limit{
			{answer.MostSummary, "octets", "below the 1 MiB above which GitHub shows nothing of a summary"},
		},
		Write: markdownOf(answer.MostSummary),
	}

	// page is one HTML file that needs no other file and runs no script.
	page = Form{
		Name:   "html",
		Reader: "people, in a browser or on paper",
		Limits: []Limit{
			{answer.MostItems, "items", "so that a browser is quick"},
			{answer.MostProblems, "problems of the run", "so that a browser is quick"},
		},
		Write: writeHTML,
	}
)

func writeHTML(w io.Writer, r *outcome.Report, o Options) error {
	list, err := gather(r, answer.MostItems)
	if err != nil {
		return err
	}
	return answer.HTML(w, runDocument(&r.Run, &list, o, answer.MostProblems, answer.MostDetails))
}

// markdownOf writes Markdown of at most so many bytes.
func markdownOf(most int) func(io.Writer, *outcome.Report, Options) error {
	return func(w io.Writer, r *outcome.Report, o Options) error {
		const rows = 10_000 // more than the longest Markdown has room for
		list, err := gather(r, rows)
		if err != nil {
			return err
		}
		return answer.Markdown(w, runDocument(&r.Run, &list, o, rows, 1), most)
	}
}

// runDocument is what a run came to, with at most so many problems of the run and of each
// item.
func runDocument(r *outcome.Run, list *shortlist, o Options, ofTheRun, details int) *answer.Doc {
	class := verdict(r)
	d := &answer.Doc{Title: answer.Sentence(r.Command), Verdict: string(class), Tone: tone(class), Main: "wrong"}
	for _, note := range notExamined(r) {
		d.LeftOut = append(d.LeftOut, answer.Say(note))
	}
	passed := list.classes[outcome.Verified]
	meaning := answer.Say(verdictSentence(class)+" ", list.failed, " of ", list.failed+passed, " items have problems")
	if n := len(r.Problems); n > 0 {
		meaning = answer.Say(meaning, ", and the run itself has ", n)
	}
	d.Lead = []answer.Block{answer.Paragraph(meaning, ".")}
	wrong, right := itemTables(list, o, details)
	var numbers answer.Pairs
	for _, c := range counts(r) {
		numbers = append(numbers, answer.Value(c.What, c.N))
	}
	not := limitations(r)
	if len(not) == 0 {
		not = []string{"No limitation was stated."}
	}
	d.AddSections(answer.NewSection("run", "What is wrong with the run", problemsTable(r, o, ofTheRun)),
		answer.NewSection("wrong", "What is wrong", wrong), answer.NewSection("", "Counts", numbers),
		answer.NewSection("", "What is verified", right),
		answer.NewSection("", "What this does not prove", answer.Bullets("", not)))
	if r.TrustSHA256 != "" {
		digest := answer.Code(answer.Sentence(r.TrustSHA256))
		d.Foot = append(d.Foot, answer.Paragraph("Trust file, SHA-256: ", digest))
	}
	d.Foot = append(d.Foot, answer.Paragraph("Made by svc-verify "+answer.Sentence(o.Tool)))
	return d
}

// problemsTable lists the problems of the run.
func problemsTable(r *outcome.Run, o Options, most int) answer.Table {
	shown, left := answer.Cut(ofRun(r), most)
	t := answer.Table{Columns: answer.Columns("Class", "answer", "Problem with the run", ""),
		Left: o.Rest.Left(left, "problems of the run"), Half: true}
	for _, one := range shown {
		t.Rows = append(t.Rows, answer.Row(classed(one.Class, one.word), one.asText("")))
	}
	return t
}

// itemTables are the items that are wrong, and those that are verified.
func itemTables(list *shortlist, o Options, details int) (wrong, right answer.Table) {
	wrong.Columns = answer.Columns("Item", "name", "Class", "answer", "Problem", "")
	right.Columns = answer.Columns("Item", "name", "What it says", "")
	for i := range list.items {
		item := &list.items[i]
		if class := item.Verdict(); class != outcome.Verified {
			wrong.Rows = append(wrong.Rows,
				answer.Row(answer.Name(item.Name), classed(class, item.state()), item.problemLines(details)))
			continue
		}
		facts := item.factLines()
		if len(facts) == 0 {
			facts = answer.Cell{answer.Say("It is verified.")}
		}
		right.Rows = append(right.Rows, answer.Row(answer.Name(item.Name), facts))
	}
	wrong.Left = o.Rest.Left(list.failed-int64(len(wrong.Rows)), "items with problems")
	right.Left = o.Rest.Left(list.classes[outcome.Verified]-int64(len(right.Rows)), "verified items")
	return wrong, right
}

// classed is a class with its sign.
func classed(class outcome.Class, word string) answer.Span {
	return answer.Span{Text: word, Style: answer.Answered, Tone: tone(class)}
}

// problemLines are the problems of an item, and its facts. If there is room for only one
// problem, its place and the facts are omitted.
func (i *entry) problemLines(details int) answer.Cell {
	shown, left := answer.Cut(i.rows(), details)
	left += int64(i.problems - len(i.Problems))
	var lines answer.Cell
	around := answer.Label(i.Name)
	if details == 1 {
		around, i.About = where(shown[0].Place), nil
	}
	for _, one := range shown {
		lines = append(lines, one.asText(around))
		around = where(one.Place)
	}
	if left > 0 {
		lines = append(lines, answer.Say(answer.Aside("and "+safetext.Count(left, "more problem"))))
	}
	return append(lines, i.factLines()...)
}

// factLines are the statement and the facts of an item.
func (i *entry) factLines() answer.Cell {
	var lines answer.Cell
	if i.Proof != "" {
		lines = append(lines, answer.Say(answer.Sentence(i.Proof)))
	}
	var facts []string
	for _, f := range i.About {
		facts = append(facts, answer.Sentence(f.What)+": "+answer.Label(f.Value))
	}
	if len(facts) > 0 {
		lines = append(lines, answer.Say(answer.Aside(strings.Join(facts, "; "))))
	}
	return lines
}

// asText is a row. Its place is left out if the row before or the item has the same one.
func (r row) asText(around string) answer.Text {
	var t answer.Text
	if r.Code != "" {
		t = answer.Say(answer.Code(r.Code), " ")
	}
	t = answer.Say(t, answer.Sentence(r.Message))
	if r.pointed() {
		t = answer.Say(t, " (at ", answer.Code(answer.Sentence(r.Path)), ")")
	}
	named := r.item != nil && where(r.Place) == answer.Label(r.item.Name)
	if place := where(r.Place); place != "" && place != around && !named {
		t = answer.Say(t, answer.Aside(" (in "+place+")"))
	}
	return t
}

// tone is how a class is coloured and signed.
func tone(c outcome.Class) answer.Tone {
	switch level(c) {
	case "notice":
		return answer.Good
	case "error":
		return answer.Bad
	}
	return answer.Warn
}

// verdictSentence explains a verdict.
func verdictSentence(c outcome.Class) string {
	switch c {
	case outcome.Verified:
		return "Everything that was examined is verified."
	case outcome.Inconclusive:
		return "There was nothing to check, or not enough to decide."
	case outcome.Unreadable:
		return "Something could not be read."
	}
	return "Something in the evidence is wrong, missing or contradicted."
}
