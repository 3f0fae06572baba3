package logbook

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/archive"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/outcome"
)

// About is the ledger of an answer, and how far it can be believed.
type About struct {
	Standing      ledger.Standing      `json:"standing"`
	Runs          int64                `json:"runs"`
	Newest        string               `json:"newest_run_sha256"` // "" if there is no run
	InterruptedAt string               `json:"interrupted_at"`    // when a run without a record began; "" if none did
	Expected      *Expected            `json:"expected,omitempty"`
	Findings      []finding.InDocument `json:"findings"` // about the ledger
}

// Expected is a run whose digest the caller kept.
type Expected struct {
	SHA256 string `json:"sha256"`
	Run    int64  `json:"run"` // with this digest; 0 if there is none
}

// Look finds out how far a ledger can be believed. Expect is the digest of a run that
// it must have, nil for any.
func Look(ctx context.Context, l *ledger.Ledger, expect *run.Digest) (About, error) {
	number, newest := l.Newest()
	a := About{Standing: l.Standing(), Runs: number, InterruptedAt: form.MomentText(l.Interrupted()),
		Findings: []finding.InDocument{}}
	if number > 0 {
		a.Newest = hex.EncodeToString(newest[:])
	}
	switch l.Standing() {
	case ledger.Foreign:
		a.find(archive.LedgerForeign, "")
	case ledger.Changed:
		a.altered(l.Fault())
		return a, nil
	}
	if expect == nil {
		return a, nil
	}
	found, err := l.Expect(ctx, *expect)
	if err != nil {
		_, err = a.fault(err)
		return a, err
	}
	a.Expected = &Expected{hex.EncodeToString(expect[:]), found.Run}
	if found.Run == 0 {
		a.find(archive.AnotherHistory, fmt.Sprintf("none of its runs has the digest %x", *expect))
	}
	return a, nil
}

// find adds a finding.
func (a *About) find(code finding.Code, more string) {
	a.Findings = append(a.Findings, finding.OfObject(code, "", "", more))
}

func (a *About) altered(fault *ledger.AlteredError) {
	a.Standing = ledger.Changed
	a.find(archive.LedgerAltered, fault.Error())
}

// fault records an error that reports a changed ledger, and reports whether it is one. It
// returns any other.
func (a *About) fault(err error) (altered bool, _ error) {
	var fault *ledger.AlteredError
	if errors.As(err, &fault) {
		a.altered(fault)
		return true, nil
	}
	return false, err
}

// Believed reports whether there is anything to answer from.
func (a *About) Believed() bool { return a.Standing != ledger.Changed }

// Verdict returns the best verdict that an answer can have.
func (a *About) Verdict() outcome.Class { return object.WorstOf(a.Findings) }
