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
