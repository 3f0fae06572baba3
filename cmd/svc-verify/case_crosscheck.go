package main

import (
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/casefile/sqlite"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/report/text"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/progress"
)

func crosscheckCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "crosscheck",
		Summary: "Hold the evidence of a case against itself: bundles, journals, the tenant log, stores",
		Description: "Asks each node's journal whether the node did what bundles say it did, holds the journals against the tenant log, looks for issuances while issuance was paused, " +
			"and compares what each store of copies holds. Only what a pinned key signed counts as a statement. That something is missing is a finding only where the log is known to be whole.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "the case is verified"},
			{Code: exitRejected, Meaning: "it is rejected: the evidence is bad, or contradicts itself"},
			{Code: exitInconclusive, Meaning: "inconclusive: not all was examined, or not enough is there to say"},
		},
		Flags: append([]cliapp.Flag{
			caseFlag(),
			{Name: "trust", Value: "TRUST", Usage: "The trust file to hold it against", Required: true},
			{Name: "evidence", Kind: cliapp.List, Value: "BUNDLE", Usage: "A bundle beside those of the case, - for standard input"},
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
	m := progress.New(c, progress.Number, sqlite.Reads)
	defer m.Clear()
	result, err := examine.Crosscheck(ctx, c.Text("case"), root, evidence, examineOptions(ctx, c, m))
	m.Clear()
	if err != nil {
		return 0, caseFault(c, err)
	}
	if c.Text("output") == "json" {
		return exitCode(result.Verdict), writeJSON(c.Stdout, result)
	}
	return exitCode(result.Verdict), writePage(c, text.Crosscheck(result, caseName(c)))
}

func storeFlag() cliapp.Flag {
	return cliapp.Flag{Name: "store", Kind: cliapp.List, Value: "[NAME=]PREFIX",
		Usage: "The sources at or below this path are one store, as are those of several under one name. auto finds them by names and by what the sources have in common, as the first walk does. Those of the last walk if not given"}
}

// storesOf returns the stores that --store names, and whether they are to be
// found. A name has no slash, so that a path with "=" needs none.
func storesOf(c *cliapp.Context) (all []crosscheck.Prefix, find bool) {
	given := c.List("store")
	if slices.Equal(given, []string{"auto"}) {
		return nil, true
	}
	for _, text := range given {
		name, path, named := strings.Cut(text, "=")
		if !named || strings.ContainsAny(name, `/\`) || name == "" {
			name, path = text, text
		}
		all = append(all, crosscheck.Prefix{Name: name, Path: path})
	}
	return all, false
}
