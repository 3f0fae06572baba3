package form

import (
	_ "embed" // the page
	"html/template"
	"io"
	"sync"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/outcome"
)

// The limits of a page, which a browser shows at once.
const (
	mostShown   = 2_000 // items
	mostRunRows = 500   // problems of the run
)

// page is one HTML file that needs nothing beside it and runs no script.
var page = Form{
	Name:   "html",
	Reader: "people, in a browser or on paper",
	Limits: []Limit{
		{mostShown, "items", "so that a browser is quick"},
		{mostRunRows, "problems of the run", "so that a browser is quick"},
	},
	Write: writeHTML,
}

//go:embed page.html
var pageSource string

// pageTemplate returns the page's template, parsed at the first use.
var pageTemplate = sync.OnceValue(func() *template.Template {
	funcs := template.FuncMap{
		"tone":  tone,
		"label": func(name string) (template.HTML, error) { return answer.Words(label(name)) },
		"cut":   func(text string) (template.HTML, error) { return answer.Words(sentence(text)) },
		"place": func(p outcome.Place) (template.HTML, error) { return answer.Words(where(p)) },
	}
	return template.Must(answer.Template("page", funcs).Parse(pageSource))
})

// shownItem is an item as the page has it.
type shownItem struct {
	Name    string
	Verdict outcome.Class
	State   string
	Rows    []shownRow
	More    int
	About   []outcome.Fact
}

// shownRow is a row as the page has it.
type shownRow struct {
	Class               outcome.Class
	Code, Path, Message string
	Place               outcome.Place
}

// shownPage is everything on the page.
type shownPage struct {
	outcome.Run
	NotExamined, Limitations        []string
	Counts                          []outcome.Count
	Tool, Meaning                   string
	Problems                        []shownRow
	Failed, Passed                  []shownItem
	Examined, FailedCount           int64
	LeftProblems, LeftBad, LeftGood []string
}

func writeHTML(w io.Writer, r *outcome.Report, o Options) error {
	list, err := gather(r, mostShown, true)
	if err != nil {
		return err
	}
	p := shownPage{Run: r.Run, NotExamined: notExamined(&r.Run), Limitations: limitations(&r.Run), Counts: counts(&r.Run),
		Tool: o.Tool, Meaning: verdictSentence(verdict(&r.Run))}
	p.Verdict = verdict(&r.Run)
	all := ofRun(&r.Run)
	for _, one := range all[:min(len(all), mostRunRows)] {
		p.Problems = append(p.Problems, one.shown(""))
	}
	for i := range list.items {
		if item := list.items[i].shown(); item.Verdict == outcome.Verified {
			p.Passed = append(p.Passed, item)
		} else {
			p.Failed = append(p.Failed, item)
		}
	}
	p.FailedCount, p.Examined = list.failed, list.failed+list.classes[outcome.Verified]
	p.LeftProblems = o.Rest.each(int64(len(all)-len(p.Problems)), "problems of the run")
	p.LeftBad = o.Rest.each(list.failed-int64(len(p.Failed)), "items with problems")
	p.LeftGood = o.Rest.each(list.classes[outcome.Verified]-int64(len(p.Passed)), "verified items")
	return pageTemplate().Execute(w, p)
}

// shown is a row; its place is left out where it is what is around it.
func (r row) shown(around string) shownRow {
	one := shownRow{Class: r.class, Code: r.code, Message: r.message, Place: r.place}
	if r.pointed() {
		one.Path = r.path
	}
	if where(r.place) == around || where(r.place) == label(r.item) {
		one.Place = outcome.Place{}
	}
	return one
}

func (i *entry) shown() shownItem {
	item := shownItem{Name: i.Name, Verdict: i.Verdict(), State: i.state(), About: i.About}
	around := ""
	for n, one := range i.rows() {
		if n == mostDetails {
			break
		}
		item.Rows = append(item.Rows, one.shown(around))
		around = where(one.place)
	}
	item.More = max(0, i.problems-len(item.Rows))
	return item
}

// tone is how a class is coloured and signed.
func tone(c outcome.Class) string {
	switch level(c) {
	case "notice":
		return "good"
	case "error":
		return "bad"
	}
	return "warn"
}
