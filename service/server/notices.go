package server

import (
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
)

// maximumNotices is how many are kept for a node that is behind.
const maximumNotices = 4096

// notices are what every node is to pass on as a trust event. Sequences have no
// gap.
type notices struct {
	*ledger
	newest  int64 // sequence
	dropped int64 // sequence through which they are dropped
}

func (n *notices) restore() error {
	return n.each(kindNotice, func(e durable.Entry) error {
		n.newest = seal.Integer(e.Document, "sequence")
		return nil
	})
}

// add adds a notice to the decision at hand.
func (n *notices) add(topic string, data seal.Object) {
	n.newest++
	n.put(kindNotice, ascending(n.newest), seal.Object{"sequence": n.newest, "topic": topic, "data": data})
}

// drop drops the notices through a sequence that every node has, and what is too
// much. The newest stays: it holds the sequence.
func (n *notices) drop(had int64) {
	if through := max(min(had, n.newest-1), n.newest-maximumNotices); through > n.dropped {
		n.dropped = through
		n.removeThrough(kindNotice, ascending(through))
	}
}

// after are the notices after a sequence, at most a page of them.
func (n *notices) after(sequence int64) ([]any, error) {
	if sequence >= n.newest {
		return nil, nil
	}
	entries, err := n.store.List(kindNotice, ascending(sequence), page)
	if err != nil {
		return nil, err
	}
	var list []any
	for _, e := range entries {
		list = append(list, e.Document)
	}
	return list, nil
}
