package affected_test

import (
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/affected"
	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/incident"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

// The fleet has three proofs. The first is of a revoked certificate.
const (
	first, second, third = "tx-2026-0001", "tx-2026-0002", "tx-2026-0003"

	tenantLog = "tenant/" + harness.Tenant
	berlin    = "node/mesh-berlin-1"
	user      = 1 // who asks, and who vouches for the case
)

// scene is the evidence of the fleet, for a test to bend.
func scene(t testing.TB) *fleet.Edited {
	return &fleet.Edited{Evidence: cases.Evidence(t, fleet.Scene).Clone()}
}

// tampered is the evidence after a script of package tamper, and the names of its files.
func tampered(t testing.TB, name string) (*fleet.Edited, []string) {
	t.Helper()
	e := scene(t)
	s, ok := tamper.Lookup(name)
	must.That(t, ok, "%v", name)
	after, damage := must.Two(s.Apply(e.Evidence))(t)
	return &fleet.Edited{Evidence: after}, tamper.Given(e.Evidence, after, damage)
}

// examinedCase is a case with its examination.
type examinedCase struct {
	path string
	root *trust.Root
	*verdict.Result
}

// examined ingests files of the evidence and examines the case.
func examined(t testing.TB, e *fleet.Edited, given ...string) *examinedCase {
	t.Helper()
	as := cases.As(user)
	c := &examinedCase{}
	c.path, c.root = cases.IngestEdited(t, e, given, as)
	c.Result = must.Get(examine.Examined(t.Context(), c.path, c.root, examine.Options{Case: []store.Option{as}}))(t)
	return c
}

// ask asks a question on the case.
func (c *examinedCase) ask(t testing.TB, q affected.Question) (*affected.Answer, error) {
	t.Helper()
	in := must.Get(store.OpenCase(c.path, cases.As(user)))(t)
	defer in.Close()
	return affected.Find(t.Context(), in, c.root, c.Result, q)
}

// events asks for a range of events, to the end of the log for 0.
func (c *examinedCase) events(t testing.TB, log string, from, to uint64) *affected.Answer {
	t.Helper()
	return must.Get(c.ask(t, affected.Question{Events: incident.Range{LogID: log, First: from, Last: to}}))(t)
}

// gravest asks for the gravest incident.
func (c *examinedCase) gravest(t testing.TB) *affected.Answer {
	t.Helper()
	must.That(t, len(c.Incidents) != 0, "no incident: %s", c.Verdict)
	return must.Get(c.ask(t, affected.Question{Incident: c.Incidents[0].Name}))(t)
}

// idsOf returns the transactions of an answer, in its order.
func idsOf(a *affected.Answer) (ids []string) {
	for _, c := range a.Certificates {
		ids = append(ids, c.TransactionID)
	}
	return ids
}

// certificateOf returns the only certificate of a transaction.
func certificateOf(t testing.TB, a *affected.Answer, id string) affected.Certificate {
	t.Helper()
	i := slices.Index(idsOf(a), id)
	if i < 0 || slices.Contains(idsOf(a)[i+1:], id) {
		t.Fatalf("%s is not there once in %v", id, idsOf(a))
	}
	return a.Certificates[i]
}
