package affected_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/affected"
	"github.com/svc-edge/svc-verify/forensics/incident"
	"github.com/svc-edge/svc-verify/forensics/status"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/pairs"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// whole is a complete collection.
var whole = []string{fleet.TenantLog, "journals", "bundles", fleet.Checkpoints}

// TestIncidents: the range of an incident starts after the last event that others witnessed before
// it, and ends with its events, or with the log for a fork and a misused key.
func TestIncidents(t *testing.T) {
	for _, tt := range []struct {
		tamper string
		kind   incident.Kind
		ranges []affected.Range
	}{
		{"rewrite-tail", incident.Fork, []affected.Range{{Range: rangeOf(berlin, 15, 30), ToEnd: true}}},
		{"delete-at-source", incident.Gone, []affected.Range{{Range: rangeOf(berlin, 15, 17)}}},
		{"alter-body", incident.Altered, []affected.Range{{Range: rangeOf(berlin, 15, 15)}}},
		{"issued-twice", incident.Altered, []affected.Range{{Range: rangeOf(tenantLog, 262, 262), ToEnd: true}}},
		{"withheld-revocation", incident.Misuse, []affected.Range{{Range: rangeOf(tenantLog, 134, 261), ToEnd: true}}},
		{"approval-of-two-transactions", incident.Dispute,
			[]affected.Range{{Range: rangeOf(berlin, 30, 31)}, {Range: rangeOf(tenantLog, 262, 262)}}},
	} {
		e, given := tampered(t, tt.tamper)
		c := examined(t, e, given...)
		a := c.gravest(t)
		if one := c.Incidents[0]; one.Kind != tt.kind || a.Incident != one.Name || a.Summary != one.Summary {
			t.Errorf("%s: %s, %+v", tt.tamper, one.Name, a)
		}
		check.That(t, slices.Equal(a.Ranges, tt.ranges),
			"%s: ranges %v, want %v", tt.tamper, a.Ranges, tt.ranges)
		if a.After != nil && a.After.Sequence+1 != a.Ranges[0].First {
			t.Errorf("%s: starts at %d after %d", tt.tamper, a.Ranges[0].First, a.After.Sequence)
		}
	}
}

func rangeOf(log string, from, to uint64) incident.Range {
	return incident.Range{TenantID: harness.Tenant, LogID: log, First: from, Last: to}
}

// made is a case whose only incident has these findings, the gravest first.
func made(c *examinedCase, kind incident.Kind, after uint64, all ...finding.Finding) *examinedCase {
	r := *c.Result
	r.Findings, r.Incidents = nil, []incident.Incident{{Name: "made-1", Kind: kind}}
	one := &r.Incidents[0]
	for i, f := range all {
		f.TenantID = harness.Tenant
		r.Findings, one.Findings = append(r.Findings, f), append(one.Findings, i)
		if f.Sequence > 0 && len(one.Ranges) < incident.MostRanges {
			one.Ranges = append(one.Ranges, rangeOf(f.LogID, f.Sequence, f.LastSequence))
		}
	}
	if after > 0 {
		one.When.After = &incident.Bound{Sequence: after}
	}
	return &examinedCase{c.path, c.root, &r}
}

func gap(log string, from, to uint64) finding.Finding {
	return finding.Finding{Code: finding.Gap, LogID: log, Sequence: from, LastSequence: to}
}

// TestFurtherRanges: ranges stay apart, however many there are, and all but the first start where
// the log stops being complete by others' word. Findings without an effect have no range.
func TestFurtherRanges(t *testing.T) {
	whole := examined(t, scene(t), whole...)
	const oslo = "node/mesh-oslo-1"
	complete := func(log string) uint64 {
		at := slices.IndexFunc(whole.Logs, func(l walk.LogResult) bool { return l.LogID == log })
		return whole.Logs[at].CompleteByOthers.Sequence
	}
	m, n := complete(berlin), complete(oslo)
	must.That(t, m >= 20 && m < 40 && n >= 10 && n < 30, "complete up to %d and %d", m, n)
	quiet := gap(berlin, 26, 26)
	quiet.Code = finding.Quiet
	a := made(whole, incident.Gap, 4, gap(berlin, 7, 8), gap(berlin, 12, 12), gap(oslo, 3, 3), quiet,
		gap(berlin, 40, 41), gap(oslo, 30, 30)).gravest(t)
	want := []affected.Range{{Range: rangeOf(berlin, 5, 8)}, {Range: rangeOf(berlin, 12, 12)},
		{Range: rangeOf(berlin, complete(berlin)+1, 41)}, {Range: rangeOf(oslo, 3, 3)},
		{Range: rangeOf(oslo, complete(oslo)+1, 30)}}
	check.That(t, slices.Equal(a.Ranges, want), "%v, want %v", a.Ranges, want)
	if a = made(whole, incident.Gap, 0, gap(berlin, 7, 8)).gravest(t); a.Ranges[0].First != 1 {
		t.Errorf("%v, without a witness", a.Ranges)
	}
	var many []finding.Finding
	for n := range uint64(2 * incident.MostRanges) {
		many = append(many, gap(fmt.Sprintf("node/n-%d", n), 5, 5))
	}
	if a = made(whole, incident.Gap, 0, many...).gravest(t); len(a.Ranges) != len(many) {
		t.Errorf("%d ranges of %d", len(a.Ranges), len(many))
	}
}

// TestBesideJournal: if a key signed statements missing from the journal, the proofs that rest on
// these are reached, and no other.
func TestBesideJournal(t *testing.T) {
	e, given := tampered(t, "forged-issuance")
	c := examined(t, e, given...)
	i := slices.IndexFunc(c.Incidents, func(one incident.Incident) bool { return len(one.Ranges) == 0 })
	a := must.Get(c.ask(t, affected.Question{Incident: c.Incidents[i].Name}))(t)
	if !slices.Equal(idsOf(a), []string{second}) || len(a.Ranges) != 1 || a.Ranges[0].First != 0 || len(a.NotRead) > 0 {
		t.Errorf("%v by %v: %v", idsOf(a), a.Ranges, a.NotRead)
	}
	// Without the journal, all that the node signed is.
	given = slices.DeleteFunc(e.Names(fleet.TenantLog, "journals", "bundles"), func(name string) bool {
		return name == fleet.Journal("mesh-berlin-1")
	})
	clean := made(examined(t, scene(t), given...), incident.Misuse, 0,
		finding.Finding{Code: finding.NotInJournal, LogID: berlin})
	if a = clean.gravest(t); len(idsOf(a)) < 3 || len(a.NotRead) != 1 || !strings.Contains(a.NotRead[0], berlin) {
		t.Errorf("%v: %v", idsOf(a), a.NotRead)
	}
}

// TestDamagedProof: a proof that does not verify reaches the transaction that it names, and shows
// nothing of it. Other proofs are not reached.
func TestDamagedProof(t *testing.T) {
	e, given := tampered(t, "alter-bundle")
	c := examined(t, e, given...)
	a := c.gravest(t)
	must.That(t, slices.Equal(idsOf(a), []string{first}), "%v", idsOf(a))
	if one := a.Certificates[0]; one.Serial != "" || one.WithoutQuorum != affected.Unknown || len(one.Names) > 0 ||
		!slices.Equal(a.Export, []affected.Subject{one.Subject}) || a.Complete() {
		t.Errorf("%+v, export %v", one, a.Export)
	}
	// Nor does it show anything to another question.
	for _, one := range c.events(t, berlin, 1, 0).Certificates {
		check.That(t, one.TransactionID != first || one.Serial == "", "%+v", one)
	}
	// Nor does a genuine proof of the same file count as damaged.
	both := scene(t)
	good := append(seal.Canonical(both.Scene.Bundle(second)), '\n')
	both.Put("both.jsonl", append(good, bytes.Replace(seal.Canonical(both.Scene.Bundle(first)), []byte(`"allow"`),
		[]byte(`"deny"`), 1)...))
	got := idsOf(examined(t, both, fleet.TenantLog, "journals", "both.jsonl").gravest(t))
	check.That(t, slices.Equal(got,
		[]string{first}), "%v", got)
	// Nor does it reach anything by the statements in it.
	claims := scene(t)
	claims.Put(fleet.Bundle(second), bytes.ReplaceAll(must.Get(claims.Content(fleet.Bundle(second)))(t), []byte(second),
		[]byte("tx-claimed")))
	got = idsOf(examined(t, claims, whole...).events(t, berlin, 1, 0))
	check.That(t, !slices.Contains(got, "tx-claimed"), "%v", got)
	cut := scene(t)
	cut.Put(fleet.Bundle(first), bytes.Replace(must.Get(cut.Content(fleet.Bundle(first)))(t), []byte(`"serial"`),
		[]byte(`"other"`), 1))
	if a = examined(t, cut, whole...).gravest(t); len(a.NotRead) == 0 || len(a.Certificates) > 0 || a.Complete() {
		t.Errorf("%v %v", a.NotRead, idsOf(a))
	}
}

// TestProofsAlone: without the tenant log, a proof is reached by its checkpoint and by the events that
// it discloses.
func TestProofsAlone(t *testing.T) {
	c := examined(t, scene(t), "bundles")
	for sequence, want := range map[uint64][]string{54: {first}, 55: nil, 132: nil, 133: {second}, 134: nil, 161: {first},
		208: {third}} {
		if a := c.events(t, tenantLog, sequence, sequence); !slices.Equal(idsOf(a), want) || len(a.NotRead) != 1 {
			t.Errorf("event %d: %v, want %v; not read %v", sequence, idsOf(a), want, a.NotRead)
		}
	}
}

// TestProofsOfOne: of several proofs of one certificate a revoked one counts, and else the
// newest, whatever their order.
func TestProofsOfOne(t *testing.T) {
	e := scene(t)
	newer := seal.CloneObject(e.Scene.Bundle(third))
	path := seal.List(seal.Member(newer, "audit_path"), "links")
	disclosed := seal.Member(path[len(path)-1].(seal.Object), "event")
	checkpoint := seal.Member(seal.Member(newer, "checkpoint"), "statement")
	made := must.Get(seal.ParseTime(seal.Text(checkpoint, "created_at")))(t)
	later := seal.Time(made.Add(100 * time.Millisecond))
	checkpoint["created_at"] = later
	newer = pairs.Honest(e.Scene).Export(newer, 220, uint64(seal.Integer(seal.Member(disclosed, "body"), "sequence")))
	for spaces := range 4 { // which change the digests, by which proofs are ordered
		e.Put("bundles/issued.json", append(seal.Canonical(e.Scene.Exports[0].Bundle), strings.Repeat(" ", spaces)...))
		e.Put("bundles/newer.json", append(seal.Canonical(newer), strings.Repeat(" ", spaces)...))
		c := examined(t, e, "bundles")
		a := c.events(t, tenantLog, 1, 0)
		one := certificateOf(t, a, first)
		check.That(t, one.Status == status.Revoked, "%d spaces: %+v", spaces, one)
		if one := certificateOf(t, a, third); one.AsOf != later || one.Status != status.Issued {
			t.Errorf("%d spaces: %+v, want as of %s", spaces, one, later)
		}
		if got := idsOf(c.events(t, tenantLog, 220, 220)); !slices.Equal(got, []string{third}) { // its checkpoint
			t.Errorf("%d spaces: %v", spaces, got)
		}
	}
}

// TestComplete: a list is complete if nothing is unknown or was not examined.
func TestComplete(t *testing.T) {
	for i, a := range []affected.Answer{{}, {LeftOut: []verdict.LeftOut{{}}}, {NotRead: []string{"x"}},
		{UnknownKeys: &verify.UnknownKeys{}}, {Counts: affected.Counts{Unknown: 1}},
		{Counts: affected.Counts{Transactions: 2, WithoutQuorum: 1}}} {
		complete := a.Complete()
		check.That(t, complete == (i == 0 || i == 5), "%+v: %t", a, complete)
	}
}

// TestUnknownKeys: evidence under unknown keys was not examined, so the list is not complete.
func TestUnknownKeys(t *testing.T) {
	e, given := tampered(t, "bundle-unknown-key")
	a := examined(t, e, given...).events(t, berlin, 1, 1)
	check.That(t, a.UnknownKeys != nil && !a.Complete(), "%+v", a)
	a = examined(t, scene(t), whole...).events(t, berlin, 1, 1)
	check.That(t, a.UnknownKeys == nil && a.Complete(), "%+v", a)
}

// TestTwoCertificates: a transaction with two issuances has two certificates.
func TestTwoCertificates(t *testing.T) {
	e, given := tampered(t, "issued-twice")
	a := examined(t, e, given...).gravest(t)
	var serials []string
	for _, c := range a.Certificates {
		serials = append(serials, c.Serial)
	}
	if len(a.Certificates) != 2 || a.Certificates[0].Subject != a.Certificates[1].Subject ||
		a.Counts.Transactions != 1 || len(a.Export) != 1 {
		t.Errorf("%v with serials %q, counts %+v", idsOf(a), serials, a.Counts)
	}
}

// TestNames: a question that names nothing in the case is an error, which lists the known names.
func TestNames(t *testing.T) {
	c := examined(t, scene(t), fleet.TenantLog, "bundles")
	var unnamed *affected.NoIncidentError
	m := made(c, incident.Gap, 0, gap(berlin, 1, 1))
	_, err := m.ask(t, affected.Question{Incident: "\x1b[31m"})
	check.That(t, errors.As(err, &unnamed) &&
		err.Error() == `no incident has the name "\x1b[31m": there are made-1`, "%v", err)
	var unknown *affected.NoLogError
	for log, known := range map[string]bool{"node/mesh-olso-1": false, "tenant/other": false, "x": false, berlin: true,
		tenantLog: true} {
		_, err := c.ask(t, affected.Question{Events: incident.Range{LogID: log, First: 1}})
		check.That(t, errors.As(err, &unknown) != known && (!known || err == nil), "%s: %v", log, err)
	}
	a := c.events(t, tenantLog, 3, math.MaxInt64)
	check.That(t, len(a.NotRead) == 1, "%v", a.NotRead)
}
