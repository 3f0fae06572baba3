package main

import (
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
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
		Description: "A trust file holds the public keys and registry pins that a customer collected independently, " +
			"and how many nodes must witness. " +
			"Every verification depends on it.",
		Commands: []*cliapp.Command{trustInitCommand(), trustLintCommand(), trustFingerprintCommand(),
			trustExplainCommand(), trustDiffCommand(), trustHistoryCommand()},
	}
}

func trustExplainCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "explain",
		Summary: "Show who could together forge a proof that a trust file accepts",
		Description: "Lists the smallest sets of key holders who could forge a proof of an issuance that never " +
			"happened, and what each kind of holder can do alone. " +
			"All keys of one node count as one holder.",
		ExitCodes: []cliapp.ExitCode{{Code: exitVerified, Meaning: "done"}},
		Args:      "FILE",
		Flags: []cliapp.Flag{
			{Name: "minimum-approvals", Kind: cliapp.Number, Value: "N", Default: "1", Least: "1", Most: mostApprovals,
				Usage: "The number of approvals that verifications demand"},
			formFlag(),
		},
		Examples: []string{
			"svc-verify trust explain trust.json",
			"svc-verify trust explain --minimum-approvals 2 trust.json",
		},
		Action: trustExplain,
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

func trustLintCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "lint",
		Summary: "Report mistakes in a usable trust file",
		Description: "Reports keys whose private half is public, quorums that cannot be met or that two halves of " +
			"the fleet could meet, and similar mistakes. " +
			"It knows the keys of the demonstration scenes and of RFC 8032; --known adds others, one a line: a key " +
			"in base64url and a description. " +
			"--beside reports node keys that another tenant's trust file has too.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "there is no warning"},
			{Code: exitRejected, Meaning: "there is one"},
			{Code: cliapp.ExitFailure, Meaning: "the file cannot be used, or another could not be read"},
		},
		Args: "FILE",
		Flags: []cliapp.Flag{
			{Name: "known", Value: "FILE", Usage: "More keys that must not be in the file"},
			{Name: "beside", Value: "FILE", Usage: "The trust file of another tenant; no node key may be in both"},
			formFlag(), colorFlag(),
		},
		Examples: []string{"svc-verify trust lint trust.json"},
		Action:   trustLint,
	}
}

func trustLint(c *cliapp.Context) (int, error) {
	root, err := readTrust(c, c.Args[0])
	if err != nil {
		return 0, err
	}
	known, err := knownKeys(c)
	if err != nil {
		return 0, err
	}
	notices := trustfile.Lint(root, known)
	if c.Given("beside") {
		other, err := readTrust(c, c.Text("beside"))
		if err != nil {
			return 0, err
		}
		notices = append(notices, trustfile.LintBeside(root, other)...)
	}
	if err := writeNotices(c, notices); err != nil {
		return 0, err
	}
	if slices.ContainsFunc(notices, func(n trustfile.Notice) bool { return n.Severity != finding.Info }) {
		return exitRejected, nil
	}
	return exitVerified, nil
}

func writeNotices(c *cliapp.Context, notices []trustfile.Notice) error {
	if c.Text("output") == "json" {
		return writeJSON(c.Stdout, struct {
			Schema  string             `json:"schema"`
			Notices []trustfile.Notice `json:"notices"`
		}{"svc-verify/trust-lint/v1", notices})
	}
	return writePage(c, text.Notices(notices))
}

// knownKeys returns the keys of the demonstration scenes and those of the file
// of --known: lines of a key and what it is. Empty lines and lines that start
// with # are left out.
func knownKeys(c *cliapp.Context) (map[trust.PublicKey]string, error) {
	known, err := sceneKeys()
	if err != nil || !c.Given("known") {
		return known, err
	}
	name := c.Text("known")
	doc, err := readFile(name, form.MaxTrust)
	if err != nil {
		return nil, err
	}
	if len(doc) > form.MaxTrust {
		return nil, fmt.Errorf("reading %s: expected at most %d bytes", safetext.Quote(name), form.MaxTrust)
	}
	for i, line := range strings.Split(string(doc), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		text, what, _ := strings.Cut(line, " ")
		key, err := trustfile.ReadKey([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("reading %s, line %d: %w", safetext.Quote(name), i+1, err)
		}
		known[key] = "in " + safetext.Quote(name) + " as " + safetext.Quote(strings.TrimSpace(what))
	}
	return known, nil
}

func trustFingerprintCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "fingerprint",
		Summary: "Print digests that two people can compare over a phone",
		Description: "Prints a fingerprint of every key and pin: the first 128 bits of its SHA-256 in eight groups. " +
			"A key's fingerprint covers its 32 raw bytes; a registry's is its pin. JSON has the whole digests.",
		ExitCodes: []cliapp.ExitCode{{Code: exitVerified, Meaning: "done"}},
		Args:      "FILE",
		Flags:     []cliapp.Flag{formFlag()},
		Examples:  []string{"svc-verify trust fingerprint trust.json"},
		Action:    trustFingerprint,
	}
}

func trustFingerprint(c *cliapp.Context) (int, error) {
	root, err := readTrust(c, c.Args[0])
	if err != nil {
		return 0, err
	}
	if c.Text("output") == "json" {
		digest := root.SHA256()
		return 0, writeJSON(c.Stdout, struct {
			Schema string                  `json:"schema"`
			Trust  string                  `json:"trust_sha256"`
			Prints []trustfile.Fingerprint `json:"fingerprints"`
		}{"svc-verify/trust-fingerprint/v1", hex.EncodeToString(digest[:]), trustfile.Fingerprints(root)})
	}
	return 0, writeFingerprints(c.Stdout, root)
}

// writeFingerprints writes the fingerprints of a trust file as a table.
func writeFingerprints(w io.Writer, root *trust.Root) error {
	table, err := text.Fingerprints(root)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, table)
	return err
}
