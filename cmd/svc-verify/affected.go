package main

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/affected"
	"github.com/svc-edge/svc-verify/forensics/incident"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// reachOf reads the question of affected: the name of an incident, or a log with the
// sequences of events after its last colon.
func (c *invocation) reachOf() (q affected.Question) {
	text := c.Args[1]
	at := strings.LastIndexByte(text, ':')
	refuseIf(at < 0 && c.Given("tenant"), "--tenant goes with a range of events, and not with the name of an incident")
	refuseIf(at < 0 && text == "", "expected the name of an incident or a range, found nothing")
	if at < 0 {
		q.Incident = text
		return q
	}
	first, last, ok := parseSpan(text[at+1:])
	refuseIf(!ok || at == 0, "expected the name of an incident, or a range such as "+
		"node/mesh-oslo-1:141..283, found %s", safetext.Quote(text))
	if last == math.MaxInt64 {
		last = 0
	}
	q.Events = incident.Range{TenantID: c.Text("tenant"), LogID: text[:at], First: first, Last: last}
	return q
}

func showAffected(c *invocation) *reply {
	q, f, root := c.reachOf(), c.filterOf(), c.trustFile()
	in, examined := c.examinedCase(root)
	if c.countGiven(filters...) > 0 {
		f = c.ofCertificate(f, in)
		q.Filter = &f
	}
	a, err := affected.Find(c.ctx, in, root, examined, q)
	if several := (*affected.SeveralTenantsError)(nil); errors.As(err, &several) {
		return stopWith(cliapp.Usagef("%s: give --tenant too", several))
	}
	stopOn(c.caseFault(err))
	r := &reply{code: anyOf(a.Complete()), json: a}
	if c.Text("output") == "csv" {
		r.says = affectedSayings(a)
		out := c.bufferedOut()
		r.json = nil
		stopOn(errors.Join(report.AffectedCSV(out, a), out.Flush()))
		return r
	}
	next := []string{"svc-verify", "affected", c.caseFile(), c.Args[1], "--trust", c.trustPath(), "--output", "csv"}
	for _, flag := range append([]string{"tenant"}, filters...) {
		switch {
		case !c.Given(flag):
		case slices.Contains(times, flag):
			next = append(next, "--"+flag, form.FormatTime(c.timeOf(flag)))
		default:
			next = append(next, "--"+flag, c.Text(flag))
		}
	}
	r.doc = func() *answer.Doc { return report.Affected(a, c.Switch("full"), next) }
	return r
}

// affectedSayings returns the sentences that go with a list of certificates: parts that were not
// examined, and the proofs to export.
func affectedSayings(a *affected.Answer) []string {
	all := unknownKeys(a.UnknownKeys)
	for _, l := range a.LeftOut {
		all = append(all, "not examined: "+safetext.Line(l.Text))
	}
	for _, sentence := range a.NotRead {
		all = append(all, "not examined: "+sentence)
	}
	if n := len(a.Export); n > 0 {
		all = append(all, safetext.Count(n, "transaction")+" not known in full: --output json lists the proofs to export")
	}
	return all
}
