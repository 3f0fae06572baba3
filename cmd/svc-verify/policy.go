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

// wantedStatus returns the wanted status, "" for any.
func (c *invocation) wantedStatus() string {
	if status := c.Text("status"); status != anyStatus {
		return status
	}
	return ""
}

// policyOf reads what the caller asks for beyond the trust file (SPEC 2.4).
func (c *invocation) policyOf() verify.Policy {
	p := c.keptPolicy()
	p.TransactionID = c.subjectOf("transaction")
	// Half of the demand for a fresh status is a mistake: no clock is read, and no age is assumed.
	if c.Given("at") != c.Given("max-age") {
		c.keepError(cliapp.Usagef("--at and --max-age: expected both or neither; the age is that at the time of --at, " +
			"since no clock is read"))
	}
	p.MaxAge, p.At, p.Status = c.Duration("max-age"), c.timeOf("at"), c.wantedStatus()
	if c.Given("certificate") {
		p.Certificate = tryRead(c, func() ([]byte, error) { return readCertificate(c.Text("certificate")) })
	}
	return p
}

// keptPolicy reads the demands that can be made of evidence that is kept. A fresh or wanted
// status is none of them.
func (c *invocation) keptPolicy() verify.Policy {
	return verify.Policy{MinimumApprovals: c.Number("minimum-approvals"), TenantID: c.subjectOf("tenant"),
		LegacyBefore: c.legacyBefore()}
}

// subjectOf reads the id of a tenant or a transaction, "" if it is not given.
func (c *invocation) subjectOf(name string) string {
	id := c.Text(name)
	if c.Given(name) && !form.Subject(id) {
		c.keepError(cliapp.Usagef("--%s: %s cannot be the id of a %s: expected 1 to 100 of A-Z a-z 0-9 . _ : @ -",
			name, safetext.Quote(id), name))
	}
	return id
}

// legacyBefore reads --legacy-before, the zero time if it is not given. It is rounded
// down, as it is included.
func (c *invocation) legacyBefore() time.Time {
	return c.Time("legacy-before").Truncate(time.Millisecond)
}

// timeOf returns a time in whole milliseconds, rounded up, as events have no finer one; the
// zero time if it was not given.
func (c *invocation) timeOf(flag string) time.Time {
	t := c.Time(flag)
	if down := t.Truncate(time.Millisecond); down.Before(t) {
		return down.Add(time.Millisecond)
	}
	return t
}

// nowOf returns the time that a command takes for now, in whole milliseconds.
func (c *invocation) nowOf() time.Time {
	if c.Given("at") {
		return c.timeOf("at")
	}
	return time.Now().UTC().Truncate(time.Millisecond)
}
