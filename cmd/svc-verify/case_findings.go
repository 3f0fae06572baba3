package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/forensics/report/text"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func findingsCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "findings",
		Summary: "Show what the last walk of a case found",
		Description: "Shows the findings of the newest walk. Nothing is verified again. " +
			"--type and --transaction select findings whose range contains such an event, --from and --to those whose range reaches into that time.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "the findings were shown, however many"},
			{Code: exitInconclusive, Meaning: "there is no such walk"},
		},
		Flags: slices.Concat([]cliapp.Flag{
			caseFlag(),
			{Name: "trust", Value: "TRUST", Usage: "Use the newest walk under this trust file, not under any"},
			logFlag(), typeFlag(), transactionFlag(), sequenceFlag(),
		}, timeFlags(), []cliapp.Flag{
			{Name: "severity", Choices: severities(), Usage: "Only findings of this severity"},
			{Name: "code", Kind: cliapp.List, Value: "CODE", Usage: "Only findings of this code"},
			formFlag(), colorFlag(),
		}, progress.Flags()),
		Examples: []string{"svc-verify findings --case case.db --severity critical", "svc-verify findings --case case.db --transaction tx-2026-0001"},
		Action:   showFindings,
	}
}

// severities are the names of the severities, from the worst.
func severities() (names []string) {
	for _, s := range finding.Severities() {
		names = append(names, string(s))
	}
	return names
}

func showFindings(c *cliapp.Context) (int, error) {
	wanted, err := findingFilterOf(c)
	if err != nil {
		return 0, err
	}
	trust, err := trustOf(c)
	if err != nil {
		return 0, err
	}
	return withCase(c, func(ctx context.Context, in *casefile.Case) (int, error) {
		last, err := verdict.Last(ctx, in, trust)
		if err != nil {
			return 0, err
		}
		warnOfLater(c, last)
		found, err := query.Findings(ctx, in, last, trust, wanted)
		if err != nil {
			return 0, err
		}
		code := exitVerified
		if last == nil {
			code = exitInconclusive
		}
		if c.Text("output") == "json" {
			return code, writeJSON(c.Stdout, found)
		}
		return code, writePage(c, text.Findings(found, caseName(c), c.Given("trust")))
	})
}

// findingFilterOf returns which findings the flags select.
func findingFilterOf(c *cliapp.Context) (f query.FindingFilter, err error) {
	f = query.FindingFilter{LogID: c.Text("log"), Severity: c.Text("severity"), Codes: c.List("code")}
	s, err := spanOf(c)
	if err != nil {
		return f, err
	}
	if c.Given("sequence") {
		f.First, f.Last = s.first, s.last
	}
	for _, code := range f.Codes {
		if _, ok := finding.Lookup(finding.Code(code)); !ok {
			return f, unknownCode(code)
		}
	}
	f.Events, err = filterOf(c, "log", "type", "transaction", "from")
	return f, err
}

// warnOfLater says on standard error how many sources came into the case after
// it was examined.
func warnOfLater(c *cliapp.Context, r *verdict.Result) {
	if r == nil {
		return
	}
	for _, l := range r.LeftOut {
		if l.What == verdict.Later {
			fmt.Fprintf(c.Stderr, "svc-verify: %s came into the case after this walk, which says nothing of what they hold: svc-verify walk\n",
				safetext.Count(len(l.Items), "source"))
		}
	}
}

// trustOf returns the digest of --trust; the zero digest if it was not given.
func trustOf(c *cliapp.Context) (chain.Hash, error) {
	if !c.Given("trust") {
		return chain.Hash{}, nil
	}
	root, err := readTrust(c, c.Text("trust"))
	if err != nil {
		return chain.Hash{}, err
	}
	return chain.Hash(root.SHA256()), nil
}
