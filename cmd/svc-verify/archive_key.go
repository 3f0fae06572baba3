package main

import (
	"fmt"

	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// archiveKey makes a key file, or writes the public part of one.
func archiveKey(c *invocation) *reply {
	if c.Switch("new") {
		c.requireForm(commandForm{"where a key is made", "new", "by", 1})
		return c.makeKey()
	}
	c.requireForm(commandForm{"where the public part of a key is written; --new makes a key", "from", "until", 1})
	k := c.loadKey(c.Args[0])
	from, until := c.timeOf("from"), c.timeOf("until")
	refuseIf(c.Given("until") && !until.After(from), "--until must be after --from")
	doc := mustHave(sealkey.PinFile(k.Name(), k.Public(), from, until))
	c.sayLine("%s has the fingerprint %s", safetext.Quote(k.Name()), k.Public().ID().Fingerprint())
	return &reply{text: string(doc)}
}

// makeKey makes a key file, and prints its name and its fingerprint.
func (c *invocation) makeKey() *reply {
	k, err := sealkey.Generate(c.Text("by"))
	refuseIf(err != nil, "--by: %s", err)
	stopOn(k.Create(keptFile(c.Args[0])))
	return &reply{text: fmt.Sprintf("name         %s\nfingerprint  %s\n", k.Name(), k.Public().ID().Fingerprint())}
}

// loadKey reads a key file.
func (c *invocation) loadKey(name string) *sealkey.Key { return mustHave(sealkey.Load(name)) }

// sealTrust reads the file of --seal-trust.
func (c *invocation) sealTrust() *sealkey.Trust {
	return tryParse[sealkey.Faults](c, "file of --seal-trust", c.Text("seal-trust"), sealkey.MaxTrust, sealkey.ParseTrust)
}
