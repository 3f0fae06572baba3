package main

import (
	"context"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics"
	"github.com/svc-edge/svc-verify/forensics/finding"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/cliapp"
)

func findingsCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "findings",
		Summary: "Show what the last walk of a case found",
		Description: "Shows the findings of the last walk under a trust file, or those of them that are asked for. Nothing is verified again.\n\n" +
			"Exit codes: 0 if the findings were shown, however many, 3 if the case was not walked under this trust file.",
		Flags: []cliapp.Flag{
			caseFlag(),
			{Name: "trust", Value: "TRUST", Usage: "The trust file of the walk", Required: true},
			logFlag(), sequenceFlag(),
			{Name: "severity", Choices: severities, Usage: "Only findings of this severity"},
			{Name: "code", Kind: cliapp.List, Value: "CODE", Usage: "Only findings of this code; may be repeated"},
			formFlag(),
		},
		Examples: []string{"svc-verify findings --case case.db --trust trust.json --severity critical"},
		Action:   showFindings,
	}
}

var severities = []string{string(finding.Critical), string(finding.High), string(finding.Medium), string(finding.Info)}

// found is the findings of a walk as JSON.
type found struct {
	Schema      string            `json:"schema"`
	TrustSHA256 string            `json:"trust_sha256"`
	Findings    []finding.Finding `json:"findings"`
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
	root, err := readTrust(c, c.Text("trust"))
	if err != nil {
		return 0, err
	}
	trust := chain.Hash(root.SHA256())
	return withCase(c, func(ctx context.Context, in *store.Case) (int, error) {
		all, ok, err := forensics.Findings(ctx, in, trust)
		if err != nil {
			return 0, err
		}
		all = slices.DeleteFunc(all, func(f finding.Finding) bool { return !asksFor(c, s, f) })
		return writeFound(c, found{"svc-verify/findings/v1", trust.String(), append([]finding.Finding{}, all...)}, walked(ok))
	})
}

// walked is the exit code of a question about the last walk.
func walked(ok bool) int {
	if ok {
		return exitVerified
	}
	return exitInconclusive
}

// asksFor reports whether a finding is one of those that are asked for.
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

func writeFound(c *cliapp.Context, f found, code int) (int, error) {
	if c.Text("output") == "json" {
		return code, writeJSON(c.Stdout, f)
	}
	p := newPage()
	if code == exitInconclusive {
		p.prose(0, "the case was not walked under this trust file: svc-verify walk")
	} else {
		p.heading("findings of the last walk")
		writeFindings(p, f.Findings)
	}
	_, err := c.Stdout.Write([]byte(p.String()))
	return code, err
}
