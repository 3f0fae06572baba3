package signer_test

import (
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

const transaction = "tx-2026-0001"

// bench is a world with a transaction that is ready to be issued.
type bench struct {
	*harness.World
	t       *cloud.Transaction
	request []byte
}

func ready(t *testing.T) *bench {
	t.Helper()
	w := must.Get(harness.NewWorld(1, harness.ThreeNodes(), func(seal.Object) {}))(t)
	tx := must.Get(w.Request(harness.Order{
		TransactionID: transaction, Profile: "edge-gateway", Algorithm: "ecdsa-p256",
		Lifetime: time.Hour, Names: []string{"dns:a.example"}, Usages: []string{"serverAuth"},
	}))(t)
	for _, step := range []error{
		w.Observe(tx, w.Nodes[2], "attested-boot"),
		w.Approve(tx, w.Nodes[0], w.Nodes[1]),
		w.Decide(tx, w.Nodes[0]),
	} {
		must.Do(t, step)
	}
	request := must.Get(pki.Request(w.Keys.Workload[transaction], []string{"dns:a.example"}))(t)
	return &bench{w, tx, request}
}

// amend changes a statement of the case and signs it again, as its author
// could. The case shares nothing with the cloud's.
func amend(key seal.Key, envelope seal.Object, change func(seal.Object)) seal.Object {
	statement := seal.CloneObject(seal.Member(envelope, "statement"))
	change(statement)
	return seal.Seal(statement, key)
}

// other is a stream of keys that are not the world's.
func other() *chance.Stream { return chance.New(99).Stream("other") }

func set(name string, value any) func(seal.Object) {
	return func(o seal.Object) { o[name] = value }
}

func (b *bench) approval(i int, change func(seal.Object)) func(*consent.Case) {
	return func(c *consent.Case) {
		c.Approvals[i] = amend(b.Nodes[i].Key(), c.Approvals[i], change)
		b.customer(set("approvals", seal.SortedStrings([]string{
			seal.StatementDigest(c.Approvals[0]), seal.StatementDigest(c.Approvals[1]),
		})))(c)
	}
}

func (b *bench) customer(change func(seal.Object)) func(*consent.Case) {
	return func(c *consent.Case) { c.Customer = amend(b.Nodes[0].Key(), c.Customer, change) }
}

func (b *bench) service(change func(seal.Object)) func(*consent.Case) {
	return func(c *consent.Case) { c.Service = amend(b.Keys.Audit["audit-2026-1"], c.Service, change) }
}

func TestIssues(t *testing.T) {
	b := ready(t)
	// An amendment that changes nothing must not cause the refusals below.
	c := b.t.Case
	b.approval(0, func(seal.Object) {})(&c)
	b.service(func(seal.Object) {})(&c)
	issued := must.Get(b.Signer.Issue(c, b.request))(t)
	receipt := seal.Member(issued.Receipt, "statement")
	check.Equal(t, seal.Text(receipt, "certificate_sha256"), seal.SHA256(issued.Leaf), "the receipt is for")
	check.That(t, check.Err(b.Signer.Issue(c, b.request)) != nil, "a second certificate was issued for the transaction")
}

func TestRefusesTheCase(t *testing.T) {
	late := "2026-03-02T10:30:00.000Z"
	for _, c := range []struct {
		name   string
		want   string // in the error
		change func(*bench) func(*consent.Case)
	}{
		{"denied approval", "expected allow",
			func(b *bench) func(*consent.Case) { return b.approval(1, set("decision", "deny")) }},
		{"expired approval", "expired at", func(b *bench) func(*consent.Case) {
			return b.approval(1, set("expires_at", "2026-03-02T09:00:02.000Z"))
		}},
		{"approval over before it was given", "and expired", func(b *bench) func(*consent.Case) {
			return b.approval(1, func(o seal.Object) { o["expires_at"] = o["decided_at"] })
		}},
		{"approval after the decisions", "after the decision",
			func(b *bench) func(*consent.Case) { return b.approval(1, set("decided_at", late)) }},
		{"approval without time", "decided_at",
			func(b *bench) func(*consent.Case) { return b.approval(1, set("decided_at", "now")) }},
		{"approval of another transaction", "transaction_id",
			func(b *bench) func(*consent.Case) { return b.approval(1, set("transaction_id", "tx-2026-0002")) }},
		{"approval of another tenant", "tenant_id",
			func(b *bench) func(*consent.Case) { return b.approval(1, set("tenant_id", "other")) }},
		{"approval of other terms", "terms",
			func(b *bench) func(*consent.Case) { return b.approval(1, set("terms", seal.Object{})) }},
		{"approval in another's name", "node_id",
			func(b *bench) func(*consent.Case) { return b.approval(1, set("node_id", "mesh-oslo-1")) }},
		{"approval of another protocol", "protocol",
			func(b *bench) func(*consent.Case) { return b.approval(1, set("protocol", "svc.decision.v1")) }},
		{"approval that relies on nothing known", "not part of", func(b *bench) func(*consent.Case) {
			return b.approval(1, set("capability_evidence", []any{seal.SHA256(nil)}))
		}},
		{"denied by the customer", "expected allow",
			func(b *bench) func(*consent.Case) { return b.customer(set("decision", "deny")) }},
		{"customer who did not approve", "approvers", func(b *bench) func(*consent.Case) {
			return func(c *consent.Case) {
				c.Customer = amend(b.Nodes[2].Key(), c.Customer, set("node_id", "mesh-oslo-1"))
			}
		}},
		{"customer with other approvals", "approvals",
			func(b *bench) func(*consent.Case) { return b.customer(set("approvals", []any{})) }},
		{"denied by the service", "expected allow",
			func(b *bench) func(*consent.Case) { return b.service(set("decision", "deny")) }},
		{"decision to come", "after", func(b *bench) func(*consent.Case) { return b.service(set("decided_at", late)) }},
		{"service decision by a node", "key_id", func(b *bench) func(*consent.Case) {
			return func(c *consent.Case) { c.Service = amend(b.Nodes[0].Key(), c.Service, func(seal.Object) {}) }
		}},
		{"one decision twice", "trust domain", func(b *bench) func(*consent.Case) {
			return func(c *consent.Case) { c.Service = c.Customer }
		}},
		{"one approval", "expected 2, found 1", func(b *bench) func(*consent.Case) {
			return func(c *consent.Case) { c.Approvals = c.Approvals[:1] }
		}},
		{"the same approval twice", "approved twice", func(b *bench) func(*consent.Case) {
			return func(c *consent.Case) { c.Approvals[1] = c.Approvals[0] }
		}},
		{"unsigned approval", "signature", func(b *bench) func(*consent.Case) {
			return func(c *consent.Case) {
				c.Approvals[0] = seal.CloneObject(c.Approvals[0])
				c.Approvals[0]["signature"] = c.Approvals[1]["signature"]
			}
		}},
		{"capability over before it was observed", "in force", func(b *bench) func(*consent.Case) {
			return func(c *consent.Case) {
				// Observed a little after the approval, as clocks may differ.
				c.Capability[0] = amend(b.Nodes[2].Key(), c.Capability[0], func(o seal.Object) {
					o["observed_at"], o["expires_at"] = "2026-03-02T09:02:00.000Z", "2026-03-02T09:02:00.000Z"
				})
				b.approval(0, set("capability_evidence", []any{seal.StatementDigest(c.Capability[0])}))(c)
			}
		}},
		{"expired capability", "in force", func(b *bench) func(*consent.Case) {
			return func(c *consent.Case) {
				c.Capability[0] = amend(b.Nodes[2].Key(), c.Capability[0], set("expires_at", "2026-03-02T09:00:02.000Z"))
				relied := set("capability_evidence", []any{seal.StatementDigest(c.Capability[0])})
				b.approval(0, relied)(c)
			}
		}},
	} {
		b := ready(t)
		damaged := b.t.Case
		c.change(b)(&damaged)
		_, err := b.Signer.Issue(damaged, b.request)
		check.That(t, err != nil && strings.Contains(err.Error(), c.want),
			"%s: expected an error with %q, found %v", c.name, c.want, err)
	}
}

func TestRefusesTheRequest(t *testing.T) {
	b := ready(t)
	broken := append([]byte{}, b.request...)
	broken[len(broken)-1] ^= 1
	renamed := must.Get(pki.Request(b.Keys.Workload[transaction], []string{"dns:b.example"}))(t)
	for name, request := range map[string][]byte{"broken signature": broken, "other names": renamed, "empty": nil} {
		check.That(t, check.Err(b.Signer.Issue(b.t.Case, request)) != nil, "%s: a certificate was issued", name)
	}
}

func TestApprovalExpiresWhileWaiting(t *testing.T) {
	b := ready(t)
	b.Clock.Pass(time.Hour)
	check.Fails(t, check.Err(b.Signer.Issue(b.t.Case, b.request)), "expired", "an hour later")
}

func TestRefusesWhatTheRegistryForbids(t *testing.T) {
	b := ready(t)
	b.Signer.Publish([]string{"ecdsa-p384"})
	check.Fails(t, check.Err(b.Signer.Issue(b.t.Case, b.request)), "may not issue",
		"an algorithm that the registry lacks")
	// A new key and a new issuer are in no registry yet.
	issuer := pki.NewIssuer("new", "ecdsa-p256", b.Clock.Next(), other())
	issuers := map[string]*pki.Issuer{"ecdsa-p256": issuer}
	b.Signer.Rotate(b.Keys.Signer["signer-2026-1"], issuers)
	check.Fails(t, check.Err(b.Signer.Issue(b.t.Case, b.request)), "issuer key", "an issuer that the registry lacks")
	b.Signer.Rotate(seal.Key{ID: "signer-2026-9", Private: other().Ed25519()}, issuers)
	check.Fails(t, check.Err(b.Signer.Issue(b.t.Case, b.request)), "not in generation",
		"a signer that the registry lacks")
	b.Signer.Rotate(seal.Key{ID: "signer-2026-1", Private: other().Ed25519()}, issuers)
	check.Fails(t, check.Err(b.Signer.Issue(b.t.Case, b.request)), "another key",
		"another key under the registry's name")
	b.Signer.Publish([]string{"ecdsa-p256"})
	check.OK(t, check.Err(b.Signer.Issue(b.t.Case, b.request)), "after the next generation")
}

func TestRevocation(t *testing.T) {
	b := ready(t)
	_, _, err := b.Signer.Revoke(transaction, "keyCompromise")
	check.That(t, err != nil, "a certificate that was never issued was revoked")
	must.Do(t, b.Complete(b.t))
	for _, reason := range []string{"certificateHold", "removeFromCRL", "", "KeyCompromise"} {
		_, _, err := b.Signer.Revoke(transaction, reason)
		check.That(t, err != nil, "revoked with reason %q", reason)
	}
	// The issuer retires, and its certificates can still be revoked.
	b.RotateKeys()
	receipt, registry := must.Two(b.Signer.Revoke(transaction, "keyCompromise"))(t)
	check.That(t, seal.Integer(registry, "generation") == 2 && seal.Text(receipt, "key_id") == "signer-2026-2",
		"revoked by %s under generation %d", seal.Text(receipt, "key_id"), seal.Integer(registry, "generation"))
	_, _, err = b.Signer.Revoke(transaction, "keyCompromise")
	check.That(t, err != nil, "revoked twice")
}
