package main

import (
	"context"
	"fmt"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/userkey"
)

// readLedger opens the ledger of --ledger for reading.
func readLedger(ctx context.Context, c *cliapp.Context) (*ledger.Ledger, error) {
	secret, err := ledgerKey()
	if err != nil {
		return nil, err
	}
	return ledger.Open(ctx, c.Text("ledger"), secret)
}

// writeLedger opens the ledger of --ledger for writing. One that another command
// writes to is an error.
func writeLedger(ctx context.Context, c *cliapp.Context) (*ledger.Writer, error) {
	secret, err := ledgerKey()
	if err != nil {
		return nil, err
	}
	return ledger.OpenWrite(ctx, c.Text("ledger"), secret)
}

func ledgerKey() ([userkey.Size]byte, error) {
	secret, err := userkey.Load()
	if err != nil {
		return secret, fmt.Errorf("a ledger is kept under your key, and there is none: %s", safetext.Line(err.Error()))
	}
	return secret, nil
}

// digestOf reads a SHA-256 in a flag, nil if it is not given.
func digestOf(c *cliapp.Context, flag string) (*run.Digest, error) {
	if !c.Given(flag) {
		return nil, nil
	}
	digest, ok := form.Digest(c.Text(flag))
	if !ok {
		return nil, cliapp.Usagef("--%s: expected 64 lower-case hex digits, found %s", flag, safetext.Quote(c.Text(flag)))
	}
	return &digest, nil
}
