package main

import (
	"bufio"
	"context"
	"fmt"

	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/cliapp"
)

func reportCase(c *cliapp.Context) (int, error) {
	trust, err := trustOf(c)
	if err != nil {
		return 0, err
	}
	return withCase(c, func(ctx context.Context, in *casefile.Case) (int, error) {
		result, err := verdict.Last(ctx, in, trust)
		if err != nil {
			return 0, err
		}
		if result == nil {
			_, err := fmt.Fprintln(c.Stderr,
				"svc-verify: the case was not walked under this trust file, or not at all: svc-verify walk")
			return exitInconclusive, err
		}
		warnOfLater(c, result)
		r, err := report.Gather(ctx, in, result)
		if err != nil {
			return 0, err
		}
		r.Title, r.Tool = c.Text("title"), "svc-verify "+version
		return exitVerified, writeReport(ctx, c, in, r)
	})
}

// writeReport writes a report in the form of --output.
func writeReport(ctx context.Context, c *cliapp.Context, in *casefile.Case, r *report.Report) error {
	out := bufio.NewWriterSize(c.Stdout, 1<<16)
	for _, f := range report.Forms() {
		if f.Name != c.Text("output") {
			continue
		}
		remarks, err := f.Write(ctx, out, in, r)
		for _, remark := range remarks {
			fmt.Fprintln(c.Stderr, "svc-verify: "+remark)
		}
		if err != nil {
			return err
		}
	}
	return out.Flush()
}
