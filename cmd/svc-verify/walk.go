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
