package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/progress"
)

func walkCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "walk",
		Summary: "Verify the logs of a case: what is genuine, and what is missing",
		Description: "Verifies every hash, link and signature under the pinned keys of a trust file, and determines " +
			"up to which anchored sequence nothing is missing. " +
			"The case stores the result.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "verified"},
			{Code: exitRejected, Meaning: "rejected: the evidence is bad"},
			{Code: exitInconclusive,
				Meaning: "inconclusive: there was no log, not everything was examined, or not enough to decide"},
		},
		Flags: append([]cliapp.Flag{
			caseFlag(),
			trustFlag(),
			{Name: "log", Kind: cliapp.List, Value: "ID", Usage: "Only this log; the others then anchor nothing"},
			collectedFlag(),
			{Name: "since-last", Kind: cliapp.Switch, Usage: "Start where the last walk under this trust file ended"},
			{Name: "max-duration", Kind: cliapp.Duration, Value: "D", Usage: "Stop after this time, without success"},
			{Name: "no-compare", Kind: cliapp.Switch, Usage: "Do not compare the sources with each other"},
			storeFlag(),
			jobsFlag(),
			formFlag(), colorFlag(), fullFlag(),
		}, progress.Flags()...),
		Examples: []string{
			"svc-verify walk --case case.db --trust trust.json",
			"svc-verify walk --case case.db --trust trust.json --since-last --output json",
		},
		Action: walkCase,
	}
}

func trustFlag() cliapp.Flag {
	return cliapp.Flag{Name: "trust", Value: "TRUST", Usage: "The trust file to verify against", Required: true}
}

func jobsFlag() cliapp.Flag {
	return cliapp.Flag{Name: "jobs", Kind: cliapp.Number, Value: "N", Least: "1",
		Usage: "How many pieces of work to do at once; the default is the number of processors"}
}

// jobsOf reads --jobs.
func jobsOf(c *cliapp.Context) int {
	if c.Given("jobs") {
		return c.Number("jobs")
	}
	return runtime.GOMAXPROCS(0)
}

func walkCase(c *cliapp.Context) (int, error) {
	root, err := readTrust(c, c.Text("trust"))
	if err != nil {
		return 0, err
	}
	ctx, stop := interruptible()
	defer stop()
	if c.Given("max-duration") {
		limited, cancel := context.WithTimeout(ctx, c.Duration("max-duration"))
		defer cancel()
		ctx = limited
	}
	m := newMeter(c, progress.Number)
	defer m.Clear()
	options := examineOptions(ctx, c, m)
	options.Workers = jobsOf(c)
	options.Stores, options.FindStores = storesOf(c)
	options.Logs, options.NoCompare = c.List("log"), c.Switch("no-compare")
	if options.Collected, err = collectedOf(c); err != nil {
		return 0, err
	}
	if c.Switch("since-last") {
		options.Extent = examine.SinceLast
	}
	result, err := examine.Examine(ctx, c.Text("case"), root, options)
	m.Clear()
	if err != nil {
		return 0, caseFault(c, err)
	}
	if ctx.Err() != nil {
		fmt.Fprintln(c.Stderr, "svc-verify: stopped before the end: the result covers what was walked; "+
			"walk --since-last continues from there")
	}
	if c.Text("output") == "json" {
		return exitCode(result.Verdict), writeJSON(c.Stdout, result)
	}
	return exitCode(result.Verdict), writeAnswer(c, result,
		report.Asked{Name: caseName(c), Case: c.Text("case"), Trust: c.Text("trust")})
}

func crosscheckCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "crosscheck",
		Summary: "Compare the bundles, journals, logs and stores of a case with each other",
		Description: "Compares bundles with the journals of their signers, journals with the tenant log, and stores " +
			"with each other, and finds certificates that were issued during a pause. " +
			"Only what a pinned key signed counts as a statement. A missing event is a finding only where the log " +
			"is known to be complete.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "the case is verified"},
			{Code: exitRejected, Meaning: "it is rejected: the evidence is bad, or contradictory"},
			{Code: exitInconclusive, Meaning: "inconclusive: not everything was examined, or not enough to decide"},
		},
		Flags: append([]cliapp.Flag{
			caseFlag(),
			trustFlag(),
			{Name: "evidence", Kind: cliapp.List, Value: "BUNDLE",
				Usage: "A bundle besides those of the case; - reads standard input"},
			storeFlag(),
			formFlag(), colorFlag(),
		}, progress.Flags()...),
		Examples: []string{
			"svc-verify crosscheck --case case.db --trust trust.json \\\n    --evidence svc-evidence-tx-2026-0001.json",
			"svc-verify crosscheck --case case.db --trust trust.json \\\n    --store dumps/loki --store dumps/s3",
		},
		Action: crosscheckCase,
	}
}

func crosscheckCase(c *cliapp.Context) (int, error) {
	root, err := readTrust(c, c.Text("trust"))
	if err != nil {
		return 0, err
	}
	var evidence []crosscheck.Evidence
	for _, name := range c.List("evidence") {
		doc, err := readBundle(c, name)
		if err != nil {
			return 0, err
		}
		evidence = append(evidence, crosscheck.Evidence{Name: name, Bytes: doc})
	}
	ctx, stop := interruptible()
	defer stop()
	m := newMeter(c, progress.Number)
	defer m.Clear()
	options := examineOptions(ctx, c, m)
	options.Stores, options.FindStores = storesOf(c)
	result, err := examine.Crosscheck(ctx, c.Text("case"), root, evidence, options)
	m.Clear()
	if err != nil {
		return 0, caseFault(c, err)
	}
	if c.Text("output") == "json" {
		return exitCode(result.Verdict), writeJSON(c.Stdout, result)
	}
	return exitCode(result.Verdict), writeDocument(c, report.Crosscheck(result, caseName(c)))
}
