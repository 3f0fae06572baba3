package affected

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/status"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// reach adds a transaction that a doubtful word is about.
func (x *finder) reach(tenant, transaction string) {
	s := Subject{tenant, transaction}
	if transaction != "" && x.found[s] == nil {
		x.found[s] = &reached{nodes: map[string]bool{}, certificates: map[string]*Certificate{}}
	}
}

// keepSelected keeps the transactions of the events that a filter selects; nil selects all.
func (x *finder) keepSelected(ctx context.Context, f *store.Filter) error {
	if f == nil {
		return nil
	}
	selected := map[Subject]bool{}
	for e, err := range x.c.Select(ctx, *f) {
		if err != nil {
			return err
		}
		selected[Subject{e.Log.TenantID, e.TransactionID}] = true
	}
	maps.DeleteFunc(x.found, func(s Subject, _ *reached) bool { return !selected[s] })
	return nil
}

// notRead adds a reason why transactions may be absent.
func (x *finder) notRead(text string) { x.answer.NotRead = append(x.answer.NotRead, text) }

// readLogs finds the transactions of the doubtful events, and the statements that journals record
// outside of them.
func (x *finder) readLogs(ctx context.Context) error {
	bad := x.badEvents()
	for _, d := range x.ordered(facts.Log{}) {
		if !x.logs[d.log] {
			x.notRead("any event of " + safetext.Quote(d.log.LogID) + ", as the case has none")
			continue
		}
		if err := x.readEvents(ctx, d, bad[d.log]); err != nil {
			return err
		}
		if d.node == "" {
			continue
		}
		signed := []string{event.ApprovalSigned, event.CapabilityObserved, event.CheckpointWitness}
		for e, err := range crosscheck.ReadRecords(ctx, x.c, x.root, d.log, signed, nil) {
			if err != nil {
				return err
			}
			if e.Signed && !d.spans.contain(e.Link.Sequence) {
				d.elsewhere[e.Digest] = true
			}
		}
	}
	return nil
}

// badEvents returns the events that are not as their owners signed them.
func (x *finder) badEvents() map[facts.Log]spans {
	all := map[facts.Log]spans{}
	defects := []finding.Defect{finding.WrongHash, finding.WrongSignature, finding.UnknownKey, finding.OthersKey}
	for _, f := range x.examined.Findings {
		entry := f.Code.Entry()
		if f.Sequence > 0 && entry.About == finding.Events && slices.Contains(defects, entry.Defect) {
			log := facts.LogOf(f)
			all[log] = append(all[log], span{f.Sequence, max(f.Sequence, f.LastSequence)})
		}
	}
	for log := range all {
		all[log] = joinSpans(all[log])
	}
	return all
}

// readEvents finds the transactions of the doubtful events of a log. Copies of one event may name
// different ones.
func (x *finder) readEvents(ctx context.Context, d *doubt, bad spans) error {
	end, here, last := x.knownEnd(d.log), uint64(0), uint64(0)
	for _, s := range d.spans {
		for e, err := range x.c.Select(ctx, store.Filter{TenantID: d.log.TenantID, LogID: d.log.LogID, First: s.first,
			Last: s.last}) {
			if err != nil {
				return err
			}
			x.reach(d.log.TenantID, e.TransactionID)
			if n := e.Link.Sequence; n != last && n <= end && !bad.contain(n) {
				here++
			}
			last = e.Link.Sequence
		}
	}
	if all := d.spans.countUpTo(end); all > here {
		x.notRead(fmt.Sprintf("%d of %s of %s, which are not here or not as they were signed", all-here,
			safetext.Count(all, "event"), safetext.Quote(d.log.LogID)))
	}
	return nil
}

// readApprovals finds the transactions that a doubtful node approved by the word of the tenant log.
func (x *finder) readApprovals(ctx context.Context) error {
	for _, tenant := range slices.Sorted(maps.Keys(x.ofNodes)) {
		log := facts.TenantLog(tenant)
		switch {
		case !x.logs[log]:
			x.notRead("any event of " + safetext.Quote(log.LogID) + ", which records approvals")
			continue
		case x.ends[log].Missing > 0:
			x.notRead(fmt.Sprintf("%s of %s that are not here, and may record approvals",
				safetext.Count(x.ends[log].Missing, "event"), safetext.Quote(log.LogID)))
		}
		unnamed := 0
		for e, err := range crosscheck.ReadRecords(ctx, x.c, x.root, log, []string{event.ApprovalRecorded}, nil) {
			switch {
			case err != nil:
				return err
			case !e.Signed || !x.doubts[facts.JournalOf(tenant, e.Node)].reaches(e.Digest):
			case e.TransactionID == "":
				unnamed++
			default:
				x.reach(tenant, e.TransactionID)
			}
		}
		if unnamed > 0 {
			x.notRead(fmt.Sprintf("%s whose transaction %s does not name", safetext.Count(unnamed, "approval"),
				safetext.Quote(log.LogID)))
		}
	}
	return nil
}

// reaches reports whether a statement of the node is doubtful: the journal does not record it
// outside of the doubtful events.
func (d *doubt) reaches(statement chain.Hash) bool { return d != nil && !d.elsewhere[statement] }

// reachByProofs finds the transactions whose proofs rest on a doubtful word, or are damaged.
func (x *finder) reachByProofs(ctx context.Context) error {
	for p, err := range status.Proofs(ctx, x.c, x.examined) {
		switch {
		case err != nil:
			return err
		case p.Verified && x.restsOnDoubt(p.Bundle), x.damaged[p.Digest()] && p.Bundle != nil:
			x.reach(p.Bundle.Manifest.TenantID, p.Bundle.Manifest.TransactionID)
		case x.damaged[p.Digest()]:
			x.notRead("a damaged proof, whose transaction cannot be read")
		}
	}
	return nil
}

// restsOnDoubt reports whether a doubtful node signed a statement of a proof, or the tenant log has
// its checkpoint or an event of it where it is doubtful.
func (x *finder) restsOnDoubt(b *bundle.Bundle) bool {
	tenant := b.Manifest.TenantID
	signed := func(node string, statement chain.Hash) bool {
		return x.doubts[facts.JournalOf(tenant, node)].reaches(statement)
	}
	for _, a := range b.Manifest.Approvals {
		if signed(a.NodeID, a.Digest) {
			return true
		}
	}
	for _, c := range b.Capability {
		if signed(c.Unverified().NodeID, c.Digest()) {
			return true
		}
	}
	for _, w := range b.Witnesses {
		if signed(w.Unverified().NodeID, w.Unverified().Checkpoint) {
			return true
		}
	}
	d := x.doubts[facts.TenantLog(tenant)]
	disclosed := func(l bundle.PathLink) bool { return l.Event != nil && d.spans.contain(l.Link.Sequence) }
	return d != nil && (d.spans.contain(b.Checkpoint.Unverified().Sequence) || slices.ContainsFunc(b.Path, disclosed))
}
