package main

import (
	"slices"
	"strconv"
	"time"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
)

// anyStatus is the choice of --status that asks for none.
const anyStatus = "any"

// policyFlags are the flags that [policyOf] reads: what the caller demands
// beyond the trust file (SPEC 2.4), and the status that is usually wanted.
func policyFlags(status string) []cliapp.Flag {
	return []cliapp.Flag{
		{Name: "certificate", Value: "PEM", Usage: "The proof must be about this certificate, the first in the file"},
		{Name: "minimum-approvals", Kind: cliapp.Number, Value: "N", Least: "1", Most: mostApprovals,
			Usage: "At least N nodes must have approved, whatever the terms demand"},
		legacyBeforeFlag(),
		{Name: "at", Kind: cliapp.Time, Value: "TIME", Usage: "The time at which the status must be fresh, such as 2026-03-02T09:00:00Z"},
		{Name: "max-age", Kind: cliapp.Seconds, Value: "D", Least: "1s", Most: mostAge,
			Usage: "The status must be at most this old at the time of --at, such as 12h or 90d"},
		statusFlag(status),
		{Name: "tenant", Value: "ID", Usage: "The proof must be about this tenant"},
		{Name: "transaction", Value: "ID", Usage: "The proof must be about this transaction"},
	}
}

// statusFlag is the flag that [statusOf] reads, with the status that is usually wanted.
func statusFlag(usual string) cliapp.Flag {
	return cliapp.Flag{Name: "status", Choices: []string{bundle.Issued, bundle.Revoked, anyStatus}, Default: usual,
		Usage: "The status that a genuine proof must have: another one is rejected"}
}

// statusOf returns the wanted status, "" for any.
func statusOf(c *cliapp.Context) string {
	if status := c.Text("status"); status != anyStatus {
		return status
	}
	return ""
}

// The most that can be asked for (SPEC 2.4).
var (
	mostApprovals = strconv.Itoa(verify.MostApprovals)
	mostAge       = strconv.Itoa(int(verify.MostAge/(24*time.Hour))) + "d"
)

// policyOf reads what the caller asks for beyond the trust file (SPEC 2.4).
func policyOf(c *cliapp.Context) (verify.Policy, error) {
	p, err := keptPolicyOf(c)
	if err != nil {
		return p, err
	}
	if p.TransactionID, err = subjectOf(c, "transaction"); err != nil {
		return p, err
	}
	if err := freshness(c, &p); err != nil {
		return p, err
	}
	p.Status = statusOf(c)
	if c.Given("certificate") {
		p.Certificate, err = readCertificate(c.Text("certificate"))
	}
	return p, err
}

// keptPolicyFlags are the flags that [keptPolicyOf] reads: the demands that can be
// made of evidence that is kept. A fresh or wanted status is none of them.
func keptPolicyFlags() []cliapp.Flag {
	return slices.DeleteFunc(policyFlags(anyStatus), func(f cliapp.Flag) bool {
		return !slices.Contains([]string{"minimum-approvals", "legacy-before", "tenant"}, f.Name)
	})
}

// keptPolicyOf reads the demands that can be made of evidence that is kept.
func keptPolicyOf(c *cliapp.Context) (p verify.Policy, err error) {
	p.MinimumApprovals = c.Number("minimum-approvals")
	if p.TenantID, err = subjectOf(c, "tenant"); err != nil {
		return p, err
	}
	p.LegacyBefore = legacyBefore(c)
	return p, nil
}

// subjectOf reads the id of a tenant or a transaction, "" if it is not given.
func subjectOf(c *cliapp.Context, name string) (string, error) {
	id := c.Text(name)
	if c.Given(name) && !form.Subject(id) {
		return "", cliapp.Usagef("--%s: %s cannot be the id of a %s: expected 1 to 100 of A-Z a-z 0-9 . _ : @ -",
			name, safetext.Quote(id), name)
	}
	return id, nil
}

// freshness reads the demand for a fresh status. Half of it is a mistake: no clock
// is read, and no age is assumed.
func freshness(c *cliapp.Context, p *verify.Policy) error {
	if c.Given("at") != c.Given("max-age") {
		return cliapp.Usagef("--at and --max-age: expected both or neither; the age is that at the time of --at, " +
			"since no clock is read")
	}
	p.MaxAge, p.At = c.Duration("max-age"), timeOf(c, "at")
	return nil
}

func legacyBeforeFlag() cliapp.Flag {
	return cliapp.Flag{Name: "legacy-before", Kind: cliapp.Time, Value: "TIME",
		Usage: "Accept unwitnessed checkpoints created up to this time, such as 2026-03-02T09:00:00Z"}
}

// legacyBefore reads --legacy-before, the zero time if it is not given. It is rounded
// down, as it is included.
func legacyBefore(c *cliapp.Context) time.Time {
	return c.Time("legacy-before").Truncate(time.Millisecond)
}
