package main

import (
	"bufio"
	"context"
	"fmt"

	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/progress"
)

func reportCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "report",
		Summary: "Write a report of a walk, for others to read",
		Description: "Writes a report of the newest walk of a case to standard output: integrity and completeness " +
			"of each log, findings, pictures of coverage and deliveries, what was not examined and what is not " +
			"proven. " +
			"Nothing is verified again.\n\n" +
			"html is one file without scripts; csv is the findings; timesketch is a timeline of events and findings " +
			"as JSON lines. " +
			"The same case and walk give the same bytes.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "the report was written"},
			{Code: exitInconclusive, Meaning: "the case was not walked"},
		},
		Flags: append([]cliapp.Flag{
			caseFlag(),
			{Name: "trust", Value: "TRUST",
				Usage: "The newest walk under this trust file; the newest of all if not given"},
			{Name: "output", Choices: reportForms(), Default: reportForms()[0], Usage: "The form of the report"},
			{Name: "title", Value: "TEXT", Usage: "The title of the report", Default: "Forensic report"},
		}, progress.Flags()...),
		Examples: []string{"svc-verify report --case case.db --output html \\\n    --title Incident-17 > report.html"},
		Action:   reportCase,
	}
}

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
		r.Title, r.Tool = c.Text("title"), "svc-verify "+program().Version
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

// reportForms are the names of the forms of reports.
func reportForms() (names []string) {
	for _, f := range report.Forms() {
		names = append(names, f.Name)
	}
	return names
}
