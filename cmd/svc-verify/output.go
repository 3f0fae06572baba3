package main

import (
	"io"
	"os"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/incident"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/outcome/form"
	"github.com/svc-edge/svc-verify/verify"
)

// The exit codes besides cliapp.ExitFailure.
const (
	exitVerified     = 0
	exitRejected     = 1
	exitInconclusive = 3
)

// exitCode is the exit code of a verdict or a class.
func exitCode[V verify.Verdict | outcome.Class](v V) int { return outcome.Class(v).Exit() }

// anyOf is the exit code of a command that found something, or nothing.
func anyOf(found bool) int {
	if found {
		return exitVerified
	}
	return exitInconclusive
}

// openReports begins the reports of --report.
func (c *invocation) openReports(inputs ...string) {
	c.reports = mustHave(form.Open(c.List("report"), form.Settings{Inputs: inputs, Stdout: c.Stdout, Stderr: c.Stderr}))
	c.atEnd(func() error { c.reports.Discard(); return nil })
}

// commitReports writes every report and puts it into its place. A stopped run has none: an
// incomplete report would look whole.
func (c *invocation) commitReports(a *reply) error {
	if c.reports == nil {
		return nil
	}
	if c.wasStopped() {
		if len(c.List("report")) > 0 {
			c.sayLine("the run was stopped, so no report is written")
		}
		return nil
	}
	a.report.JSON = a.json
	if a.report.Document == nil {
		a.report.Document = a.doc
	}
	options := form.Options{Base: c.Text("base"), Tool: version}
	if err := c.reports.Write(a.report, options); err != nil {
		return err
	}
	return c.reports.Commit()
}

// asJSON reports whether the answer is to be JSON.
func (c *invocation) asJSON() bool { return c.Declares("output") && c.Text("output") == "json" }

// writeAnswer writes an answer in the form of --output.
func (c *invocation) writeAnswer(a *reply) error {
	switch {
	case a.json != nil && (a.doc == nil || c.asJSON()):
		return answer.JSON(c.Stdout, a.json)
	case a.doc != nil:
		return c.writeDocument(a.doc())
	}
	_, err := io.WriteString(c.Stdout, a.text)
	return err
}

// writeDocument writes a document as text, unless there was an error that left none. Without --full
// it is one screen, except for commands that only list things: they have no --full.
func (c *invocation) writeDocument(d *answer.Doc) error {
	if c.Declares("full") && !c.Switch("full") {
		d.FitScreen("--full")
	}
	return answer.WriteText(c.Stdout, d, c.usesColour())
}

// usesColour reports whether text has colours: according to --color, or on a terminal, unless
// NO_COLOR is set (https://no-color.org).
func (c *invocation) usesColour() bool {
	if !c.Declares("color") {
		return false
	}
	choice := c.Text("color")
	return choice == "always" || choice == "auto" && cliapp.IsTerminal(c.Stdout) && os.Getenv("NO_COLOR") == ""
}

// firstScreen answers with the first screen of a result, or with all of it.
func (c *invocation) firstScreen(r *verdict.Result, q report.Asked) *reply {
	if c.journal != nil {
		incident.AddNotes(r.Incidents, c.journal)
	}
	return &reply{code: exitCode(r.Verdict), json: r, doc: func() *answer.Doc {
		if c.Switch("full") {
			return report.Full(r, q)
		}
		return report.Screen(r, q)
	}}
}

// writeBytes writes a file of these bytes whole, or not at all.
func (c *invocation) writeBytes(name string, doc []byte) {
	c.writeOut(name, func(w io.Writer) error { _, err := w.Write(doc); return err })
}
