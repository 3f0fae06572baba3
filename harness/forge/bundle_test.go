package forge

import (
	"bytes"
	"testing"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

func build(t *testing.T, name string) *harness.Scene {
	t.Helper()
	return must.Get(harness.Build(name, 1, harness.Options{Events: 2000}))(t)
}

// Every digest and signature made anew comes out as it was: so the evidence
// holds all of them as the specification has them.
func TestNoChangeIsNoChange(t *testing.T) {
	for _, d := range harness.Scenes() {
		if testing.Short() && d.Name == "algorithms" {
			continue // finds primes for RSA keys
		}
		scene := build(t, d.Name)
		for _, export := range scene.Exports {
			want := scene.Bundle(export.TransactionID)
			got := must.Get(Reseal(scene, export.TransactionID, func(seal.Object) {}))(t)
			check.That(t, bytes.Equal(seal.Canonical(got), seal.Canonical(want)),
				"%s %s: the bundle changed", d.Name, export.TransactionID)
		}
	}
}

func at(bundle seal.Object, list string, i int) seal.Object {
	return seal.List(bundle, list)[i].(seal.Object)
}

func statement(envelope seal.Object) seal.Object { return seal.Member(envelope, "statement") }

func signed(key seal.Key, envelope seal.Object) bool {
	return seal.Text(envelope, "signature") == seal.Text(seal.Seal(statement(envelope), key), "signature")
}

// A change at the very bottom goes all the way up.
func TestChangeGoesUp(t *testing.T) {
	scene := build(t, "capability")
	before := scene.Bundle("tx-2026-0001")
	after := must.Get(Reseal(scene, "tx-2026-0001", func(b seal.Object) {
		statement(at(b, "capability_evidence", 0))["capability"] = "forged"
	}))(t)
	var digests []string
	for i := range 2 {
		digests = append(digests, seal.StatementDigest(at(after, "capability_evidence", i)))
	}
	check.That(t, digests[0] < digests[1], "the evidence is not in order: %s", digests)
	manifest := seal.Member(after, "manifest")
	got, want := seal.Canonical(manifest["capability_evidence"]), seal.Canonical(seal.Strings(digests))
	check.That(t, bytes.Equal(got, want), "the manifest names %s, want %s", got, want)
	links := seal.List(seal.Member(after, "audit_path"), "links")
	event := seal.Member(links[len(links)-1].(seal.Object), "event")
	check.Equal(t, seal.Text(seal.Member(seal.Member(event, "body"), "data"), "manifest_sha256"), seal.Digest(manifest),
		"the event names the manifest")
	checkpoint := seal.Member(after, "checkpoint")
	status := statement(seal.Member(after, "status"))
	check.Equal(t, seal.Text(status, "checkpoint_sha256"), seal.StatementDigest(checkpoint),
		"the status names the checkpoint")
	old := statement(seal.Member(before, "checkpoint"))
	check.That(t, seal.Text(statement(checkpoint), "head_hash") != seal.Text(old, "head_hash"),
		"the head of the log is still the same")
	check.That(t, signed(scene.Keys.Audit["audit-2026-1"], checkpoint) &&
		signed(scene.Keys.Node["mesh-berlin-1"], at(after, "witness_receipts", 0)),
		"checkpoint or witness is not signed anew")
	check.That(t, !bytes.Equal(seal.Canonical(before), seal.Canonical(after)) &&
		bytes.Equal(seal.Canonical(scene.Bundle("tx-2026-0001")), seal.Canonical(before)),
		"the scene was changed instead of its copy")
}

// Without the key, the signature is left as it was.
func TestUnknownKey(t *testing.T) {
	scene := build(t, "issued")
	old := at(scene.Bundle("tx-2026-0001"), "approvals", 0)["signature"]
	after := must.Get(Reseal(scene, "tx-2026-0001", func(b seal.Object) {
		at(b, "approvals", 0)["key_id"] = "mesh-paris-1"
		statement(at(b, "approvals", 0))["expires_at"] = "2026-03-02T09:00:00.000Z"
	}))(t)
	check.Equal(t, at(after, "approvals", 0)["signature"], old, "an approval was signed without a key")
}

// An event that is no longer disclosed is still in the log.
func TestUndisclosedRevocation(t *testing.T) {
	scene := build(t, "revoked")
	before := scene.Bundle("tx-2026-0001")
	after := must.Get(Reseal(scene, "tx-2026-0001", func(b seal.Object) {
		path := seal.Member(b, "audit_path")
		links := seal.List(path, "links")
		path["links"] = []any{links[len(links)-1]}
	}))(t)
	check.That(t, bytes.Equal(seal.Canonical(after["checkpoint"]), seal.Canonical(before["checkpoint"])),
		"the log changed")
	disclosed := 0
	for i := range seal.List(seal.Member(after, "audit_path"), "links") {
		if seal.Member(at(seal.Member(after, "audit_path"), "links", i), "event") != nil {
			disclosed++
		}
	}
	check.Equal(t, disclosed, 1, "events are disclosed")
}

func TestRefuses(t *testing.T) {
	scene := build(t, "issued")
	check.That(t, check.Err(Reseal(scene, "tx-2026-0009", func(seal.Object) {})) != nil,
		"a transaction without a bundle was re-sealed")
	_, err := Reseal(scene, "tx-2026-0001", func(b seal.Object) { b["audit_path"] = seal.Object{} })
	check.That(t, err != nil, "a path without any event was made")
	scene.Tenant = nil
	check.That(t, check.Err(Reseal(scene, "tx-2026-0001", func(seal.Object) {})) != nil,
		"a log was rewritten that is not at hand")
}
