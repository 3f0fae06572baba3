package crosscheck

import (
	"context"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// statement is an event that its log's owner signed, and its data, if requested.
type statement struct {
	facts.Event
	log  facts.Log
	said *evidence.Said
}

var nothing evidence.Said

// readStatement reads a copy of an event; ok is false if it is no statement.
func (x *exam) readStatement(ctx context.Context, log facts.Log, e *evidence.Typed) (s statement, ok bool, err error) {
	if held, err := x.isGenuine(log, &e.Event); !held {
		return s, false, err
	}
	s = statement{Event: e.Event, log: log, said: new(evidence.Said)}
	return s, true, x.in.Said(ctx, log, []evidence.Typed{*e}, func(_ int, said *evidence.Said) error {
		*s.said = *said
		return nil
	})
}

// mostAhead bounds the statements that are read ahead, over all logs of a tenant, and
// leastAhead the ones of one log: some at a time are verified together, and found in the
// blocks that hold them.
const (
	mostAhead  = 4096
	leastAhead = 128
)

// window is statements of a log that are read together.
type window struct {
	x     *checker
	log   facts.Log
	typed []evidence.Typed
	valid []bool
	all   []statement
	said  []evidence.Said // of those whose data is read
	at    []int           // where these are
}

// chosen yields the statements of a log, and reads so many of them together. A statement is
// valid until the next ones.
func (x *checker) chosen(ctx context.Context, log facts.Log, ahead int) iter.Seq2[[]statement, error] {
	return evidence.Stream(func(yield func([]statement) error) error {
		w := &window{x: x, log: log}
		for e, err := range x.in.Chosen(ctx, log, statementsOf(log)) {
			if err != nil {
				return err
			}
			if w.typed = append(w.typed, *e); len(w.typed) < ahead {
				continue
			}
			if err := w.yieldStatements(ctx, yield); err != nil {
				return err
			}
		}
		return w.yieldStatements(ctx, yield)
	})
}

// statementsOf chooses all statements of a log.
func statementsOf(log facts.Log) evidence.Choice {
	return evidence.Choice{Types: evidence.StatementTypes(log.LogID)}
}

// yieldStatements reads the statements of the window and yields them.
func (w *window) yieldStatements(ctx context.Context, yield func([]statement) error) error {
	err := w.readStatements(ctx)
	w.typed = w.typed[:0]
	if err != nil || len(w.all) == 0 {
		return err
	}
	return yield(w.all)
}

// readStatements makes statements of the events of the window that are valid. The data is
// read of those with which anything can be compared.
func (w *window) readStatements(ctx context.Context) error {
	w.valid = slices.Grow(w.valid[:0], len(w.typed))[:len(w.typed)]
	if err := w.x.judgeEvents(w.log, w.typed, w.valid); err != nil {
		return err
	}
	w.all, w.at = slices.Grow(w.all[:0], len(w.typed)), w.at[:0]
	kept := w.typed[:0]
	for i := range w.typed {
		if !w.valid[i] {
			if len(w.x.holdings.unread) < mostUnread {
				w.x.holdings.unread[w.typed[i].Ref] = true
			}
			continue
		}
		if w.x.asksFor(w.log, w.typed[i].Type) {
			w.at = append(w.at, len(w.all))
			kept = append(kept, w.typed[i])
		}
		w.all = append(w.all, statement{Event: w.typed[i].Event, log: w.log, said: &nothing})
	}
	w.said = slices.Grow(w.said[:0], len(kept))[:len(kept)]
	return w.x.in.Said(ctx, w.log, kept, func(i int, said *evidence.Said) error {
		w.said[i] = *said
		w.all[w.at[i]].said = &w.said[i]
		return nil
	})
}

// asksFor reports whether anything can be compared with the data of the events
// of a type.
func (x *checker) asksFor(log facts.Log, eventType string) bool {
	documents := len(x.wants.byKey) > 0 || len(x.records.subjects) > 0
	switch eventType {
	case event.CheckpointWitness, event.NodeReported, event.ApprovalRecorded:
		return true
	case event.ApprovalSigned:
		return documents || x.logs[facts.TenantLog(log.TenantID)]
	case event.CapabilityObserved, event.DecisionRecorded, event.IssuanceCompleted, event.CertificateRevoked:
		return documents
	}
	return false // its data is open
}

// readStatements reads the statements of all logs of each tenant, by their times as far as
// each log keeps to its own, so that related statements come close together.
func (x *checker) readStatements(ctx context.Context) error {
	byTenant := map[string][]facts.Log{}
	var tenants []string
	for _, log := range sortedLogs(x.logs) {
		// The owners of all other logs have no pinned key. So there are never
		// more logs of one tenant than the trust file has nodes, and one.
		if node, ofNode := log.Node(); !log.IsTenant() && !(ofNode && len(x.root.NodeKeys(node)) > 0) {
			continue
		}
		if len(byTenant[log.TenantID]) == 0 {
			tenants = append(tenants, log.TenantID)
		}
		byTenant[log.TenantID] = append(byTenant[log.TenantID], log)
	}
	for _, t := range tenants {
		if err := x.readTenant(ctx, byTenant[t]); err != nil {
			return err
		}
	}
	return nil
}

// feed is one log that is read along with others.
type feed struct {
	next func() ([]statement, error, bool)
	all  []statement // the next ones; none at the end
	err  error
}

// readNext continues with the next statements once there is none.
func (f *feed) readNext() {
	if len(f.all) == 0 {
		f.all, f.err, _ = f.next()
	}
}

func (x *checker) readTenant(ctx context.Context, logs []facts.Log) error {
	var feeds []*feed
	ahead := max(leastAhead, mostAhead/len(logs))
	for _, log := range logs {
		next, stop := iter.Pull2(x.chosen(ctx, log, ahead))
		defer stop()
		feeds = append(feeds, &feed{next: next})
	}
	for {
		var first *feed
		for _, f := range feeds {
			if f.readNext(); f.err != nil {
				return f.err
			}
			if len(f.all) > 0 && (first == nil || f.all[0].OccurredAt < first.all[0].OccurredAt) {
				first = f
			}
		}
		if first == nil {
			return x.witnesses.compareWaiting(ctx)
		}
		if err := x.handOn(ctx, &first.all[0]); err != nil {
			return err
		}
		first.all = first.all[1:]
	}
}

// handOn hands a statement on to everything that wants it.
func (x *checker) handOn(ctx context.Context, s *statement) error {
	if misplaced, err := x.records.misplaced(ctx, s); misplaced || err != nil {
		return err
	}
	x.wants.matchStatement(s)
	contradicts, err := x.records.contradicts(ctx, s)
	if err != nil {
		return err
	}
	switch s.Type {
	case event.ApprovalSigned, event.ApprovalRecorded:
		return x.pairs.addSide(ctx, s)
	case event.NodeReported:
		return x.reports.addReport(ctx, s, x.verifier)
	case event.CheckpointWitness:
		if !contradicts {
			return x.witnesses.addWitnessing(ctx, s)
		}
	case event.IssuancePaused, event.IssuanceResumed, event.ResumeRequested, event.ResumeExpired, event.IssuanceCompleted:
		x.pauses.addEvent(s)
	}
	return nil
}
