package consent

import (
	"crypto/ed25519"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
)

// Each statement is tried with a key of each role, SPEC 3: exactly one role
// may sign it, although every key id is known in every role.
func TestOnlyOneRoleMaySign(t *testing.T) {
	stream := chance.New(1).Stream("keys")
	keys := map[string]seal.Key{}
	for _, role := range []string{"audit", "signer", "node", "policy"} {
		keys[role] = seal.Key{ID: "n", Private: stream.Ed25519()}
	}
	roster := NewRoster("t")
	roster.Audit["n"], roster.Signers["n"] = keys["audit"].Public(), keys["signer"].Public()
	roster.Nodes["n"], roster.Policies["n"] = keys["node"].Public(), keys["policy"].Public()
	for statement, want := range map[string]string{
		"svc.approval.v1":                 "node",
		"svc.capability-evidence.v1":      "node",
		"svc.witness-receipt.v1":          "node",
		"svc.decision.v1 customer":        "node",
		"svc.decision.v1 service":         "audit",
		"svc.audit-checkpoint.v0":         "audit",
		"svc.audit-checkpoint.v1":         "audit",
		"svc.evidence-status.v1":          "audit",
		"svc.signer-receipt.v1":           "signer",
		"svc.revocation-receipt.v1":       "signer",
		"svc.node-enrolment.v1":           "node",
		"svc.policy.v1":                   "policy",
		"svc.node-roster.v1":              "policy",
		"svc.decision.v1":                 "",
		"svc.decision.v1 other":           "",
		"svc.evidence-manifest.v1":        "",
		"svc.audit-event.v1":              "",
		"svc.audit-checkpoint.v2 service": "",
	} {
		protocol, domain, _ := strings.Cut(statement, " ")
		for role, key := range keys {
			envelope := seal.Seal(seal.Object{"protocol": protocol, "tenant_id": "t", "node_id": "n",
				"trust_domain": domain}, key)
			_, err := roster.Open(envelope, protocol)
			check.Equal(t, err == nil, role == want, "%s signed by %s: %v", statement, role, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	key := seal.Key{ID: "n/2", Private: ed25519.NewKeyFromSeed(make([]byte, 32))}
	roster := NewRoster("t")
	roster.Nodes["n/2"] = key.Public()
	for name, change := range map[string]func(statement, envelope seal.Object){
		"as it should be": func(s, e seal.Object) {},
		"another node":    func(s, e seal.Object) { s["node_id"] = "m" },
		"the key's name":  func(s, e seal.Object) { s["node_id"] = "n/2" },
		"no node":         func(s, e seal.Object) { delete(s, "node_id") },
		"another tenant":  func(s, e seal.Object) { s["tenant_id"] = "u" },
		"no statement":    func(s, e seal.Object) { delete(e, "statement") },
		"no signature":    func(s, e seal.Object) { delete(e, "signature") },
		"no key":          func(s, e seal.Object) { delete(e, "key_id") },
		"the node as key": func(s, e seal.Object) { e["key_id"] = "n" },
	} {
		statement := seal.Object{"protocol": "svc.approval.v1", "tenant_id": "t", "node_id": "n"}
		envelope := seal.Seal(statement, key)
		change(statement, envelope)
		if _, signed := envelope["signature"]; signed {
			envelope["signature"] = seal.Seal(statement, key)["signature"]
		}
		_, err := roster.Open(envelope, "svc.approval.v1")
		got, want := err == nil, name == "as it should be"
		check.That(t, got == want, "%s: %v", name, err)
	}
}
