package main

import (
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust/trustfile"
)

// formFlag chooses between text for people and JSON.
func formFlag() cliapp.Flag {
	return cliapp.Flag{Name: "output", Choices: []string{"text", "json"}, Default: "text", Usage: "What to print"}
}

func trustCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "trust",
		Summary: "Make a trust file, and judge one",
		Description: "A trust file holds the public keys and registry pins that a customer collected independently, and how many nodes must witness. " +
			"All that a verification says rests on it.",
		Commands: []*cliapp.Command{trustInitCommand(), trustLintCommand(), trustFingerprintCommand(), trustExplainCommand()},
	}
}

func trustExplainCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "explain",
		Summary: "Say who could together forge a proof that a trust file accepts",
		Description: "Lists the smallest sets of key holders who could forge a proof of an issuance that never happened, and what each kind of holder can do alone. " +
			"All keys of one node count as one holder.",
		ExitCodes: []cliapp.ExitCode{{Code: exitVerified, Meaning: "done"}},
		Args:      "FILE",
		Flags: []cliapp.Flag{
			{Name: "minimum-approvals", Kind: cliapp.Number, Value: "N", Default: "1", Least: "1", Most: mostApprovals, Usage: "What verifications with this file demand"},
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
	_, err = c.Stdout.Write([]byte(exposureText(e)))
	return 0, err
}

func exposureText(e trustfile.Exposure) string {
	p := page.New()
	nodes := make([]string, len(e.Nodes))
	for i, h := range e.Nodes {
		nodes[i] = safetext.Quote(h.Node)
		if len(h.Keys) > 1 {
			nodes[i] += fmt.Sprintf(" (%d keys)", len(h.Keys))
		}
	}
	p.Heading("who holds what")
	p.Pairs(
		page.Pair{"audit keys", page.List(e.AuditKeys)}, page.Pair{"signer keys", page.List(e.SignerKeys)},
		page.Pair{"issuing CAs", "those in the registries of generation " + page.Numbers(e.Registries)},
		page.Pair{"nodes", fmt.Sprintf("%d: %s", len(e.Nodes), strings.Join(nodes, ", "))},
		page.Pair{"demanded", fmt.Sprintf("witnesses: at least %d; approvals: at least %d", e.MinimumWitnesses, e.MinimumApprovals)},
	)
	p.Heading("who could together forge a proof of an issuance that never happened")
	p.Prose(2, "Any one holder of an audit key, any one of a signer key and the holder of a CA key that a pinned registry gives that signer, and with them:")
	for _, t := range e.Threats {
		writeThreat(p, t)
	}
	p.Heading("what one holder could do alone")
	for _, w := range e.Powers {
		p.Prose(2, w.Holder)
		pairs := []page.Pair{{"  can", w.Can}}
		if w.Cannot != "" {
			pairs = append(pairs, page.Pair{"  cannot", w.Cannot})
		}
		p.Pairs(pairs...)
	}
	return p.String()
}

// writeThreat writes one way to forge a proof.
func writeThreat(p *page.Page, t trustfile.Threat) {
	p.Prose(2, t.Name)
	if t.Nodes < 0 {
		p.Pairs(page.Pair{"  needs", t.Needs})
		return
	}
	p.Pairs(
		page.Pair{"  needs", safetext.Count(t.Nodes, "node") + " " + t.Needs},
		page.Pair{"  choices", t.Combinations},
		page.Pair{"  shows", t.Shows},
	)
}
