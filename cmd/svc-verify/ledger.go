package main

import (
	"fmt"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/userkey"
)

// openLedger opens the ledger of --ledger for reading.
func (c *invocation) openLedger() *ledger.Ledger {
	secret := c.ledgerKey()
	return closeLater(c, mustHave(ledger.Open(c.interruptContext(), keptFile(c.Text("ledger")), secret)))
}

// openLedgerWriter opens the ledger of --ledger for writing. One that another command
// writes to is an error.
func (c *invocation) openLedgerWriter() *ledger.Writer {
	secret := c.ledgerKey()
	return closeLater(c, mustHave(ledger.OpenWrite(c.interruptContext(), keptFile(c.Text("ledger")), secret)))
}

// ledgerKey is the secret that ledgers are kept under.
func (c *invocation) ledgerKey() ledger.Secret {
	secret, err := userkey.Load()
	if err != nil {
		stopOn(fmt.Errorf("a ledger is kept under your key, and there is none: %s", safetext.Line(err.Error())))
	}
	return secret
}

// digestOf reads a SHA-256 in a flag, nil if it is not given.
func (c *invocation) digestOf(flag string) *run.Digest {
	if !c.Given(flag) {
		return nil
	}
	digest, ok := form.Digest(c.Text(flag))
	refuseIf(!ok, "--%s: expected 64 lower-case hex digits, found %s", flag, safetext.Quote(c.Text(flag)))
	return &digest
}
