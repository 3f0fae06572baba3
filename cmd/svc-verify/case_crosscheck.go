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
		Summary: "Compare the bundles, journals, logs and stores of a case with each other",
		Description: "Compares bundles with the journals of their signers, journals with the tenant log, and stores with each other, and finds certificates that were issued during a pause. " +
			"Only what a pinned key signed counts as a statement. A missing event is a finding only where the log is known to be complete.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "the case is verified"},
			{Code: exitRejected, Meaning: "it is rejected: the evidence is bad, or contradictory"},
			{Code: exitInconclusive, Meaning: "inconclusive: not everything was examined, or not enough to decide"},
		},
		Flags: append([]cliapp.Flag{
			caseFlag(),
			{Name: "trust", Value: "TRUST", Usage: "The trust file to verify against", Required: true},
			{Name: "evidence", Kind: cliapp.List, Value: "BUNDLE", Usage: "A bundle besides those of the case; - reads standard input"},
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
		Usage: "Treat the sources at or below this path as one store; a repeated NAME joins several. auto finds stores by file names and common events, as the first walk does. Default: the stores of the last walk"}
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
