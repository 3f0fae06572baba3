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
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome/form"
	"github.com/svc-edge/svc-verify/trust"
)

func checkPaths(c *cliapp.Context) (int, error) {
	if err := requirePaths(c.Args); err != nil {
		return 0, err
	}
	root, err := readTrust(c, c.Text("trust"))
	if err != nil {
		return 0, err
	}
	reports, err := openReports(c, append([]string{c.Text("trust")}, c.Args...)...)
	if err != nil {
		return 0, err
	}
	defer reports.Discard()
	run := &checkRun{Context: c, reports: reports}
	result, err := run.examine(root)
	if err != nil {
		return 0, err
	}
	result.Want(statusOf(c))
	if err := run.report(result); err != nil {
		return 0, err
	}
	if c.Text("output") == "json" {
		return exitCode(result.Verdict), writeJSON(c.Stdout, result)
	}
	next := []string{"svc-verify", "check", "--help"}
	if len(c.Args) > 0 {
		next = append([]string{"svc-verify", "ingest", "--case", "incident.case"}, c.Args...)
	}
	return exitCode(result.Verdict), writeAnswer(c, result, report.Asked{Name: argsName(c.Args), Next: next})
}

// checkRun is one check.
type checkRun struct {
	*cliapp.Context
	reports *form.Reports
	own     bool // a report of this run is among the paths
	stopped bool // the result is of a part
}

// examine reads the evidence and examines it.
func (r *checkRun) examine(root *trust.Root) (_ *verdict.Result, err error) {
	defer limitMemory(shareMemory)()
	ctx, stop := interruptibleWith(r.reports.Discard)
	defer stop()
	reading := progress.New(r.Context, progress.Size, nil)
	defer reading.Clear()
	read, err := scratch.Read(ctx, r.Args, root, share.Options{Dir: r.Text("temp-dir"), Progress: shownBy(reading),
		Options: ingest.Options{Stdin: r.Stdin, Read: readOptions(r.Context), Workers: jobsOf(r.Context),
			LeaveOut: r.leaveOut}})
	if err != nil {
		return nil, r.fault(err)
	}
	defer func() { err = errors.Join(err, read.Close()) }()
	reading.Clear()
	examining := progress.New(r.Context, progress.Number, nil)
	defer examining.Clear()
	options := examine.Options{Workers: jobsOf(r.Context), Progress: walkShownBy(examining)}
	if options.Collected, err = collectedOf(r.Context); err != nil {
		return nil, err
	}
	options.Stores, options.FindStores = storesOf(r.Context)
	result, err := read.Examine(ctx, options)
	examining.Clear()
	if err != nil {
		return nil, r.fault(err)
	}
	if r.stopped = ctx.Err() != nil; r.stopped {
		fmt.Fprintln(r.Stderr, "svc-verify: stopped before the end: the result covers what was walked")
	}
	return result, nil
}

// leaveOut reports whether a file is a report of this run.
func (r *checkRun) leaveOut(info fs.FileInfo) bool {
	own := r.reports.Owns(info)
	r.own = r.own || own
	return own
}

// report writes the reports, unless the check was stopped.
func (r *checkRun) report(result *verdict.Result) error {
	const own = "The reports of this run, which are among the paths."
	if r.own {
		fmt.Fprintln(r.Stderr, "svc-verify: not examined: "+own)
	}
	if r.stopped {
		sayStopped(r.Context)
		return nil
	}
	report := result.Outcome("svc-verify check")
	if r.own {
		report.NotExamined = append(report.NotExamined, own)
	}
	lines := func(w io.Writer) error { return result.WriteLines(w, report) }
	return commitReports(r.Context, r.reports, report, lines, result)
}

// fault says of a fault of temporary files where they are, and what helps.
func (r *checkRun) fault(err error) error {
	var place *scratch.NoPlace
	switch {
	case errors.Is(err, scratch.ErrFull):
		below := cmp.Or(r.Text("temp-dir"), os.TempDir())
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
