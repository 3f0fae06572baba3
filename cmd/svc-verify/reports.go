package main

import (
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/outcome/form"
)

// openReports begins the reports of --report. The caller discards them in the end.
func openReports(c *cliapp.Context, inputs ...string) (*form.Reports, error) {
	return form.Open(c.List("report"), form.Settings{Inputs: inputs, Stdout: c.Stdout, Stderr: c.Stderr,
		Own: []form.Own{{Name: "jsonl", Whole: true}, {Name: "json"}}})
}

// sayStopped says that there are no reports of a run that was stopped: that of a part
// would look whole.
func sayStopped(c *cliapp.Context) {
	if len(c.List("report")) > 0 {
		fmt.Fprintln(c.Stderr, "svc-verify: the run was stopped, so no report is written")
	}
}

// commitReports writes every report and puts it into its place. The forms that all
// runs have in common are made from report; lines and whole are those of this run.
func commitReports(c *cliapp.Context, r *form.Reports, report *outcome.Report,
	lines func(io.Writer) error, whole any) error {
	if w := r.Own("jsonl"); w != nil {
		if err := lines(w); err != nil {
			return err
		}
	}
	if w := r.Own("json"); w != nil {
		if err := writeJSON(w, whole); err != nil {
			return err
		}
	}
	options := form.Options{Base: c.Text("base"), Tool: version, Explain: finding.Lookup}
	if err := r.Write(report, options); err != nil {
		return err
	}
	return r.Commit()
}
