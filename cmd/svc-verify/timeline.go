package main

import (
	"cmp"
	"errors"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// mostOnPage is how many events a page shows if --limit does not say.
const mostOnPage = 5000

func showTimeline(c *invocation) *reply {
	f, in := c.openFiltered()
	walked := c.lastWalk(in, chain.Hash{})
	if c.Given("bucket") {
		return c.countByTime(in, f, walked)
	}
	t := report.Timeline{Result: walked, Asked: c.askedOf(), Logs: c.logsOf(in, f), Limit: c.Number("limit"),
		Count: c.countLater(in, f)}
	form := c.Text("output")
	usual := map[string]int{"text": mostEvents, "html": mostOnPage}
	if !c.Given("limit") {
		t.Limit = usual[form]
	}
	rows := query.Timeline(c.ctx, in, walked, query.TimelineQuestion{Filter: f, Data: usual[form] == 0})
	total := c.writeTimeline(t, rows)
	if !slices.Contains([]string{"text", "html", "json"}, form) {
		c.sayLine("the case is %s", cmp.Or(string(walked.Word()), "not walked"))
	}
	return &reply{code: anyOf(total > 0)}
}

// writeTimeline writes a timeline in the form of --output, and returns the number of selected events.
func (c *invocation) writeTimeline(t report.Timeline, rows iter.Seq2[query.Row, error]) (total int) {
	out := c.bufferedOut()
	var untimed int
	var err error
	switch c.Text("output") {
	case "text":
		total, err = t.WriteText(out, rows, c.usesColour())
	case "html":
		total, err = t.WriteHTML(out, rows)
	case "csv":
		total, err = t.WriteCSV(out, rows)
	case "timesketch":
		total, untimed, err = t.WriteTimesketch(out, rows)
	case "jsonl":
		total, err = t.WriteLines(out, rows)
	default:
		list := newList(out, query.TimelineSchema, "rows", member{"verdict", t.Result.Word()})
		for r, err := range t.Rows(rows, &total) {
			stopOn(err)
			list.addItem(r)
		}
		list.endList(member{"events", total})
	}
	stopOn(errors.Join(err, out.Flush()))
	if untimed > 0 {
		c.sayLine("%s without a time, about events that are not here: --output jsonl lists all",
			safetext.Count(untimed, "finding"))
	}
	return total
}

// countByTime answers with the totals of --bucket.
func (c *invocation) countByTime(in *store.Case, f store.Filter, walked *verdict.Result) *reply {
	refuseIf(!slices.Contains([]string{"text", "json", "html"}, c.Text("output")),
		"--bucket goes with --output text, json or html")
	totals := mustHave(query.CountByTime(c.ctx, in, f, c.Text("bucket")))
	totals.Verdict = walked.Word()
	doc := func() *answer.Doc { return report.CountedByTime(walked, c.caseName(), totals) }
	r := &reply{code: anyOf(totals.Events > 0), json: totals, doc: doc}
	if c.Text("output") == "html" {
		stopOn(answer.HTML(c.Stdout, doc()))
		r.json, r.doc = nil, nil
	}
	return r
}
