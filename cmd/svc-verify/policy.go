package main

import (
	"slices"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
)

// anyStatus is the choice of --status that asks for none.
const anyStatus = "any"

// policyOf reads the demands of the one-proof form beyond the trust file (SPEC 2.4).
func (c *invocation) policyOf() verify.Policy {
	p := c.subjectPolicy()
	// Half of the demand for a fresh status is a mistake: no clock is read, and no age is assumed.
	refuseIf(c.Given("at") != c.Given("max-age"),
		"--at and --max-age: expected both or neither; the age is that at the time of --at, since no clock is read")
	p.MaxAge, p.At = c.Duration("max-age"), c.timeOf("at")
	return p
}

// askedPolicy reads the questions to verify: at the time of --at the certificate must be in
// force, and the age of the status is counted to that time.
func (c *invocation) askedPolicy() verify.Policy {
	p, at := c.subjectPolicy(), c.timeOf("at")
	refuseIf(!at.Equal(c.Time("at")), "--at: expected whole milliseconds, as evidence has them: rounded, a time can be "+
		"on the other side of the end of a validity")
	refuseIf(len(c.List("dns")) > mostNames, "--dns: expected at most %d names, found %d", mostNames, len(c.List("dns")))
	for _, name := range c.List("dns") {
		// DNS does not tell letters by their case (RFC 4343), and a dot at the end adds nothing to a whole name.
		host := strings.ToLower(strings.TrimSuffix(name, "."))
		refuseIf(!bundle.IsDNSName(host), "--dns: %s is no name of a host: expected one such as payments.acme.example, "+
			"without an asterisk, and with xn-- for other letters", safetext.Quote(name))
		p.DNSNames = append(p.DNSNames, host)
	}
	if c.Given("max-age") {
		p.MaxAge, p.At = c.Duration("max-age"), at
	}
	if !c.Switch("any-time") {
		p.InForceAt = at
	}
	c.checkQuestions()
	return p
}

// mostNames is the largest number of requested names, as the schema of the answer has it.
const mostNames = 64

// questions are the questions about a proof that a pipeline must ask or waive by name: the
// flags that ask, and the one that waives.
var questions = []struct {
	what   string
	asks   []string
	waiver string
}{
	{"whose proof it must be", []string{"certificate", "dns", "transaction", "tenant"}, "any-subject"},
	{"which status it must have", []string{"status"}, ""},
	{"when the certificate must be in force", []string{"at"}, "any-time"},
	{"how old the status may be", []string{"max-age"}, "any-age"},
}

// checkQuestions refuses questions that are asked by half, asked and waived, or, with --gate, neither.
func (c *invocation) checkQuestions() {
	for _, q := range questions {
		asked := slices.ContainsFunc(q.asks, c.Given)
		waived := q.waiver != "" && c.Switch(q.waiver)
		flags, waiver := "--"+strings.Join(q.asks, ", --"), "--"+q.waiver
		if q.waiver == "" {
			waiver = flags + " any"
		}
		refuseIf(waived && asked && q.waiver != "any-time", "%s waives what %s asks: give one of them", waiver, flags)
		refuseIf(c.Switch("gate") && !asked && !waived, "--gate needs to know %s: give %s, or waive it with %s", q.what,
			flags, waiver)
	}
	refuseIf(c.Given("max-age") && !c.Given("at"),
		"--max-age needs --at: the age is that at a time; --at now is the clock's")
	refuseIf(c.Switch("any-time") && c.Given("at") && !c.Given("max-age"),
		"--any-time waives what --at asks: give one of them, or --max-age too")
}

// subjectPolicy reads the subject and the status that the proof must have, and the demands that can be made of
// kept evidence.
func (c *invocation) subjectPolicy() verify.Policy {
	p := c.keptPolicy()
	p.TransactionID = c.subjectOf("transaction")
	if status := c.Text("status"); status != anyStatus {
		p.Status = status
	}
	if c.Given("certificate") {
		p.Certificate = c.readCertificate(c.Text("certificate"))
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
	refuseIf(c.Given(name) && !form.Subject(id),
		"--%s: %s cannot be the id of a %s: expected 1 to 100 of A-Z a-z 0-9 . _ : @ -",
		name, safetext.Quote(id), name)
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

// nowOf returns the time that a command uses as now, in whole milliseconds.
func (c *invocation) nowOf() time.Time {
	if c.Given("at") {
		return c.timeOf("at")
	}
	return time.Now().UTC().Truncate(time.Millisecond)
}
