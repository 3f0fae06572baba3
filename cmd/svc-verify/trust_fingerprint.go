package main

import (
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/trust"
)

func trustFingerprintCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "fingerprint",
		Summary: "Print digests of the keys that people can compare over a phone",
		Description: "Prints a fingerprint of every key and pin: the first 128 bits of its SHA-256 in eight groups, enough that nobody can make another key with the same ones. " +
			"A key's fingerprint is of its 32 raw bytes; a registry's is its pin. JSON has the digests whole.",
		ExitCodes: []cliapp.ExitCode{{Code: exitVerified, Meaning: "done"}},
		Args:      "FILE",
		Flags:     []cliapp.Flag{formFlag()},
		Examples:  []string{"svc-verify trust fingerprint trust.json"},
		Action:    trustFingerprint,
	}
}

// fingerprint is the fingerprint of one pinned thing.
type fingerprint struct {
	Role   string `json:"role"`
	ID     string `json:"id"`
	SHA256 string `json:"sha256"`
}

func trustFingerprint(c *cliapp.Context) (int, error) {
	root, err := readTrust(c, c.Args[0])
	if err != nil {
		return 0, err
	}
	if c.Text("output") == "json" {
		digest := root.SHA256()
		return 0, writeJSON(c.Stdout, struct {
			Schema string        `json:"schema"`
			Trust  string        `json:"trust_sha256"`
			Prints []fingerprint `json:"fingerprints"`
		}{"svc-verify/trust-fingerprint/v1", hex.EncodeToString(digest[:]), fingerprints(root)})
	}
	return 0, writeFingerprints(c.Stdout, root)
}

// fingerprints returns the fingerprints of everything that a trust file pins.
func fingerprints(root *trust.Root) []fingerprint {
	var all []fingerprint
	for _, role := range []trust.Role{trust.Audit, trust.Signer, trust.Node} {
		for _, k := range root.Keys(role) {
			all = append(all, fingerprint{string(role), k.ID, k.Public.Fingerprint()})
		}
	}
	for _, g := range root.Registries() {
		pin, _ := root.Registry(g)
		all = append(all, fingerprint{"registry", strconv.FormatInt(g, 10), hex.EncodeToString(pin[:])})
	}
	return all
}

// writeFingerprints writes the fingerprints of a trust file as a table, and that of
// the file itself.
func writeFingerprints(w io.Writer, root *trust.Root) error {
	digest := root.SHA256()
	rows := [][]string{}
	for _, p := range append(fingerprints(root), fingerprint{"whole file", "", hex.EncodeToString(digest[:])}) {
		rows = append(rows, []string{grouped(p.SHA256), p.Role, p.ID})
	}
	return writeTable(w, []string{"fingerprint", "role", "id"}, rows)
}

// grouped writes the first 128 bits of a digest as eight groups of four digits.
func grouped(digest string) string {
	var b strings.Builder
	for i := 0; i < 32; i += 4 {
		fmt.Fprintf(&b, "%s ", digest[i:i+4])
	}
	return strings.TrimSpace(b.String())
}
