package crosscheck

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/form"
)

// Witnessed records up to where a tenant log is complete by the nodes' witness statements in
// their journals (SPEC 13.7).
type Witnessed struct {
	TenantID string `json:"tenant_id"`
	LogID    string `json:"log_id"`
	walk.Word
}

// seenHead is a head of a tenant log that a node witnessed.
type seenHead struct {
	sequence uint64
	hash     chain.Hash
	at       int64 // when the node wrote it down, milliseconds since 1970
	node     string
	ref      facts.Ref
}

// compare orders heads, the highest first.
func (h seenHead) compare(o seenHead) int {
	return cmp.Or(cmp.Compare(o.sequence, h.sequence), cmp.Compare(h.at, o.at), strings.Compare(h.node, o.node))
}

// voucher is the highest heads that one node witnessed of a tenant log: of events up to
// which the log is whole, of events that are not here, and, of these, the ones that it
// witnessed before the log was collected.
type voucher struct{ whole, beyond, due seenHead }

func (h *seenHead) raise(o seenHead) {
	if o.compare(*h) < 0 {
		*h = o
	}
}

// vouch notes that a node witnessed an event of the tenant log: one with the same hash, or one
// that is not here.
func (w *witnesses) vouch(log facts.Log, s *statement, here bool) {
	node, ok := s.log.Node()
	if !ok || w.walked == nil {
		return
	}
	if w.vouchers[log] == nil {
		w.vouchers[log] = map[string]*voucher{}
	}
	v := cmp.Or(w.vouchers[log][node], &voucher{})
	w.vouchers[log][node] = v
	said := seenHead{s.said.Sequence, s.said.Head, s.OccurredAt, node, s.Ref}
	whole, _ := w.walked(log)
	switch {
	case here && said.sequence <= whole:
		v.whole.raise(said)
	case !here:
		v.beyond.raise(said)
		if said.at <= w.collected.atEnd(log) {
			v.due.raise(said)
		}
	}
}

// quorum is how many nodes must witness an event for it to count.
func (w *witnesses) quorum() int { return max(1, w.root.MinimumWitnesses()) }

// nthHighest returns the highest head that n of some heads reach.
func nthHighest(all []seenHead, n int) seenHead {
	slices.SortFunc(all, seenHead.compare)
	return all[n-1]
}

// settleHeads finds the heads that contradict the tenant log, up to where each tenant log is
// complete by the nodes' witness statements, and the logs that end before that.
func (w *witnesses) settleHeads(ctx context.Context, spines map[facts.Log]*spine) error {
	if err := w.settleOthers(ctx); err != nil {
		return err
	}
	for _, log := range sortedLogs(w.vouchers) {
		w.addQuorumWord(log)
		if s := spines[log]; s != nil && s.last > 0 {
			if err := w.witnessedBeyond(ctx, log, s); err != nil {
				return err
			}
		}
	}
	slices.SortStableFunc(w.result.EndsEarly, func(a, b EndsEarly) int {
		return cmp.Or(strings.Compare(a.TenantID, b.TenantID), strings.Compare(a.LogID, b.LogID),
			strings.Compare(a.Store, b.Store))
	})
	return nil
}

// addQuorumWord adds up to where a tenant log is complete by the word of a quorum of nodes.
func (w *witnesses) addQuorumWord(log facts.Log) {
	var all []seenHead
	for _, v := range w.vouchers[log] {
		if v.whole.sequence > 0 {
			all = append(all, v.whole)
		}
	}
	if len(all) < w.quorum() {
		return
	}
	h := nthHighest(all, w.quorum())
	said := walk.Word{Sequence: h.sequence, By: []facts.AnchorKind{facts.JournalWitness},
		At: form.FormatMillis(h.at)}
	for node, v := range w.vouchers[log] {
		if v.whole.sequence >= h.sequence {
			said.Nodes = append(said.Nodes, node)
		}
	}
	slices.Sort(said.Nodes)
	w.result.Witnessed = append(w.result.Witnessed, Witnessed{log.TenantID, log.LogID, said})
}
