package main

import (
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func archiveKeygen(c *invocation) (*reply, error) {
	k, err := sealkey.Generate(c.Text("by"))
	if err != nil {
		return nil, cliapp.Usagef("--by: %s", err)
	}
	if err := k.Create(c.Text("out")); err != nil {
		return nil, err
	}
	return &reply{text: fmt.Sprintf("name         %s\nfingerprint  %s\n", k.Name(),
		k.Public().ID().Fingerprint())}, nil
}

func archivePublic(c *invocation) (*reply, error) {
	k, err := sealkey.Load(c.Args[0])
	if err != nil {
		return nil, err
	}
	doc, err := sealkey.PinFile(k.Name(), k.Public(), c.timeOf("from"), c.timeOf("until"))
	var faults sealkey.Faults
	if errors.As(err, &faults) {
		c.sayFaults("--until", faults)
		return nil, cliapp.Usagef("--until must be after --from")
	}
	if err != nil {
		return nil, err
	}
	c.sayLine("%s has the fingerprint %s", safetext.Quote(k.Name()), k.Public().ID().Fingerprint())
	return &reply{text: string(doc)}, nil
}

// signingKey reads the key file of --key.
func (c *invocation) signingKey() *sealkey.Key {
	return tryRead(c, func() (*sealkey.Key, error) { return sealkey.Load(c.Text("key")) })
}

// sealTrust reads the file of --seal-trust.
func (c *invocation) sealTrust() *sealkey.Trust {
	return tryParse[sealkey.Faults](c, "file of --seal-trust", c.Text("seal-trust"), sealkey.MaxTrust, sealkey.ParseTrust)
}
