package server_test

import (
	"context"
	"fmt"
	"iter"
	"net/http"

	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/testca"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// work does the work that a cloud's answer asks for.
func (m *mesh) work(ctx context.Context, c *httpd.Client, answer seal.Object) ([]any, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if policy := seal.Member(answer, "policy"); policy != nil {
		if err := m.node.TakePolicy(policy); err != nil {
			return nil, err
		}
	}
	if roster := seal.Member(answer, "roster"); roster != nil {
		if err := m.node.TakeRoster(roster); err != nil {
			return nil, err
		}
	}
	for _, notice := range seal.ObjectList(answer, "notices") {
		m.notices, m.after = append(m.notices, notice), seal.Integer(notice, "sequence")
	}
	if r := seal.Member(answer, "registrations"); r != nil {
		m.version, m.services = seal.Integer(r, "version"), seal.List(r, "services")
	}
	results := m.apply(answer)
	for _, piece := range seal.ObjectList(answer, "work") {
		if kind := seal.Text(piece, "kind"); !m.deaf[kind] {
			if result := m.mode(kind, m.do(piece)); result != nil {
				results = append(results, result)
			}
		}
	}
	if checkpoint := seal.Member(answer, "checkpoint"); checkpoint != nil && !m.deaf["witness"] {
		receipt, err := m.node.Witness(checkpoint,
			m.links(ctx, c, seal.Integer(seal.Member(checkpoint, "statement"), "sequence")))
		if err != nil {
			return results, nil // an older one than it has witnessed
		}
		results = append(results, m.mode("witness", seal.Object{"kind": "witness", "receipt": receipt}))
	}
	return results, nil
}

// links reads the links that the node has to replay.
func (m *mesh) links(ctx context.Context, c *httpd.Client, to int64) iter.Seq[seal.Link] {
	return func(yield func(seal.Link) bool) {
		for after := int64(m.node.Witnessed()); after < to; {
			page, err := c.Do(ctx, http.MethodGet, m.path(fmt.Sprintf("links?after=%d&to=%d", after, to)), nil)
			if err != nil || len(seal.List(page, "links")) == 0 {
				return
			}
			for _, o := range seal.ObjectList(page, "links") {
				if !yield(link(o)) {
					return
				}
				after++
			}
		}
	}
}

func link(o seal.Object) seal.Link {
	hash := func(name string) seal.Hash {
		h, _ := seal.ParseHash(seal.Text(o, name)) // a zero hash does not fit
		return h
	}
	return seal.Link{Sequence: uint64(seal.Integer(o, "sequence")), Previous: hash("previous_hash"),
		Skip: hash("skip_hash"), Body: hash("body_sha256")}
}

// apply acknowledges the desired state of integrations.
func (m *mesh) apply(answer seal.Object) []any {
	var results []any
	for _, o := range seal.ObjectList(answer, "integrations") {
		id, revision := seal.Text(o, "integration_id"), seal.Integer(o, "revision")
		if enabled, _ := o["enabled"].(bool); !enabled {
			revision = -revision
		}
		if m.integrations[id] == revision || m.deaf["integration"] {
			continue
		}
		m.integrations[id] = revision
		results = append(results, m.mode("integration", seal.Object{
			"kind": "integration", "integration_id": id, "revision": o["revision"], "state": "healthy",
		}))
	}
	return results
}

// do does a piece of work.
func (m *mesh) do(piece seal.Object) seal.Object {
	result := seal.Object{"kind": piece["kind"], "transaction_id": piece["transaction_id"]}
	c := consent.Case{
		TransactionID: seal.Text(piece, "transaction_id"), Terms: seal.Member(piece, "terms"),
		Approvals: seal.ObjectList(piece, "approvals"), Capability: seal.ObjectList(piece, "capability_evidence"),
	}
	switch piece["kind"] {
	case "observe":
		result["evidence"] = m.node.Observe(seal.Text(piece, "workload_profile"), seal.Text(piece, "capability"))
	case "approve":
		result["approval"] = m.node.Approve(c)
	case "decide":
		result["decision"] = m.node.Decide(c)
	case "request":
		intent, err := m.node.OpenIntent(seal.Member(piece, "intent"))
		check.Do(m.b.t, err)
		m.intents[c.TransactionID] = intent
		result["csr"] = seal.Base64(m.request(c.TransactionID, seal.Texts(intent, "names")))
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
		check.Do(m.b.t, err)
		m.keys[transactionID] = csr
	}
	return m.keys[transactionID].([]byte)
}
