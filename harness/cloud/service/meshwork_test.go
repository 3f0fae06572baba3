package service_test

import (
	"context"
	"fmt"
	"iter"
	"net/http"

	"github.com/svc-edge/svc-verify/harness/api"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/rules"
	"github.com/svc-edge/svc-verify/harness/wire"
	"github.com/svc-edge/svc-verify/internal/testca"
)

// work does what the cloud's answer asks for.
func (m *mesh) work(ctx context.Context, c *api.Client, answer wire.Object) ([]any, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if policy := wire.Member(answer, "policy"); policy != nil {
		if err := m.node.TakePolicy(policy); err != nil {
			return nil, err
		}
	}
	if roster := wire.Member(answer, "roster"); roster != nil {
		if err := m.node.TakeRoster(roster); err != nil {
			return nil, err
		}
	}
	for _, notice := range wire.List(answer, "notices") {
		m.notices = append(m.notices, notice.(wire.Object))
		m.after = wire.Integer(notice.(wire.Object), "sequence")
	}
	if r := wire.Member(answer, "registrations"); r != nil {
		m.version, m.services = wire.Integer(r, "version"), wire.List(r, "services")
	}
	results := m.apply(answer)
	for _, piece := range wire.List(answer, "work") {
		piece := piece.(wire.Object)
		if kind := wire.Text(piece, "kind"); !m.deaf[kind] {
			if result := m.mode(kind, m.do(piece)); result != nil {
				results = append(results, result)
			}
		}
	}
	if checkpoint := wire.Member(answer, "checkpoint"); checkpoint != nil && !m.deaf["witness"] {
		receipt, err := m.node.Witness(checkpoint, m.links(ctx, c, wire.Integer(wire.Member(checkpoint, "statement"), "sequence")))
		if err != nil {
			return results, nil // an older one than it has witnessed
		}
		results = append(results, m.mode("witness", wire.Object{"kind": "witness", "receipt": receipt}))
	}
	return results, nil
}

// links reads the links that the node has to replay.
func (m *mesh) links(ctx context.Context, c *api.Client, to int64) iter.Seq[wire.Link] {
	return func(yield func(wire.Link) bool) {
		for after := int64(m.node.Witnessed()); after < to; {
			page, err := c.Do(ctx, http.MethodGet, m.path(fmt.Sprintf("links?after=%d&to=%d", after, to)), nil)
			if err != nil || len(wire.List(page, "links")) == 0 {
				return
			}
			for _, element := range wire.List(page, "links") {
				if !yield(link(element.(wire.Object))) {
					return
				}
				after++
			}
		}
	}
}

func link(o wire.Object) wire.Link {
	hash := func(name string) wire.Hash {
		h, _ := wire.ParseHash(wire.Text(o, name)) // a zero hash does not fit
		return h
	}
	return wire.Link{Sequence: uint64(wire.Integer(o, "sequence")), Previous: hash("previous_hash"), Skip: hash("skip_hash"), Body: hash("body_sha256")}
}

// apply acknowledges the desired state of integrations.
func (m *mesh) apply(answer wire.Object) []any {
	var results []any
	for _, element := range wire.List(answer, "integrations") {
		o := element.(wire.Object)
		id, revision := wire.Text(o, "integration_id"), wire.Integer(o, "revision")
		if enabled, _ := o["enabled"].(bool); !enabled {
			revision = -revision
		}
		if m.integrations[id] == revision || m.deaf["integration"] {
			continue
		}
		m.integrations[id] = revision
		results = append(results, m.mode("integration", wire.Object{
			"kind": "integration", "integration_id": id, "revision": o["revision"], "state": "healthy",
		}))
	}
	return results
}

// do does a piece of work.
func (m *mesh) do(piece wire.Object) wire.Object {
	result := wire.Object{"kind": piece["kind"], "transaction_id": piece["transaction_id"]}
	c := rules.Case{
		TransactionID: wire.Text(piece, "transaction_id"), Terms: wire.Member(piece, "terms"),
		Approvals: envelopes(piece, "approvals"), Capability: envelopes(piece, "capability_evidence"),
	}
	switch piece["kind"] {
	case "observe":
		result["evidence"] = m.node.Observe(wire.Text(piece, "workload_profile"), wire.Text(piece, "capability"))
	case "approve":
		result["approval"] = m.node.Approve(c)
	case "decide":
		result["decision"] = m.node.Decide(c)
	case "request":
		intent, err := m.node.OpenIntent(wire.Member(piece, "intent"))
		if err != nil {
			m.b.t.Error(err)
		}
		m.intents[c.TransactionID] = intent
		result["csr"] = wire.Base64(m.request(c.TransactionID, wire.Texts(intent, "names")))
	case "deliver":
		result["status"] = "staged"
	case "promote":
		result["kind"], result["status"] = "deliver", "promoted"
	}
	return result
}

// request is the certificate request of a rotation, the same for the same one.
func (m *mesh) request(transactionID string, names []string) []byte {
	if m.keys[transactionID] == nil {
		csr, err := pki.Request(testca.NewKey(), names)
		if err != nil {
			m.b.t.Error(err)
		}
		m.keys[transactionID] = csr
	}
	return m.keys[transactionID].([]byte)
}

func envelopes(o wire.Object, name string) []wire.Object {
	var list []wire.Object
	for _, element := range wire.List(o, name) {
		list = append(list, element.(wire.Object))
	}
	return list
}
