package main

import (
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func archiveKeygenCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "keygen",
		Summary: "Make a key that signs seals and trust histories",
		Description: "Makes a pair of keys, Ed25519 and ML-DSA-65, in a new file that only you can use. Each " +
			"signature is by both. Keep a copy of the file in a safe place: without it you cannot sign again " +
			"under this name.\n\nPrints the name and the fingerprint, for others to compare.",
		ExitCodes: []cliapp.ExitCode{{Code: exitVerified, Meaning: "done"}},
		Flags: []cliapp.Flag{
			{Name: "out", Value: "FILE", Usage: "The key file; it must not exist", Required: true},
			{Name: "by", Value: "NAME", Usage: "The name of the owner; without it, one made of the fingerprint"},
		},
		Examples: []string{"svc-verify archive keygen --out records.key --by records-office"},
		Action:   archiveKeygen,
	}
}

func archiveKeygen(c *cliapp.Context) (int, error) {
	k, err := sealkey.Generate(c.Text("by"))
	if err != nil {
		return 0, cliapp.Usagef("--by: %s", err)
	}
	if err := k.Create(c.Text("out")); err != nil {
		return 0, err
	}
	_, err = fmt.Fprintf(c.Stdout, "name         %s\nfingerprint  %s\n", k.Name(), k.Public().ID().Fingerprint())
	return 0, err
}

func archivePublicCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "public",
		Summary: "Write the public part of a key, as a file for --seal-trust",
		Description: "Writes a file for --seal-trust that pins both public keys, for the time that you name. " +
			"Standard error has the fingerprint, to compare with the owner of the key.\n\n" +
			"A file that pins several keys has several members in keys.",
		ExitCodes: []cliapp.ExitCode{{Code: exitVerified, Meaning: "done"}},
		Args:      "KEYFILE",
		Flags: []cliapp.Flag{
			{Name: "from", Kind: cliapp.Time, Value: "TIME", Usage: "From when on seals of this key count", Required: true},
			{Name: "until", Kind: cliapp.Time, Value: "TIME", Usage: "Until before when they count; without it there is no end"},
		},
		Examples: []string{"svc-verify archive public --from 2026-01-01 records.key > seal-trust.json"},
		Action:   archivePublic,
	}
}

func archivePublic(c *cliapp.Context) (int, error) {
	from, until := timeOf(c, "from"), timeOf(c, "until")
	k, err := sealkey.Load(c.Args[0])
	if err != nil {
		return 0, err
	}
	doc, err := sealkey.PinFile(k.Name(), k.Public(), from, until)
	var faults sealkey.Faults
	if errors.As(err, &faults) {
		writeFaults(c.Stderr, "--until", faults)
		return 0, cliapp.Usagef("--until must be after --from")
	}
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(c.Stderr, "svc-verify: %s has the fingerprint %s\n", safetext.Quote(k.Name()),
		k.Public().ID().Fingerprint())
	_, err = c.Stdout.Write(doc)
	return 0, err
}

// readSealTrust reads the file of --seal-trust. Each of its faults is written to
// standard error with its place.
func readSealTrust(c *cliapp.Context) (*sealkey.Trust, error) {
	name := c.Text("seal-trust")
	doc, err := readFile(name, sealkey.MaxTrust)
	if err != nil {
		return nil, err
	}
	trusted, err := sealkey.ParseTrust(doc)
	var faults sealkey.Faults
	if errors.As(err, &faults) {
		writeFaults(c.Stderr, name, faults)
		return nil, fmt.Errorf("the file of --seal-trust %s cannot be used: %s", safetext.Quote(name),
			safetext.Count(len(faults), "fault"))
	}
	return trusted, err
}

func sealTrustFlag() cliapp.Flag {
	return cliapp.Flag{Name: "seal-trust", Value: "FILE", Required: true,
		Usage: "The file with the public keys and authorities that you trust for seals"}
}
