package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/cause"
	"github.com/svc-edge/svc-verify/forensics/report/text"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
)

func findingsCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "findings",
		Summary: "Show what the last walk of a case found",
		Description: "Shows the findings of the newest walk, or of the newest under one trust file, or those of them that are asked for. Nothing is verified again. " +
			"With --type or --transaction, those in whose range there is such an event; with --from or --to, those whose range reaches into that time.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "the findings were shown, however many"},
			{Code: exitInconclusive, Meaning: "there was no such walk"},
		},
		Flags: slices.Concat([]cliapp.Flag{
			caseFlag(),
			{Name: "trust", Value: "TRUST", Usage: "The trust file of the walk; the newest walk under any if not given"},
			logFlag(), typeFlag(), transactionFlag(), sequenceFlag(),
		}, timeFlags(), []cliapp.Flag{
			{Name: "severity", Choices: severities(), Usage: "Only findings of this severity"},
			{Name: "code", Kind: cliapp.List, Value: "CODE", Usage: "Only findings of this code"},
			formFlag(), colorFlag(),
		}, progressFlags()),
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

// found is the findings of a walk as JSON.
type found struct {
	Schema      string            `json:"schema"`
	Verdict     verify.Verdict    `json:"verdict"` // "" if there was no walk
	Decides     *finding.Finding  `json:"decides,omitempty"`
	TrustSHA256 string            `json:"trust_sha256"` // "" if there was no walk and no trust file was given
	Causes      []cause.Cause     `json:"causes"`       // of the findings that are shown
	Findings    []finding.Finding `json:"findings"`

	result *verdict.Result
}

func showFindings(c *cliapp.Context) (int, error) {
	s, err := spanOf(c)
	if err != nil {
		return 0, err
	}
	for _, code := range c.List("code") {
		if _, ok := finding.Lookup(finding.Code(code)); !ok {
			return 0, unknownCode(code)
		}
	}
	f, err := filterOf(c, "log", "type", "transaction", "from")
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
		out := found{Schema: "svc-verify/findings/v2", Causes: []cause.Cause{}, Findings: []finding.Finding{}}
		if trust != (chain.Hash{}) {
			out.TrustSHA256 = trust.String()
		}
		if last == nil {
			return writeFound(c, out, exitInconclusive)
		}
		out.TrustSHA256, out.Verdict, out.Decides, out.result = last.TrustSHA256, last.Verdict, last.Decides, last
		warnOfLater(c, last)
		at := map[int]int{}
		for i, one := range last.Findings {
			if !asksFor(c, s, one) {
				continue
			}
			within, err := holdsAny(ctx, in, one, f)
			if err != nil {
				return 0, err
			}
			if within {
				at[i] = len(out.Findings)
				out.Findings = append(out.Findings, one)
			}
		}
		out.Causes = cause.Moved(last.Causes, at)
		return writeFound(c, out, exitVerified)
	})
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

// asksFor reports whether a finding is one of those that are asked for by what it
// says itself.
func asksFor(c *cliapp.Context, s span, f finding.Finding) bool {
	codes := c.List("code")
	switch {
	case c.Given("log") && f.LogID != c.Text("log"),
		c.Given("severity") && string(f.Severity) != c.Text("severity"),
		c.Given("code") && !slices.Contains(codes, string(f.Code)),
		c.Given("sequence") && !s.overlaps(f.Sequence, f.LastSequence):
		return false
	}
	return true
}

// holdsAny reports whether a finding is about events that are asked for. A range
// of missing events has no times of its own: it reaches from the event before it
// to the one after it.
func holdsAny(ctx context.Context, in *casefile.Case, f finding.Finding, filter casefile.Filter) (bool, error) {
	if filter == (casefile.Filter{LogID: filter.LogID}) {
		return true, nil
	}
	if f.Sequence == 0 {
		return false, nil
	}
	if within, err := reaches(ctx, in, f, filter); err != nil || !within {
		return false, err
	}
	events := casefile.Filter{LogID: f.LogID, Type: filter.Type, TransactionID: filter.TransactionID, First: f.Sequence, Last: f.LastSequence}
	if events.Type == "" && events.TransactionID == "" {
		return true, nil
	}
	for e, err := range in.Select(ctx, events) {
		if err != nil || e.Ref != 0 {
			return err == nil, err
		}
	}
	return false, nil
}

// reaches reports whether the range of a finding reaches into a time.
func reaches(ctx context.Context, in *casefile.Case, f finding.Finding, filter casefile.Filter) (bool, error) {
	logs, err := in.Logs(ctx)
	for _, log := range logs {
		if log.LogID != f.LogID {
			continue
		}
		// The event at the first sequence, if it is there, is the last one below
		// the next; so is the one at the last.
		first, _, err := in.Around(ctx, log, f.Sequence+1, f.Sequence+1)
		if err != nil {
			return false, err
		}
		_, last, err := in.Around(ctx, log, f.LastSequence, f.LastSequence-1)
		if err != nil {
			return false, err
		}
		early := first.Ref == 0 || filter.To.IsZero() || first.OccurredAt < filter.To.UnixMilli()
		late := last.Ref == 0 || filter.From.IsZero() || last.OccurredAt >= filter.From.UnixMilli()
		if early && late {
			return true, nil
		}
	}
	return false, err
}

func writeFound(c *cliapp.Context, f found, code int) (int, error) {
	if c.Text("output") == "json" {
		return code, writeJSON(c.Stdout, f)
	}
	p := page.New()
	switch {
	case code != exitInconclusive:
		text.WriteVerdict(p, f.result, safetext.Quote(c.Text("case")))
		if !c.Given("trust") {
			p.Pairs(page.Pair{"trust sha256", f.TrustSHA256})
		}
		text.WriteCauses(p, f.Causes, f.Findings)
		p.Heading("findings")
		text.WriteFindings(p, f.Findings)
	case c.Given("trust"):
		p.Prose(0, "the case was not walked under this trust file: svc-verify walk")
	default:
		p.Prose(0, "the case was not walked: svc-verify walk")
	}
	return code, writePage(c, p)
}
