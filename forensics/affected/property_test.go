package affected_test

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/forensics/affected"
	"github.com/svc-edge/svc-verify/forensics/status"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// naive reads all evidence at once, and follows the definitions word by word.
type naive struct {
	events map[string]map[int64]seal.Object // bodies, by log and sequence
	proofs map[string]seal.Object           // by transaction
}

func naiveOf(t testing.TB, e *fleet.Edited, given []string) *naive {
	n := &naive{map[string]map[int64]seal.Object{}, map[string]seal.Object{}}
	for _, name := range e.Names(given...) {
		content := must.Get(e.Content(name))(t)
		if strings.HasPrefix(name, "bundles/") {
			doc := must.Get(seal.Parse(content))(t)
			n.proofs[seal.Text(seal.Member(doc, "manifest"), "transaction_id")] = doc
			continue
		}
		for line := range bytes.Lines(content) {
			body := seal.Member(must.Get(seal.Parse(line))(t), "body")
			log := seal.Text(body, "log_id")
			if n.events[log] == nil {
				n.events[log] = map[int64]seal.Object{}
			}
			n.events[log][seal.Integer(body, "sequence")] = body
		}
	}
	return n
}

// objects returns the objects of a list.
func objects(o seal.Object, list string) (all []seal.Object) {
	for _, one := range seal.List(o, list) {
		all = append(all, one.(seal.Object))
	}
	return all
}

// statements returns the digests that a node signed into a proof.
func statements(proof seal.Object, node string) (all []string) {
	for _, list := range []string{"approvals", "capability_evidence", "witness_receipts"} {
		for _, envelope := range objects(proof, list) {
			said := seal.Member(envelope, "statement")
			switch {
			case seal.Text(said, "node_id") != node:
			case list == "witness_receipts":
				all = append(all, seal.Text(said, "checkpoint_sha256"))
			default:
				all = append(all, seal.StatementDigest(envelope))
			}
		}
	}
	return all
}

// reached returns the transactions that events of a log reach.
func (n *naive) reached(log string, from, to int64) map[string]bool {
	all, elsewhere := map[string]bool{}, map[string]bool{}
	in := func(sequence int64) bool { return from <= sequence && sequence <= to }
	for sequence, body := range n.events[log] {
		data := seal.Member(body, "data")
		switch id := seal.Text(body, "transaction_id"); {
		case in(sequence) && id != "":
			all[id] = true
		case !in(sequence):
			for _, name := range []string{"approval_sha256", "capability_evidence_sha256", "checkpoint_sha256"} {
				elsewhere[seal.Text(data, name)] = true
			}
		}
	}
	node, ofNode := strings.CutPrefix(log, "node/")
	for _, body := range n.events[tenantLog] {
		data := seal.Member(body, "data")
		if ofNode && seal.Text(body, "type") == "approval.recorded" && seal.Text(data, "node_id") == node &&
			!elsewhere[seal.Text(data, "approval_sha256")] {
			all[seal.Text(body, "transaction_id")] = true
		}
	}
	for id, proof := range n.proofs {
		for _, digest := range statements(proof, node) {
			all[id] = all[id] || ofNode && !elsewhere[digest]
		}
		if !ofNode {
			all[id] = all[id] || in(seal.Integer(seal.Member(seal.Member(proof, "checkpoint"), "statement"), "sequence"))
			for _, link := range objects(seal.Member(proof, "audit_path"), "links") {
				if body := seal.Member(seal.Member(link, "event"), "body"); body != nil {
					all[id] = all[id] || in(seal.Integer(body, "sequence"))
				}
			}
		}
	}
	maps.DeleteFunc(all, func(_ string, is bool) bool { return !is })
	return all
}

// quorum is whether a proof has too few approvals or witnesses without a node.
func quorum(proof seal.Object, node string) affected.Quorum {
	count := func(list string) (n int64) {
		for _, envelope := range objects(proof, list) {
			if seal.Text(seal.Member(envelope, "statement"), "node_id") != node {
				n++
			}
		}
		return n
	}
	terms := seal.Member(seal.Member(proof, "manifest"), "terms")
	checkpoint := seal.Member(seal.Member(proof, "checkpoint"), "statement")
	if count("approvals") < seal.Integer(terms, "required_approvals") ||
		count("witness_receipts") < seal.Integer(checkpoint, "required_witnesses") {
		return affected.Lacks
	}
	return affected.Has
}

// others returns the nodes besides one that approved a transaction by the tenant log.
func (n *naive) others(id, node string) map[string]bool {
	all := map[string]bool{}
	for _, body := range n.events[tenantLog] {
		by := seal.Text(seal.Member(body, "data"), "node_id")
		if seal.Text(body, "type") == "approval.recorded" && seal.Text(body, "transaction_id") == id && by != node {
			all[by] = true
		}
	}
	return all
}

// TestAgainstNaive: of any range of any log of some collections, exactly the transactions are listed
// that a naive reader finds, with the quorum and the serial that their proofs have.
func TestAgainstNaive(t *testing.T) {
	type collection struct {
		*naive
		*examinedCase
	}
	var all []collection
	add := func(e *fleet.Edited, given ...string) {
		all = append(all, collection{naiveOf(t, e, given), examined(t, e, given...)})
	}
	add(scene(t), fleet.TenantLog, "journals", "bundles")
	add(scene(t), fleet.TenantLog, "journals", fleet.Bundle(second))
	add(scene(t), "journals", "bundles")
	add(scene(t), fleet.TenantLog, fleet.Bundle(third), fleet.Journal("mesh-oslo-1"))
	cut := scene(t)
	cut.Edit(fleet.Journal("mesh-berlin-1"), func(lines [][]byte) [][]byte { return slices.Delete(lines, 4, 22) })
	add(cut, fleet.TenantLog, "journals", "bundles")
	rapid.Check(t, func(r *rapid.T) {
		c := all[rapid.IntRange(0, len(all)-1).Draw(r, "collection")]
		log := rapid.SampledFrom([]string{berlin, "node/mesh-oslo-1", tenantLog}).Draw(r, "log")
		from := rapid.IntRange(1, 60).Draw(r, "from")
		if log == tenantLog {
			from = rapid.IntRange(1, 280).Draw(r, "from")
		}
		to := from + rapid.IntRange(0, 60).Draw(r, "length")
		c.compare(r, c.examinedCase.events(t, log, uint64(from), uint64(to)), log, int64(from), int64(to))
	})
}

// compare compares an answer with the result of a naive reader.
func (n *naive) compare(t *rapid.T, a *affected.Answer, log string, from, to int64) {
	want := slices.Sorted(maps.Keys(n.reached(log, from, to)))
	got := slices.Sorted(slices.Values(idsOf(a)))
	must.That(t, slices.Equal(got, want), "%s %d to %d: %v, want %v", log, from, to, got, want)
	node := strings.TrimPrefix(log, "node/")
	var export []string
	for _, c := range a.Certificates {
		proof, others := n.proofs[c.TransactionID], n.others(c.TransactionID, node)
		serial, is := "", affected.Unknown
		switch {
		case proof != nil:
			serial = seal.Text(seal.Member(seal.Member(proof, "manifest"), "certificate"), "serial")
			is = quorum(proof, node)
		case node != log && len(others) == 0 && (c.Status == status.Issued || c.Status == status.Revoked):
			is = affected.Lacks
		}
		if proof == nil && c.Status != status.NotIssued {
			export = append(export, c.TransactionID)
		}
		counted := proof != nil || node == log || int(c.OtherApprovals) == len(others)
		check.That(t, c.Serial == serial && c.WithoutQuorum == is && counted,
			"%s %d to %d: %+v, want serial %q and quorum %s, others %v", log, from, to, c, serial, is, others)
		check.That(t, c.TenantID == harness.Tenant && (proof == nil) == (len(c.Names) == 0), "%+v", c)
	}
	slices.Sort(export)
	for i, s := range a.Export {
		if i >= len(export) || s.TransactionID != export[i] {
			t.Errorf("proofs to export: %v, want %v", a.Export, export)
			break
		}
	}
	if len(a.Export) != len(export) || a.Counts.Unknown != len(export) || a.Counts.Transactions != len(want) {
		t.Errorf("counts %+v, %d proofs to export, want %d", a.Counts, len(a.Export), len(export))
	}
}
