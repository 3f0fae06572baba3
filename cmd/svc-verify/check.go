package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/pack"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/forensics/share"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
)

// partial is said of a result when the command was stopped.
const partial = "stopped before the end: the result covers the walked part"

func checkPaths(c *invocation) *reply {
	if c.Switch("explain") {
		return explainPaths(c)
	}
	refuseIf(!c.Given("trust"), "--trust TRUST is missing: the trust file to verify against; only --explain needs none")
	if len(c.Args) == 1 && !c.Given("from-file") && beginsWith(c.Args[0], pack.Beginning) {
		return c.checkPack()
	}
	c.requirePaths(c.Args)
	c.evidence = c.pathsOf(c.Args)
	root := c.trustFile()
	c.openReports(slices.Concat([]string{c.Text("trust")}, c.Texts("case"), c.Texts("format"), c.evidence)...)
	defer limitMemory(shareMemory)()
	c.interruptContextWith(c.reports.Discard)
	own := false
	options := ingest.Options{Stdin: c.Stdin, Read: c.readOptions(), Workers: c.jobsOf()}
	options.LeaveOut = func(info fs.FileInfo) bool {
		is := c.reports.Owns(info)
		own = own || is
		return is
	}
	examine, asked := c.checkAlone, report.Asked{Name: argsName(c.Args), Next: c.keepCommand()}
	if c.Given("case") {
		examine, asked = c.checkIntoCase, c.askedOf()
	}
	result := examine(root, options)
	if c.wasStopped() {
		c.sayLine(partial)
	}
	a := c.firstScreen(result, asked)
	a.report = result.Outcome("svc-verify check")
	a.report.Document = func() *answer.Doc { return report.Full(result, asked) }
	if own {
		const left = "The reports of this run, which are among the paths."
		c.sayLine("not examined: " + left)
		a.report.NotExamined = append(a.report.NotExamined, left)
	}
	return a
}

// checkAlone examines the evidence, and keeps nothing.
func (c *invocation) checkAlone(root *trust.Root, options ingest.Options) *verdict.Result {
	evidence, err := examine.ReadPaths(c.ctx, c.evidence, root, share.Options{Dir: c.Text("temp-dir"),
		Progress: shownBy(c.newMeter(progress.Size)), Options: options})
	stopOn(temporaryFault(c, err))
	r, err := closeLater(c, evidence).Examine(c.ctx, c.walkOptions())
	stopOn(temporaryFault(c, err))
	return r
}

// checkIntoCase reads the evidence into the case of --case, and examines all that the case has.
func (c *invocation) checkIntoCase(root *trust.Root, options ingest.Options) *verdict.Result {
	refuseIf(len(c.evidence) == 0, "missing argument: check --case takes PATH...; svc-verify walk examines a case again")
	refuseIf(c.Given("temp-dir"), "--temp-dir: with --case there are no temporary files")
	c.newMeter(progress.Size)
	w := c.openWriter()
	_, err := c.ingestInto(w, c.evidence, options)
	stopOn(errors.Join(err, c.caseFault(w.Close())))
	return c.walkInto(root, c.caseWalkOptions())
}

// keepCommand returns the command that keeps the evidence in a case, for further questions.
func (c *invocation) keepCommand() []string {
	if len(c.Args) == 0 {
		return []string{"svc-verify", "check", "--help"}
	}
	words := append([]string{"svc-verify", "check"}, c.Args...)
	return append(words, "--trust", c.Text("trust"), "--case", "incident.case")
}

// walkOptions are how evidence is examined that is in no case.
func (c *invocation) walkOptions() examine.Options {
	o := c.walkFlags(examine.Options{})
	o.Progress = walkShownBy(c.newMeter(progress.Number))
	return o
}

// temporaryFault adds the place and the remedy to a fault of temporary files.
func temporaryFault(c *invocation, err error) error {
	var place *examine.NoPlace
	switch {
	case errors.Is(err, examine.ErrFull):
		below := cmp.Or(c.Text("temp-dir"), os.TempDir())
		return fmt.Errorf("%w in %s: make room there, or choose another place with --temp-dir", err, safetext.Quote(below))
	case errors.As(err, &place):
		return fmt.Errorf("making a temporary file (--temp-dir): %s", safetext.Line(place.Error()))
	}
	return err
}

// argsName names the arguments in the place of a case.
func argsName(args []string) string {
	switch len(args) {
	case 0:
		return "nothing"
	case 1:
		return safetext.Quote(args[0])
	}
	return safetext.Count(len(args), "path")
}
