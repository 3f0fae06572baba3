package crosscheck

import (
	"context"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// mostSought bounds the approvals whose other sides are sought together: one pass over a log
// finds all of them.
const mostSought = 1 << 14

// settleSought compares the approvals that wait with their other sides, and counts those
// that have none.
func (p *pairs) settleSought(ctx context.Context) error {
	all := p.sought
	p.sought = nil
	others, err := p.otherSides(ctx, all)
	if err != nil {
		return err
	}
	var disputed, by []approval // by which logs
	for i, a := range all {
		other := others[i]
		switch {
		case other == nil:
			err = p.settleAlone(a)
		case a.journal == other.journal:
			err = p.compareApprovals(ctx, a, *other)
		case p.disagree(a, *other):
			disputed, by = append(disputed, a), append(by, *other)
		}
		if err != nil {
			return err
		}
	}
	thirds, err := p.otherSides(ctx, by)
	for i := range thirds {
		if err == nil {
			err = p.compareThird(ctx, disputed[i], by[i], thirds[i])
		}
	}
	return err
}

// otherSides returns the other side of each approval: among the events about its
// transaction, or else among all. It is nil if there is none.
func (p *pairs) otherSides(ctx context.Context, all []approval) ([]*approval, error) {
	others := make([]*approval, len(all))
	wanted := map[facts.Log]map[chain.Hash][]int{}
	for i, a := range all {
		in := wanted[a.otherLog()]
		if in == nil {
			in = map[chain.Hash][]int{}
			wanted[a.otherLog()] = in
		}
		in[a.digest] = append(in[a.digest], i)
	}
	for _, log := range slices.SortedFunc(maps.Keys(wanted), facts.Log.Compare) {
		for e, err := range p.x.in.Chosen(ctx, log, evidence.Choice{Types: []string{kindIn(log)}}) {
			if err != nil {
				return nil, err
			}
			s, ok, err := p.x.readStatement(ctx, log, e)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			other := approvalIn(&s)
			for _, i := range wanted[log][other.digest] {
				id := all[i].transactionID
				if others[i] == nil || other.transactionID == id && others[i].transactionID != id {
					others[i] = &other
				}
			}
		}
	}
	return others, nil
}

// kindIn returns the type of the events by which a log shows approvals.
func kindIn(log facts.Log) string {
	if log.IsTenant() {
		return event.ApprovalRecorded
	}
	return event.ApprovalSigned
}
