package main

import (
	"time"

	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
)

// anyStatus is the choice of --status that asks for none.
const anyStatus = "any"

// statusOf returns the wanted status, "" for any.
func statusOf(c *cliapp.Context) string {
	if status := c.Text("status"); status != anyStatus {
		return status
	}
	return ""
}

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

// legacyBefore reads --legacy-before, the zero time if it is not given. It is rounded
// down, as it is included.
func legacyBefore(c *cliapp.Context) time.Time {
	return c.Time("legacy-before").Truncate(time.Millisecond)
}
