package harness

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// checkLog walks a log from genesis with the naive definitions of SPEC 4: all
// hashes are kept, and every signature is opened.
func checkLog(t *testing.T, logID string, events []seal.Object, keys map[string]seal.Key) {
	t.Helper()
	genesis := sha256.Sum256(append([]byte("svc.audit-genesis.v1\x00"),
		seal.Canonical(seal.Object{"tenant_id": Tenant, "log_id": logID})...))
	hashes := [][32]byte{genesis}
	last := ""
	for i, event := range events {
		n := uint64(i + 1)
		body := seal.Member(event, "body")
		previous, skip, sum := hashes[n-1], hashes[seal.Skip(n)], sha256.Sum256(seal.Canonical(body))
		b := binary.BigEndian.AppendUint64([]byte("svc.audit-link.v1\x00"), n)
		hash := sha256.Sum256(slices.Concat(b, previous[:], skip[:], sum[:]))
		hashes = append(hashes, hash)

		public := keys[seal.Text(event, "key_id")].Private.Public().(ed25519.PublicKey)
		if seal.Integer(body, "sequence") != int64(n) || seal.Text(body, "log_id") != logID ||
			seal.Text(event, "hash") != seal.Hash(hash).String() {
			t.Fatalf("%s: event %d does not stand in its place", logID, n)
		}
		must.That(t, seal.Signed("svc.audit-event.v1", hash[:], public, seal.Text(event, "signature")),
			"%s: event %d is not signed by %s", logID, n, seal.Text(event, "key_id"))
		if at := seal.Text(body, "occurred_at"); at <= last {
			t.Fatalf("%s: event %d at %s, after %s", logID, n, at, last)
		} else {
			last = at
		}
	}
}

func TestLogsAreSound(t *testing.T) {
	for _, d := range Scenes() {
		scene := build(t, d.Name, 1)
		checkLog(t, "tenant/"+Tenant, scene.Tenant, scene.Keys.Audit)
		for id, events := range scene.Journals {
			keys := map[string]seal.Key{}
			for keyID, key := range scene.Keys.Node {
				if keyID == id || strings.HasPrefix(keyID, id+"/") {
					keys[keyID] = key
				}
			}
			checkLog(t, "node/"+id, events, keys)
		}
	}
}

// What the tenant log says of a node, the node's journal says too, save where
// the node's key was stolen.
func TestTenantLogAndJournalsAgree(t *testing.T) {
	stolen := map[string]bool{"stolen-approval": true, "overruled-denial": true}
	for _, d := range Scenes() {
		scene := build(t, d.Name, 1)
		approvals, heads := journalled(scene)
		counted := 0
		named := ""
		for _, event := range scene.Tenant {
			body := seal.Member(event, "body")
			data := seal.Member(body, "data")
			switch seal.Text(body, "type") {
			case "approval.recorded":
				counted++
				got := approvals[seal.Text(data, "approval_sha256")]
				if got == "" && stolen[d.Name] {
					named += seal.Text(data, "node_id")
				} else if got != seal.Text(data, "node_id") {
					t.Errorf("%s: an approval of %s stands in the journal of %q", d.Name, seal.Text(data, "node_id"), got)
				}
			case "node.reported":
				counted++
				if got := heads[seal.Text(data, "audit_head")]; got != seal.Text(data, "node_id") {
					t.Errorf("%s: a head of %s stands in the journal of %q", d.Name, seal.Text(data, "node_id"), got)
				}
			}
		}
		check.That(t, !stolen[d.Name] || named == "mesh-oslo-1",
			"%s: approvals that no journal knows are of %q", d.Name, named)
		check.That(t, counted >= 8, "%s: only %d events to compare", d.Name, counted)
	}
}

// journalled is whose journal an approval's digest and an event's hash are in.
func journalled(scene *Scene) (approvals, heads map[string]string) {
	approvals, heads = map[string]string{}, map[string]string{}
	for id, events := range scene.Journals {
		for _, event := range events {
			heads[seal.Text(event, "hash")] = id
			body := seal.Member(event, "body")
			if seal.Text(body, "type") == "approval.signed" {
				approvals[seal.Text(seal.Member(body, "data"), "approval_sha256")] = id
			}
		}
	}
	return approvals, heads
}

// Traffic of every kind comes in the logs of the scenes.
func TestTraffic(t *testing.T) {
	types := map[string]bool{}
	for _, event := range build(t, "rotated-keys", 1).Tenant {
		types[seal.Text(seal.Member(event, "body"), "type")] = true
	}
	for _, want := range []string{
		"node.enrolled", "policy.published", "registry.published", "integration.changed", "node.reported", "key.rotated",
		"issuance.requested", "approval.recorded", "decision.recorded", "issuance.completed", "certificate.revoked",
	} {
		check.That(t, types[want], "no event of type %s", want)
	}
}
