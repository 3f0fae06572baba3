package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/casefile/sqlite"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/report/text"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func walkCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "walk",
		Summary: "Verify the logs of a case: what is genuine, and what is missing",
		Description: "Verifies every hash, link and signature under the pinned keys of a trust file, and determines up to which anchored sequence nothing is missing. " +
			"The case stores the result.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "verified"},
			{Code: exitRejected, Meaning: "rejected: the evidence is bad"},
			{Code: exitInconclusive, Meaning: "inconclusive: there was no log, not everything was examined, or not enough to decide"},
		},
		Flags: append([]cliapp.Flag{
			caseFlag(),
			{Name: "trust", Value: "TRUST", Usage: "The trust file to verify against", Required: true},
			{Name: "log", Kind: cliapp.List, Value: "ID", Usage: "Only this log; the others then anchor nothing"},
			{Name: "collected", Kind: cliapp.List, Value: "ID", Usage: "This log was collected: report it if it has no events"},
			{Name: "since-last", Kind: cliapp.Switch, Usage: "Start where the last walk under this trust file ended"},
			{Name: "max-duration", Kind: cliapp.Duration, Value: "D", Usage: "Stop after this time, without success"},
			{Name: "no-compare", Kind: cliapp.Switch, Usage: "Do not compare the sources with each other"},
			storeFlag(),
			{Name: "jobs", Kind: cliapp.Number, Value: "N", Least: "1", Usage: "How many parts to examine at once; the default is the number of processors"},
			formFlag(), colorFlag(), sourcesFlag(),
		}, progress.Flags()...),
		Examples: []string{"svc-verify walk --case case.db --trust trust.json", "svc-verify walk --case case.db --trust trust.json --since-last --output json"},
		Action:   walkCase,
	}
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
	m := progress.New(c, progress.Number, sqlite.Reads)
	defer m.Clear()
	options := examineOptions(ctx, c, m)
	options.Logs, options.Collected, options.NoCompare = c.List("log"), c.List("collected"), c.Switch("no-compare")
	if c.Given("jobs") {
		options.Workers = c.Number("jobs")
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
		fmt.Fprintln(c.Stderr, "svc-verify: stopped before the end: the result is of what was walked, and walk --since-last goes on from there")
	}
	if c.Text("output") == "json" {
		return exitCode(result.Verdict), writeJSON(c.Stdout, result)
	}
	return exitCode(result.Verdict), writePage(c, text.Walk(result, caseName(c), c.Switch("sources")))
}

// examineOptions are what every command has in common that can examine a case.
func examineOptions(ctx context.Context, c *cliapp.Context, m *progress.Meter) examine.Options {
	options := examine.Options{Workers: runtime.GOMAXPROCS(0), Case: caseOptions(ctx, c.Stderr),
		Remembered: func(s casefile.Standing, signatures int64) {
			sayStanding(c, s)
			if signatures > 0 {
				fmt.Fprintf(c.Stderr, "svc-verify: not verified again: %s that held in an earlier walk under your key\n",
					safetext.Count(signatures, "signature"))
			}
		}}
	options.Stores, options.FindStores = storesOf(c)
	options.Progress = func(p examine.Progress) {
		m.Show(progress.Done{Doing: p.LogID, Read: int64(p.Sequences), Of: int64(p.Of), Events: int64(p.Sequences)})
	}
	return options
}
