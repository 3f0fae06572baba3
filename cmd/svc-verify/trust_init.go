package main

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/trust/trustfile"
	"github.com/svc-edge/svc-verify/verify/text"
)

// trustInit writes a trust file of all keys and pins that the command line names.
func trustInit(c *invocation) *reply {
	d := trustfile.Draft{MinimumWitnesses: c.Number("minimum-audit-witnesses"),
		Registries: map[int64][sha256.Size]byte{},
		Audit:      collectValues(c, "audit-key", readKey),
		Signer:     collectValues(c, "signer-key", readKey),
		Nodes:      collectValues(c, "node", readKey),
	}
	for text, pin := range collectValues(c, "registry", readPin) {
		generation, _ := form.Generation(text) // readPin refused anything else
		d.Registries[generation] = pin
	}
	doc, root, err := trustfile.Assemble(d)
	if err != nil {
		return stopWith(faultsError[trust.Faults](c, "these do not make a trust file", "trust file", err))
	}
	if _, err := c.Stdout.Write(doc); err != nil {
		return stopWith(err)
	}
	stopOn(answer.WriteText(c.Stderr, text.Fingerprints(root), false))
	return &reply{}
}

// collectValues reads the values ID=SOURCE of one flag. An id is given once.
func collectValues[T any](c *invocation, flag string, from func(id, source string) (T, error)) map[string]T {
	all := map[string]T{}
	for _, text := range c.List(flag) {
		id, source, ok := strings.Cut(text, "=")
		refuseIf(!ok || id == "" || source == "", "--%s: expected an id, = and a source, found %s", flag,
			safetext.Quote(text))
		if _, ok := all[id]; ok {
			stopOn(cliapp.Usagef("--%s: %s is given twice", flag, safetext.Quote(id)))
		}
		v, err := from(id, source)
		stopIf(err != nil, "--%s %s: %w", flag, safetext.Quote(id), err)
		all[id] = v
	}
	return all
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

// readPin reads a pin from its text, or computes it from the file of a registry of this
// generation, so that two files are not exchanged.
func readPin(generation, source string) (pin [sha256.Size]byte, err error) {
	g, ok := form.Generation(generation)
	if !ok {
		return pin, cliapp.Usagef("a generation is a decimal number from 1 without leading zeros")
	}
	if pin, ok := trustfile.ReadPin(source); ok {
		return pin, nil
	}
	doc, err := readFile(source, form.MaxBundle)
	if err != nil {
		return pin, err
	}
	var registry bundle.Registry
	v, fault := ijson.Parse(doc)
	if fault == nil {
		registry, fault = bundle.ReadRegistry(v)
	}
	switch {
	case fault != nil:
		return pin, fmt.Errorf("%s is no signer registry: %w", safetext.Quote(source), fault)
	case registry.Generation != g:
		return pin, fmt.Errorf("%s is the registry of generation %d, and not of generation %d",
			safetext.Quote(source), registry.Generation, g)
	}
	return registry.Digest, nil
}
