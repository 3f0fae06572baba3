package main

import (
	"io"
	"slices"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/gap"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func showFindings(c *invocation) *reply {
	wanted, trust, in := c.findingFilter(), digestOf(c.givenTrust()), c.openCase()
	wanted.Events = c.ofCertificate(wanted.Events, in)
	last := c.lastWalk(in, trust)
	found := mustHave(query.Findings(c.ctx, in, last, trust, wanted))
	return &reply{code: anyOf(last != nil), json: found,
		doc: func() *answer.Doc { return report.Findings(found, c.askedOf(), c.Given("trust")) }}
}

// findingFilter reads which findings the flags select.
func (c *invocation) findingFilter() query.FindingFilter {
	f := query.FindingFilter{LogID: c.Text("log"), Severity: c.Text("severity"), Codes: c.List("code")}
	for _, code := range f.Codes {
		if !finding.Code(code).Entry().OfCase() {
			stopOn(unknownCode(code))
		}
	}
	f.Events = c.filterOf()
	if c.Given("sequence") {
		f.First, f.Last = f.Events.First, f.Events.Last
	}
	f.Events.First, f.Events.Last = 0, 0 // the range of a finding is not the range of an event
	return f
}

func showGaps(c *invocation) *reply {
	events, in := c.filterOf(), c.openCase()
	f := gap.Filter{Filter: events, Source: sourceAt(c, in)}
	code := anyLog(c, in)
	result := c.lastWalk(in, chain.Hash{})
	out, gaps := c.bufferedOut(), gap.Find(c.ctx, in, result, f)
	if c.asJSON() {
		writeGapsJSON(out, result, gaps)
	} else {
		stopOn(report.WriteGaps(out, c.usesColour(), result, c.askedOf(), gaps))
	}
	stopOn(out.Flush())
	return &reply{code: code}
}

// sourceAt returns the number of the source that --source names.
func sourceAt(c *invocation, in *store.Case) int64 {
	if !c.Given("source") {
		return 0
	}
	for _, s := range mustHave(in.Sources(c.ctx)) {
		if slices.Contains(s.Paths, c.Text("source")) {
			return s.Number
		}
	}
	stopOn(cliapp.Usagef("--source: the case has no source that was ingested as %s; svc-verify walk lists them",
		safetext.Quote(c.Text("source"))))
	return 0
}

// anyLog is the exit code of a question about the logs of a case, with a warning
// if there is none.
func anyLog(c *invocation, in *store.Case) int {
	logs := mustHave(in.Logs(c.ctx))
	if slices.ContainsFunc(logs, store.Filter{LogID: c.Text("log")}.Wants) {
		return exitVerified
	}
	name := "any log"
	if c.Given("log") {
		name = safetext.Quote(c.Text("log"))
	}
	c.sayLine("the case has no event of %s", name)
	return exitInconclusive
}

func writeGapsJSON(w io.Writer, result *verdict.Result, gaps func(func(gap.Gap, error) bool)) {
	out := newList(w, "svc-verify/gaps/v2", "gaps")
	missing := uint64(0)
	for g, err := range gaps {
		stopOn(err)
		missing += g.Count
		out.addItem(g)
	}
	after := []member{{"missing", missing}, {"verdict", result.Word()}}
	if result != nil && result.Decides != nil {
		after = append(after, member{"decides", result.Decides})
	}
	out.endList(after...)
}
