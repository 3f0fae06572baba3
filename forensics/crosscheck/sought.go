package crosscheck

import (
	"context"
	"iter"
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
	left := map[facts.Log]map[chain.Hash][]int{}
	for i, a := range all {
		choice := evidence.Choice{Types: []string{kindIn(a.otherLog())}, TransactionID: a.transactionID}
		err := p.eachSide(ctx, a.otherLog(), p.x.in.Chosen(ctx, a.otherLog(), choice), func(other approval) bool {
			if other.digest == a.digest {
				others[i] = &other
			}
			return others[i] == nil
		})
		if err != nil {
			return nil, err
		}
		if others[i] != nil {
			continue
		}
		if left[a.otherLog()] == nil {
			left[a.otherLog()] = map[chain.Hash][]int{}
		}
		left[a.otherLog()][a.digest] = append(left[a.otherLog()][a.digest], i)
	}
	for _, log := range slices.SortedFunc(maps.Keys(left), facts.Log.Compare) {
		wanted := left[log]
		choice := evidence.Choice{Types: []string{kindIn(log)}}
		err := p.eachSide(ctx, log, p.x.in.Chosen(ctx, log, choice), func(other approval) bool {
			for _, i := range wanted[other.digest] {
				others[i] = &other
			}
			delete(wanted, other.digest)
			return len(wanted) > 0
		})
		if err != nil {
			return nil, err
		}
	}
	return others, nil
}

// eachSide hands on the approvals among events that the owner of their log signed, until
// no more are wanted.
func (p *pairs) eachSide(ctx context.Context, log facts.Log, of iter.Seq2[*evidence.Typed, error],
	wanted func(approval) bool) error {
	for e, err := range of {
		if err != nil {
			return err
		}
		s, ok, err := p.x.readStatement(ctx, log, e)
		if err != nil {
			return err
		}
		if ok && !wanted(approvalIn(&s)) {
			return nil
		}
	}
	return nil
}

// kindIn returns the type of the events by which a log shows approvals.
func kindIn(log facts.Log) string {
	if log.IsTenant() {
		return event.ApprovalRecorded
	}
	return event.ApprovalSigned
}
