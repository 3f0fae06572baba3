package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/svc-edge/svc-verify/forensics/scratch"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome/form"
)

// checkRun is one check.
type checkRun struct {
	*cliapp.Context
	reports *form.Reports
	own     bool // a report of this run is among the paths
	stopped bool // the result is of a part
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
