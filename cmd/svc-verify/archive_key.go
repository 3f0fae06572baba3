package main

import (
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

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
