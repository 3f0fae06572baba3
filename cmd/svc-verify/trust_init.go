package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/schemas"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/trust/trustfile"
)

func trustInit(c *cliapp.Context) (int, error) {
	draft, err := draftOf(c)
	if err != nil {
		return 0, err
	}
	doc, root, err := trustfile.Assemble(draft)
	var faults trust.Faults
	if errors.As(err, &faults) {
		writeFaults(c.Stderr, "trust file", faults)
		return 0, fmt.Errorf("these do not make a trust file: %s", safetext.Count(len(faults), "fault"))
	}
	if err != nil {
		return 0, err
	}
	if _, err := c.Stdout.Write(doc); err != nil {
		return 0, err
	}
	return 0, writeFingerprints(c.Stderr, root)
}

// draftOf reads all keys and pins that the command line names.
func draftOf(c *cliapp.Context) (trustfile.Draft, error) {
	d := trustfile.Draft{MinimumWitnesses: c.Number("minimum-audit-witnesses"),
		Registries: map[int64][sha256.Size]byte{}}
	var err error
	if d.Audit, err = collect(c, "audit-key", readKey); err != nil {
		return d, err
	}
	if d.Signer, err = collect(c, "signer-key", readKey); err != nil {
		return d, err
	}
	if d.Nodes, err = collect(c, "node", readKey); err != nil {
		return d, err
	}
	pins, err := collect(c, "registry", readPin)
	for text, pin := range pins {
		generation, _ := form.Generation(text) // readPin refused anything else
		d.Registries[generation] = pin
	}
	return d, err
}

// collect reads the values ID=SOURCE of one flag. An id is given once.
func collect[T any](c *cliapp.Context, flag string, read func(id, source string) (T, error)) (map[string]T, error) {
	all := map[string]T{}
	for _, text := range c.List(flag) {
		id, source, ok := strings.Cut(text, "=")
		if !ok || id == "" || source == "" {
			return nil, cliapp.Usagef("--%s: expected %s, found %s", flag, "an id, = and a source",
				safetext.Quote(text))
		}
		if _, ok := all[id]; ok {
			return nil, cliapp.Usagef("--%s: %s is given twice", flag, safetext.Quote(id))
		}
		v, err := read(id, source)
		if err != nil {
			return nil, fmt.Errorf("--%s %s: %w", flag, safetext.Quote(id), err)
		}
		all[id] = v
	}
	return all, nil
}

// readKey reads a key from its text or from a file.
func readKey(_, source string) (trust.PublicKey, error) {
	if raw, ok := form.Base64URL(source); ok && len(raw) == len(trust.PublicKey{}) {
		return trust.PublicKey(raw), nil
	}
	doc, err := readFile(source, form.MaxTrust)
	if err != nil {
		return trust.PublicKey{}, err
	}
	return trustfile.ReadKey(doc)
}

// readPin reads a pin from its text, or computes it from a registry file, which
// must be one.
func readPin(generation, source string) ([sha256.Size]byte, error) {
	g, ok := form.Generation(generation)
	if !ok {
		return [sha256.Size]byte{}, cliapp.Usagef("a generation is a decimal number from 1 without leading zeros")
	}
	if pin, ok := trustfile.ReadPin(source); ok {
		return pin, nil
	}
	doc, err := readFile(source, form.MaxBundle)
	if err != nil {
		return [sha256.Size]byte{}, err
	}
	violations, err := schemas.Validate("signer-registry", doc)
	if err == nil && len(violations) > 0 {
		err = fmt.Errorf("%s#%s: %s", safetext.Quote(source), violations[0].Pointer, violations[0].Message)
	}
	if err != nil {
		return [sha256.Size]byte{}, err
	}
	return trustfile.PinOf(doc, g)
}
