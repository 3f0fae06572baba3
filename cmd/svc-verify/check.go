package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/forensics/scratch"
	"github.com/svc-edge/svc-verify/forensics/share"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify/text"
)

// partial is said of a result when the command was stopped.
const partial = "stopped before the end: the result covers what was walked"

func checkPaths(c *invocation) (*reply, error) {
	c.requirePaths(c.Args)
	root := c.trustFile()
	c.openReports(append([]string{c.Text("trust")}, c.Args...)...)
	if c.err != nil {
		return nil, c.err
	}
	defer limitMemory(shareMemory)()
	ctx, own := c.interruptContextWith(c.reports.Discard), false
	options := ingest.Options{Stdin: c.Stdin, Read: c.readOptions(), Workers: c.jobsOf()}
	trustFile := c.ownTrust()
	options.LeaveOut = func(info fs.FileInfo) bool {
		is := c.reports.Owns(info)
		own = own || is
		return is || trustFile.isFound(info)
	}
	evidence := tryOpen(c, func() (*scratch.Evidence, error) {
		in, err := scratch.Read(ctx, c.Args, root, share.Options{Dir: c.Text("temp-dir"),
			Progress: shownBy(c.newMeter(progress.Size)), Options: options})
		return in, scratchFault(c, err)
	})
	o := c.walkOptions()
	result := tryRead(c, func() (*verdict.Result, error) {
		r, err := evidence.Examine(ctx, o)
		return r, scratchFault(c, err)
	})
	if c.err != nil {
		return nil, c.err
	}
	if c.wasStopped() {
		c.sayLine(partial)
	}
	if trustFile.count.Load() > 0 {
		result.Assumed = append(result.Assumed, verdict.Assumption{What: verdict.Trust, Text: text.TrustWithin})
	}
	next := []string{"svc-verify", "check", "--help"}
	if len(c.Args) > 0 {
		next = append([]string{"svc-verify", "ingest", "incident.case"}, c.Args...)
	}
	a := c.firstScreen(result, report.Asked{Name: argsName(c.Args), Next: next})
	a.report = result.Outcome("svc-verify check")
	a.lines = func(w io.Writer) error { return result.WriteLines(w, a.report) }
	if own {
		const left = "The reports of this run, which are among the paths."
		c.sayLine("not examined: " + left)
		a.report.NotExamined = append(a.report.NotExamined, left)
	}
	return a, nil
}

// walkOptions are how evidence is examined that is in no case.
func (c *invocation) walkOptions() examine.Options {
	o := examine.Options{Workers: c.jobsOf(), Collected: c.collectedOf()}
	o.Stores, o.FindStores = c.storesOf()
	if c.err == nil {
		o.Progress = walkShownBy(c.newMeter(progress.Number))
	}
	return o
}

// scratchFault says of a fault of temporary files where they are, and what helps.
func scratchFault(c *invocation, err error) error {
	var place *scratch.NoPlace
	switch {
	case errors.Is(err, scratch.ErrFull):
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
