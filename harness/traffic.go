package harness

import (
	"fmt"
	"time"

	"github.com/svc-edge/svc-verify/harness/node"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// Traffic plays the other activity in a tenant, in so many rounds: settings that change, nodes
// that report, other transactions that complete or stay open. Five rounds are 10 events and
// one for each node.
func (w *World) Traffic(rounds int) error {
	for round := range rounds {
		if err := w.playRound(round % 5); err != nil {
			return err
		}
	}
	return nil
}

func (w *World) playRound(kind int) error {
	switch kind {
	case 0:
		w.ChangeIntegration()
		return nil
	case 1:
		return w.Report(w.Nodes...)
	case 2:
		return w.openTransaction()
	case 3:
		_, err := w.Issue(w.otherOrder(), w.twoNodes()...)
		return err
	}
	_, err := w.Request(w.otherOrder())
	return err
}

// Report has nodes report the heads of their journals.
func (w *World) Report(nodes ...*node.Node) error {
	for _, n := range nodes {
		report, err := n.Report()
		if err != nil {
			return err
		}
		if err := w.Cloud.Report(report); err != nil {
			return err
		}
	}
	return nil
}

// ChangeIntegration logs a change to an adapter of some node.
func (w *World) ChangeIntegration() {
	kinds := []string{"nginx", "otlp_audit", "secret_store"}
	states := []string{"pending_node", "healthy", "healthy", "degraded"}
	kind := kinds[w.chance.Below(len(kinds))]
	w.Cloud.Note("integration.changed", seal.Object{
		"kind":              kind,
		"node_id":           w.Nodes[w.chance.Below(len(w.Nodes))].ID(),
		"adapter_reference": "local/" + kind,
		"revision":          int64(1 + w.chance.Below(40)),
		"state":             states[w.chance.Below(len(states))],
	})
}

// openTransaction opens a transaction that one node approves and no one decides.
func (w *World) openTransaction() error {
	t, err := w.Request(w.otherOrder())
	if err != nil {
		return err
	}
	return w.Approve(t, w.twoNodes()[0])
}

// otherOrder is an order that no scene is about.
func (w *World) otherOrder() Order {
	w.others++
	profile := []string{"payments-api", "ledger-batch"}[w.chance.Below(2)]
	return Order{
		TransactionID: fmt.Sprintf("tx-2026-%d", 1000+w.others),
		Profile:       profile,
		Algorithm:     "ecdsa-p256",
		Lifetime:      time.Duration(1+w.chance.Below(7)) * 24 * time.Hour,
		Names:         []string{fmt.Sprintf("dns:%s-%d.acme.example", profile, w.others)},
		Usages:        []string{"serverAuth"},
	}
}

// twoNodes draws two different nodes.
func (w *World) twoNodes() []*node.Node {
	first := w.chance.Below(len(w.Nodes))
	second := (first + 1 + w.chance.Below(len(w.Nodes)-1)) % len(w.Nodes)
	return []*node.Node{w.Nodes[first], w.Nodes[second]}
}
