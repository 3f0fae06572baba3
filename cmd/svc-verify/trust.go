package main

import (
	"io"

	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/trust/trustfile"
	"github.com/svc-edge/svc-verify/verify/text"
)

// formFlag chooses between text for people and JSON.
func formFlag() cliapp.Flag {
	return cliapp.Flag{Name: "output", Choices: []string{"text", "json"}, Default: "text", Usage: "What to print"}
}

func trustCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "trust",
		Summary: "Make and examine trust files",
		Description: "A trust file holds the public keys and registry pins that a customer collected independently, and how many nodes must witness. " +
			"Every verification depends on it.",
		Commands: []*cliapp.Command{trustInitCommand(), trustLintCommand(), trustFingerprintCommand(), trustExplainCommand()},
	}
}

func trustExplainCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "explain",
		Summary: "Show who could together forge a proof that a trust file accepts",
		Description: "Lists the smallest sets of key holders who could forge a proof of an issuance that never happened, and what each kind of holder can do alone. " +
			"All keys of one node count as one holder.",
		ExitCodes: []cliapp.ExitCode{{Code: exitVerified, Meaning: "done"}},
		Args:      "FILE",
		Flags: []cliapp.Flag{
			{Name: "minimum-approvals", Kind: cliapp.Number, Value: "N", Default: "1", Least: "1", Most: mostApprovals, Usage: "The number of approvals that verifications demand"},
			formFlag(),
		},
		Examples: []string{"svc-verify trust explain trust.json", "svc-verify trust explain --minimum-approvals 2 trust.json"},
		Action:   trustExplain,
	}
}

func trustExplain(c *cliapp.Context) (int, error) {
	root, err := readTrust(c, c.Args[0])
	if err != nil {
		return 0, err
	}
	e := trustfile.Explain(root, c.Number("minimum-approvals"))
	if c.Text("output") == "json" {
		return 0, writeJSON(c.Stdout, struct {
			Schema string `json:"schema"`
			trustfile.Exposure
		}{"svc-verify/trust-explain/v1", e})
	}
	_, err = io.WriteString(c.Stdout, text.Exposure(e))
	return 0, err
}
