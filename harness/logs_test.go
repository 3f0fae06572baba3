package harness

import (
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
)

// Everything that the tenant log records of a node is also in the node's journal, unless the
// node's key was stolen.
func TestTenantLogAndJournalsAgree(t *testing.T) {
	stolen := map[string]bool{"stolen-approval": true, "overruled-denial": true}
	for _, name := range scenes() {
		scene := build(t, name)
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
				if got == "" && stolen[name] {
					named += seal.Text(data, "node_id")
				} else if got != seal.Text(data, "node_id") {
					t.Errorf("%s: an approval of %s stands in the journal of %q", name, seal.Text(data, "node_id"), got)
				}
			case "node.reported":
				counted++
				check.Equal(t, heads[seal.Text(data, "audit_head")], seal.Text(data, "node_id"),
					"%s: a head of %s stands in the journal of", name, seal.Text(data, "node_id"))
			}
		}
		check.That(t, !stolen[name] || named == "mesh-oslo-1",
			"%s: approvals that no journal knows are of %q", name, named)
		check.That(t, counted >= 8, "%s: only %d events to compare", name, counted)
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
	for _, event := range build(t, "rotated-keys").Tenant {
		types[seal.Text(seal.Member(event, "body"), "type")] = true
	}
	for _, want := range []string{
		"node.enrolled", "policy.published", "registry.published", "integration.changed", "node.reported", "key.rotated",
		"issuance.requested", "approval.recorded", "decision.recorded", "issuance.completed", "certificate.revoked",
	} {
		check.That(t, types[want], "no event of type %s", want)
	}
}
