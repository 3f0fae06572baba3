package affected_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/affected"
	"github.com/svc-edge/svc-verify/forensics/incident"
	"github.com/svc-edge/svc-verify/forensics/status"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// author continues a journal of a node or the tenant log.
func author(e *fleet.Edited, log string) *forge.Author {
	node, ofNode := strings.CutPrefix(log, "node/")
	events := e.Scene.Tenant
	if ofNode {
		events = e.Scene.Journals[node]
	}
	keyID := seal.Text(events[len(events)-1], "key_id")
	key := e.Scene.Keys.Audit[keyID]
	if ofNode {
		key = e.Scene.Keys.Node[keyID]
	}
	return forge.NewAuthor(harness.Tenant, log, events, key)
}

// write signs the next event of a log.
func write(e *fleet.Edited, a *forge.Author, eventType, id string, data seal.Object) {
	body := a.Body(eventType, data)
	if id != "" {
		body["transaction_id"] = id
	}
	name := fleet.TenantLog
	if node, ofNode := strings.CutPrefix(a.LogID, "node/"); ofNode {
		name = fleet.Journal(node)
	}
	e.AddLine(name, seal.Canonical(a.Sign(body)))
}

// approve writes that a node approved a transaction, into the tenant log and, unless its key was
// stolen, into the journal.
func approve(e *fleet.Edited, tenant, journal *forge.Author, node, id string) {
	digest := seal.SHA256([]byte(node + id))
	if journal != nil {
		write(e, journal, "approval.signed", id, seal.Object{"approval_sha256": digest, "decision": "allow"})
	}
	write(e, tenant, "approval.recorded", id, seal.Object{"approval_sha256": digest, "node_id": node})
}

// TestApprovals: an approval reaches its transaction if the journal does not have it, or has it in
// the range; not if the journal has it outside.
func TestApprovals(t *testing.T) {
	e := scene(t)
	tenant, journal := author(e, tenantLog), author(e, berlin)
	last := uint64(len(e.Scene.Journals["mesh-berlin-1"]))
	approve(e, tenant, journal, "mesh-berlin-1", "tx-last-outside")
	approve(e, tenant, journal, "mesh-berlin-1", "tx-inside")
	approve(e, tenant, journal, "mesh-berlin-1", "tx-first-outside")
	approve(e, tenant, nil, "mesh-berlin-1", "tx-stolen")
	approve(e, tenant, nil, "mesh-oslo-1", "tx-of-another-node")
	write(e, tenant, "approval.recorded", "", seal.Object{"approval_sha256": seal.SHA256(nil),
		"node_id": "mesh-berlin-1"})
	a := examined(t, e, fleet.TenantLog, fleet.Journal("mesh-berlin-1")).events(t, berlin, last+2, last+2)
	got := slices.Sorted(slices.Values(idsOf(a)))
	check.That(t, slices.Equal(got, []string{"tx-inside", "tx-stolen"}), "%v", got)
	check.That(t, len(a.NotRead) == 1 && strings.HasPrefix(a.NotRead[0], "1 approval whose transaction"),
		"%v, want the approval that names no transaction", a.NotRead)
}

// witness writes into journals that the nodes witnessed the head of the tenant log.
func witness(e *fleet.Edited, tenant *forge.Author, journals ...*forge.Author) {
	for _, journal := range journals {
		write(e, journal, "checkpoint.witnessed", "", seal.Object{"checkpoint_sha256": seal.SHA256([]byte("new")),
			"sequence": int64(tenant.Log.Sequence()), "head_hash": tenant.Log.Head().String()})
	}
}

// TestQuorumWithoutProof: a complete log shows that there is no quorum if it has no approval by another
// node. One is enough to leave that open, and so is a log that may not be complete.
func TestQuorumWithoutProof(t *testing.T) {
	for _, witnessed := range []bool{true, false} {
		e := scene(t)
		tenant, journal := author(e, tenantLog), author(e, berlin)
		for _, id := range []string{"tx-alone", "tx-of-two"} {
			approve(e, tenant, journal, "mesh-berlin-1", id)
			if id == "tx-of-two" {
				approve(e, tenant, nil, "mesh-oslo-1", id)
			}
			write(e, tenant, "issuance.completed", id, seal.Object{"manifest_sha256": seal.SHA256([]byte(id))})
		}
		given := []string{fleet.TenantLog, "journals", fleet.Checkpoints}
		if witnessed {
			witness(e, tenant, author(e, "node/mesh-lisbon-1"), author(e, "node/mesh-paris-1"),
				author(e, "node/mesh-vienna-1"))
		}
		a := examined(t, e, given...).events(t, berlin, 1, 0)
		alone, two := certificateOf(t, a, "tx-alone"), certificateOf(t, a, "tx-of-two")
		check.That(t, (alone.WithoutQuorum == affected.Lacks) == witnessed && (alone.Status == status.Issued) == witnessed,
			"witnessed %t: %+v", witnessed, alone)
		check.That(t, two.WithoutQuorum == affected.Unknown && two.OtherApprovals == 1,
			"witnessed %t: %+v", witnessed, two)
	}
}

// TestDoubtfulTenantLog: a status in a doubtful tenant log does not count.
func TestDoubtfulTenantLog(t *testing.T) {
	c := examined(t, scene(t), fleet.TenantLog, "journals", fleet.Checkpoints, fleet.Bundle(first))
	for log, definite := range map[string]bool{"node/mesh-oslo-1": true, tenantLog: false} {
		a := c.events(t, log, 1, 0)
		one := certificateOf(t, a, second)
		check.That(t, (one.Status == status.Issued) == definite, "%s: %+v", log, one)
		if one := certificateOf(t, a, first); one.Status != status.Revoked { // by its proof
			t.Errorf("%s: %+v", log, one)
		}
	}
}

// TestOrder: first those without a quorum, then the unknown ones, and last those without a
// certificate.
func TestOrder(t *testing.T) {
	a := examined(t, scene(t), fleet.TenantLog, "journals", fleet.Bundle(second), fleet.Bundle(third),
		fleet.Checkpoints).events(t, "node/mesh-oslo-1", 1, 0)
	ranks := func(c affected.Certificate) int {
		switch {
		case c.WithoutQuorum == affected.Lacks:
			return 0
		case c.Serial == "" && c.Status != status.NotIssued:
			return 1
		case c.Status != status.NotIssued:
			return 2
		}
		return 3
	}
	seen := map[int]bool{}
	for i, c := range a.Certificates {
		seen[ranks(c)] = true
		if i > 0 && ranks(c) < ranks(a.Certificates[i-1]) {
			t.Errorf("%s comes after %s", c.TransactionID, a.Certificates[i-1].TransactionID)
		}
	}
	check.That(t, len(seen) == 4, "ranks %v", seen)
	check.That(t, a.Counts.Unknown != 0 && a.Counts.Unknown == len(a.Export) && !a.Complete(),
		"%+v, %d proofs to export", a.Counts, len(a.Export))
}

// TestNotRead: events that are missing, or not as they were signed, are reported. Events beyond the
// last known one are no part of an incident.
func TestNotRead(t *testing.T) {
	junk := func(line []byte) []byte { return []byte(`{"body":`) }
	for name, tt := range map[string]struct {
		given []string
		bend  func(*fleet.Edited)
		want  []string
	}{
		"nothing":    {whole, func(*fleet.Edited) {}, nil},
		"no journal": {[]string{fleet.TenantLog}, func(*fleet.Edited) {}, []string{"any event of " + berlin}},
		"no tenant log": {[]string{"journals"}, func(*fleet.Edited) {},
			[]string{"any event of " + tenantLog + ", which records approvals"}},
		"an event is missing": {whole, func(e *fleet.Edited) { e.OnLine(fleet.Journal("mesh-berlin-1"), 4, junk) },
			[]string{"1 of 9 events of " + berlin}},
		"an event outside is missing": {whole, func(e *fleet.Edited) { e.OnLine(fleet.Journal("mesh-berlin-1"), 11, junk) },
			nil},
		"an event is altered": {whole,
			func(e *fleet.Edited) { e.OnLine(fleet.Journal("mesh-berlin-1"), 4, forge.OnLine(forge.AlterSalt)) },
			[]string{"1 of 9 events of " + berlin}},
		"an event of the tenant log is missing": {whole, func(e *fleet.Edited) { e.OnLine(fleet.TenantLog, 40, junk) },
			[]string{"1 event of " + tenantLog}},
	} {
		e := scene(t)
		tt.bend(e)
		c := examined(t, e, tt.given...)
		a := c.events(t, berlin, 2, 10)
		check.That(t, slices.EqualFunc(a.NotRead, tt.want, strings.HasPrefix),
			"%s: %q, want %q", name, a.NotRead, tt.want)
		if left := len(c.LeftOut) > 0; left != (len(a.LeftOut) > 0) || (left || len(tt.want) > 0) && a.Complete() {
			t.Errorf("%s: left out %v, complete: %t", name, a.LeftOut, a.Complete())
		}
	}
	e := scene(t) // the journal ends early, which reports of its node show
	e.Edit(fleet.Journal("mesh-berlin-1"), func(lines [][]byte) [][]byte { return lines[:20] })
	a := examined(t, e, whole...).events(t, berlin, 2, 0)
	check.That(t, a.Ranges[0].Last == 29 && len(a.NotRead) == 1 &&
		strings.HasPrefix(a.NotRead[0], "9 of 28 events"), "%v, %q", a.Ranges, a.NotRead)
	e = scene(t) // the tenant log too, which checkpoints show
	e.Edit(fleet.TenantLog, func(lines [][]byte) [][]byte { return lines[:250] })
	a = examined(t, e, whole...).events(t, berlin, 2, 10)
	check.That(t, slices.EqualFunc(a.NotRead,
		[]string{"11 events of " + tenantLog}, strings.HasPrefix), "%q", a.NotRead)
	c := examined(t, scene(t), whole...)
	a = c.events(t, berlin, 29, 31)
	check.That(t, slices.EqualFunc(a.NotRead, []string{"1 of 3 events"}, strings.HasPrefix), "%q", a.NotRead)
	a = made(c, incident.Gap, 0, gap(berlin, 29, 31)).gravest(t)
	check.That(t, len(a.NotRead) == 0, "%q", a.NotRead)
}

// TestTenants: two tenants can have a log of one name, and transactions of one name.
func TestTenants(t *testing.T) {
	e := scene(t)
	const other = "other-corp"
	a := author(e, berlin)
	a.TenantID = other
	a.Restart()
	body := a.Body("approval.signed", seal.Object{"approval_sha256": seal.SHA256(nil), "decision": "allow"})
	body["transaction_id"] = second
	e.Put("journals/other.ndjson", append(seal.Canonical(a.Sign(body)), '\n'))
	c := examined(t, e, whole...)
	ask := func(tenant string) (*affected.Answer, error) {
		return c.ask(t, affected.Question{Events: incident.Range{TenantID: tenant, LogID: berlin, First: 1}})
	}
	_, err := ask("")
	check.That(t, errors.As(err, new(*affected.SeveralTenantsError)), "%v", err)
	theirs := must.Get(ask(other))(t)
	one := certificateOf(t, theirs, second)
	check.That(t, len(theirs.Certificates) == 1 && one.TenantID == other && one.Serial == "" &&
		one.Status == status.Unknown && one.WithoutQuorum == affected.Unknown, "%+v", theirs.Certificates)
	ours := must.Get(ask(harness.Tenant))(t)
	for _, one := range ours.Certificates {
		check.That(t, one.TenantID == harness.Tenant, "%+v", one)
	}
	if len(ours.Certificates) < 2 {
		t.Errorf("%v", idsOf(ours))
	}
}
