package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/progress"
)

func ingestPaths(c *cliapp.Context) (code int, err error) {
	if err := requirePaths(c.Args); err != nil {
		return 0, err
	}
	ctx, stop := interruptible()
	defer stop()
	if c.Switch("explain") {
		return explainPaths(ctx, c)
	}
	if !c.Given("case") {
		return 0, cliapp.Usagef("--case FILE is missing: The case file; only --explain needs none")
	}
	m := newMeter(c, progress.Size)
	defer m.Clear()
	w, err := casefile.OpenWrite(c.Text("case"), caseOptions(ctx, c.Stderr)...)
	if err != nil {
		return 0, caseFault(c, err)
	}
	sayStanding(c, w.Standing())
	defer func() {
		m.Watch()
		if fault := w.Close(); fault != nil {
			err = errors.Join(err, caseFault(c, fault))
		}
	}()
	sum, err := ingest.Paths(ctx, w, c.Args, ingestOptions(c), shownBy(m))
	m.Clear()
	if errors.Is(err, context.Canceled) {
		return 0, fmt.Errorf("interrupted after %d events: the case is intact; to resume, run the same command again",
			sum.Events)
	}
	if err != nil {
		return 0, caseFault(c, err)
	}
	return writeIngested(c, w.Case, sum)
}

func ingestOptions(c *cliapp.Context) ingest.Options {
	return ingest.Options{ByReference: c.Switch("by-reference"), Stdin: c.Stdin, Read: readOptions(c)}
}

func readOptions(c *cliapp.Context) read.Options {
	return read.Options{Format: read.Format(c.Text("input-format")), BatchAttributes: c.List("batch-attribute")}
}

// shownBy returns what shows the progress of an ingest.
func shownBy(m *progress.Meter) func(ingest.Progress) {
	return func(p ingest.Progress) {
		m.Show(progress.Done{Doing: p.Path, Read: p.Read, Of: p.Size, Events: p.Events})
	}
}

func writeIngested(c *cliapp.Context, in *casefile.Case, sum ingest.Summary) (int, error) {
	out, err := query.Outcome(context.Background(), in, sum)
	if err != nil {
		return 0, err
	}
	code := exitInconclusive
	if out.Found() && !(c.Switch("strict") && len(out.NotWhole) > 0) {
		code = exitVerified
	}
	if c.Text("output") == "json" {
		return code, writeJSON(c.Stdout, out)
	}
	err = answer.WriteText(c.Stdout, report.Ingested(out, c.Switch("sources")), false)
	return code, err
}
