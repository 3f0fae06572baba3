package status_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/status"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

// The fleet's tenant log has 261 events. It has three bundles, each with a witnessed
// checkpoint. The newest checkpoint is of the last event, and has no witness.
const (
	first, second, third = "tx-2026-0001", "tx-2026-0002", "tx-2026-0003"

	issuedFirst, revokedFirst = 54, 161
	checkpointSecond          = 133 // below the revocation
	checkpointFirst           = 161 // in a bundle that states revoked
	checkpointThird           = 208
	checkpointFourth          = 261
	issuedLate                = 227
	late                      = "tx-2026-1027"
	last                      = 261
)

// user asks, and user vouches for the case.
const user = 1

// usual lists the files of a case, unless a test names others.
var usual = []string{fleet.TenantLog, fleet.Bundle(second), fleet.Bundle(third)}

// scene is the evidence of the fleet, for a test to bend.
func scene(t testing.TB) *fleet.Edited {
	return &fleet.Edited{Evidence: cases.Evidence(t, fleet.Scene).Clone()}
}

// answer is the complete result of a search.
type answer struct {
	status.Head
	rows []status.Row
	status.End
}

// row returns the only row of a transaction.
func (a *answer) row(t testing.TB, transactionID string) status.Row {
	t.Helper()
	rows := slices.DeleteFunc(slices.Clone(a.rows), func(r status.Row) bool { return r.TransactionID != transactionID })
	must.That(t, len(rows) == 1, "%d rows of %s in %+v", len(rows), transactionID, a.rows)
	return rows[0]
}

// ingested makes a case of some of the evidence.
func ingested(t testing.TB, e *fleet.Edited, given []string) (path string, root *trust.Root) {
	t.Helper()
	return cases.IngestEdited(t, e, given, cases.As(user))
}

func examined(t testing.TB, path string, root *trust.Root) *verdict.Result {
	t.Helper()
	return must.Get(examine.Examined(t.Context(), path, root,
		examine.Options{Case: []store.Option{cases.As(user)}}))(t)
}

// ask asks a case after an examination.
func ask(t testing.TB, path string, root *trust.Root, r *verdict.Result, q status.Question) *answer {
	t.Helper()
	c := must.Get(store.OpenCase(path, cases.As(user)))(t)
	defer c.Close()
	s := must.Get(status.New(t.Context(), c, root, r, q))(t)
	a := &answer{Head: s.Head}
	a.End = must.Get(s.Rows(t.Context(), func(r status.Row) error {
		a.rows = append(a.rows, r)
		return nil
	}))(t)
	n := int64(len(a.rows))
	check.That(t, n == a.Counts.Total(), "%d rows, and counts %+v", n, a.Counts)
	return a
}

func answered(t testing.TB, e *fleet.Edited, given []string, q status.Question) *answer {
	t.Helper()
	path, root := ingested(t, e, given)
	return ask(t, path, root, examined(t, path, root), q)
}

// without removes events of the tenant log from its file.
func without(e *fleet.Edited, from, to int) {
	e.Edit(fleet.TenantLog, func(lines [][]byte) [][]byte { return slices.Delete(lines, from-1, to) })
}

// author continues the tenant log after so many events.
func author(e *fleet.Edited, after int) *forge.Author {
	events := e.Scene.Tenant[:after]
	key := e.Scene.Keys.Audit[seal.Text(events[after-1], "key_id")]
	return forge.NewAuthor(harness.Tenant, "tenant/"+harness.Tenant, events, key)
}

// write signs the next event and puts it at the end of a file.
func write(e *fleet.Edited, a *forge.Author, file, eventType, transactionID string, data seal.Object) {
	body := a.Body(eventType, data)
	if transactionID != "" {
		body["transaction_id"] = transactionID
	}
	if _, ok := e.Files[file]; !ok {
		e.Put(file, nil)
	}
	e.AddLine(file, seal.Canonical(a.Sign(body)))
}

// manifestOf is the digest of the manifest of a transaction, by the log.
func manifestOf(e *fleet.Edited, transactionID string) string {
	for _, event := range e.Scene.Tenant {
		body := seal.Member(event, "body")
		if seal.Text(body, "type") == "issuance.completed" && seal.Text(body, "transaction_id") == transactionID {
			return seal.Text(seal.Member(body, "data"), "manifest_sha256")
		}
	}
	return ""
}

func issuanceOf(manifest string) seal.Object { return seal.Object{"manifest_sha256": manifest} }

func revocationOf(manifest string) seal.Object {
	return seal.Object{"manifest_sha256": manifest, "revocation_receipt_sha256": seal.SHA256([]byte("receipt"))}
}

// script plays a script of package tamper.
func script(name string) func(testing.TB, *fleet.Edited) {
	return func(t testing.TB, e *fleet.Edited) {
		s, ok := tamper.Lookup(name)
		must.That(t, ok, "%v", name)
		bent, _ := must.Two(s.Apply(e.Evidence))(t)
		e.Evidence = bent
	}
}

// junk is a line that cannot be read.
var junk = []byte(`{"body":`)

// add ingests more of the evidence into a case.
func add(t testing.TB, path string, e *fleet.Edited, given ...string) {
	t.Helper()
	must.Do(t, e.Err)
	dir := filepath.Join(t.TempDir(), "more")
	must.Do(t, e.Write(dir, given...))
	cases.Ingest(t, filepath.Dir(path), []string{dir}, cases.As(user))
}

// lastOf returns the last examination as the case has it.
func lastOf(t testing.TB, path string, root *trust.Root) *verdict.Result {
	t.Helper()
	c := must.Get(store.OpenCase(path, cases.As(user)))(t)
	defer c.Close()
	r, err := verdict.Last(t.Context(), c, chain.Hash(root.SHA256()))
	must.That(t, err == nil && r != nil, "%v %v", r, err)
	return r
}

// TestMain draws less with -short: most draws are a case on the disk.
func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		chance.Checks(6)
	}
	os.Exit(m.Run())
}
