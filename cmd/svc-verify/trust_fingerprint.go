package main

import (
	"encoding/hex"
	"io"

	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/trust/trustfile"
	"github.com/svc-edge/svc-verify/verify/text"
)

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
