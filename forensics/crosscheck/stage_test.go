package crosscheck

import (
	"cmp"
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/harness/node"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

const (
	transaction = "tx-2026-0001"
	berlinLog   = "node/mesh-berlin-1"
	lisbonLog   = "node/mesh-lisbon-1"
	osloLog     = "node/mesh-oslo-1"
	theLog      = "tenant/" + harness.Tenant
)

// stage is a world in which a test plays a scenario.
type stage struct {
	*testing.T
	*harness.World
	berlin, lisbon, oslo *node.Node
	tenant               []seal.Object
	policy               int64
	files                map[string][]byte // the exported files, by name

	last     *cloud.Transaction // that was requested
	approval seal.Object        // that was signed last
}

func newStage(t *testing.T) *stage {
	s := &stage{T: t, policy: 7, files: map[string][]byte{}}
	w := must.Get(harness.NewWorld(1, harness.ThreeNodes(), func(e seal.Object) { s.tenant = append(s.tenant, e) }))(t)
	s.World, s.berlin, s.lisbon, s.oslo = w, w.Nodes[0], w.Nodes[1], w.Nodes[2]
	return s
}

func (s *stage) must(err error) {
	s.Helper()
	must.Do(s, err)
}

// request opens a transaction.
func (s *stage) request(id, profile string) *cloud.Transaction {
	s.Helper()
	t, err := s.Request(harness.Order{TransactionID: id, Profile: profile, Algorithm: "ecdsa-p256",
		Lifetime: 24 * time.Hour, Names: []string{"dns:payments.acme.example"}, Usages: []string{"serverAuth"}})
	s.must(err)
	return t
}

// complete lets Berlin decide and the signer issue.
func (s *stage) complete(t *cloud.Transaction) {
	s.Helper()
	s.must(s.Decide(t, s.berlin))
	s.must(s.Complete(t))
}

// issue plays a whole issuance that Berlin and Oslo approve.
func (s *stage) issue(id string) *cloud.Transaction {
	s.Helper()
	t := s.request(id, "payments-api")
	s.must(s.Approve(t, s.berlin, s.oslo))
	s.complete(t)
	return t
}

// export makes the bundle, which Berlin and Oslo witness.
func (s *stage) export(t *cloud.Transaction) {
	s.Helper()
	s.must(s.Witness(s.berlin, s.oslo))
	s.bundle(t)
}

// bundle keeps the bundle of the newest checkpoint.
func (s *stage) bundle(t *cloud.Transaction) {
	s.Helper()
	b, err := s.Cloud.Export(t)
	s.must(err)
	s.files["bundle.json"] = seal.Canonical(b)
}

// later lets half an hour go by, after which every node writes into its journal
// and reports its head.
func (s *stage) later() {
	s.Helper()
	s.Clock.Pass(30 * time.Minute)
	s.policy++
	s.must(s.PublishPolicy(s.policy, s.Nodes...))
	s.must(s.Report(s.Nodes...))
	s.ChangeIntegration()
}

// forge signs an approval with Lisbon's key, without Lisbon's knowledge.
func (s *stage) forge(t *cloud.Transaction) seal.Object {
	now := s.Clock.Next()
	return seal.Seal(seal.Object{
		"protocol": "svc.approval.v1", "tenant_id": harness.Tenant, "transaction_id": t.Case.TransactionID,
		"node_id": s.lisbon.ID(), "decision": "allow", "terms": t.Case.Terms, "capability_evidence": []any{},
		"decided_at": seal.Time(now), "expires_at": seal.Time(now.Add(10 * time.Minute)),
	}, s.lisbon.Key())
}

// forgeReceipt signs a witness receipt with the key of Lisbon.
func (s *stage) forgeReceipt() seal.Object {
	statement := seal.Member(s.Cloud.Checkpoint(), "statement")
	return seal.Seal(seal.Object{
		"protocol": "svc.witness-receipt.v1", "tenant_id": harness.Tenant, "log_id": theLog, "node_id": s.lisbon.ID(),
		"checkpoint_sha256": seal.Digest(statement), "sequence": statement["sequence"], "head_hash": statement["head_hash"],
		"witnessed_at": seal.Time(s.Clock.Next()),
	}, s.lisbon.Key())
}

// forgeCapability signs capability evidence with the key of Lisbon.
func (s *stage) forgeCapability() seal.Object {
	now := s.Clock.Next()
	return seal.Seal(seal.Object{
		"protocol": "svc.capability-evidence.v1", "tenant_id": harness.Tenant, "node_id": s.lisbon.ID(),
		"workload_profile": "edge-gateway", "capability": "attested-boot",
		"observed_at": seal.Time(now), "expires_at": seal.Time(now.Add(10 * time.Minute)),
	}, s.lisbon.Key())
}

// unlogged puts an approval into a transaction without a word in the log.
func (s *stage) unlogged(t *cloud.Transaction, approval seal.Object) {
	t.Case.Approvals = append(t.Case.Approvals, approval)
	slices.SortFunc(t.Case.Approvals, func(a, b seal.Object) int {
		return cmp.Compare(seal.Text(seal.Member(a, "statement"), "node_id"),
			seal.Text(seal.Member(b, "statement"), "node_id"))
	})
}

// collect adds files of the logs to the exported files.
func (s *stage) collect() map[string][]byte {
	s.files["tenant.ndjson"] = journal(s.tenant)
	for _, n := range s.Nodes {
		s.files["journals/"+n.ID()+".ndjson"] = journal(n.Journal())
	}
	return s.files
}

func (s *stage) root() *trust.Root {
	s.Helper()
	root, err := trust.Parse(seal.Canonical(s.Trust()))
	s.must(err)
	return root
}

func journal(events []seal.Object) []byte {
	var b []byte
	for _, e := range events {
		b = append(append(b, seal.Canonical(e)...), '\n')
	}
	return b
}

// resigned is a log in which one event is changed and the holder of the key signs all events
// again.
func resigned(logID string, events []seal.Object, key seal.Key, change func(body seal.Object)) []seal.Object {
	log := seal.NewLog(harness.Tenant, logID)
	var all []seal.Object
	for _, e := range events {
		body := seal.CloneObject(seal.Member(e, "body"))
		change(body)
		all = append(all, log.AppendBody(body, key))
	}
	return all
}

// without returns the events that are not of a type.
func without(events []seal.Object, eventType string) []seal.Object {
	return slices.DeleteFunc(slices.Clone(events), func(e seal.Object) bool {
		return seal.Text(seal.Member(e, "body"),
			"type") == eventType
	})
}

// fill ingests files into a case and opens it.
func fill(t testing.TB, files map[string][]byte) *store.Case {
	t.Helper()
	dir := t.TempDir()
	var names []string
	for name, content := range files {
		p := filepath.Join(dir, "evidence", filepath.FromSlash(name))
		must.Do(t, os.MkdirAll(filepath.Dir(p), 0o755))
		must.Do(t, os.WriteFile(p, content, 0o644))
		names = append(names, p)
	}
	slices.Sort(names)
	path := filepath.Join(dir, "case.db")
	w := must.Get(store.OpenWrite(path))(t)
	must.Get(ingest.Paths(t.Context(), w, names, ingest.Options{}, nil))(t)
	must.Do(t, w.Close())
	c := must.Get(store.OpenCase(path))(t)
	t.Cleanup(func() { must.Do(t, c.Close()) })
	return c
}

// placeless is evidence whose copies came from nowhere, for copies that no evidence has.
type placeless struct{ evidence.Reader }

func (placeless) Deliveries(context.Context, facts.Ref) ([]facts.Delivery, error) { return nil, nil }

// TestMain draws less with -short: most draws are a case on the disk.
func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		chance.Checks(8)
	}
	os.Exit(m.Run())
}
