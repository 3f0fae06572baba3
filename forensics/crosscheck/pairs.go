package crosscheck

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/spool"
)

// mostOpen bounds the approvals in memory that wait for their other side. Logs that
// are about the same time have few of them at any moment. Beyond it, half are spilled.
const mostOpen = 1 << 17

// apart is how far the clocks of a node and of the service may be apart, in
// milliseconds, twice: the tolerance of SPEC 7.13 for each.
const apart = 2 * 300_000

// approval is one side of an approval: approval.signed in the node's journal, or
// approval.recorded in the tenant log.
type approval struct {
	approvalKey
	kind          string
	transactionID string
	keyID         string // that signed the event
	sequence      uint64
	at            int64
	ref           facts.Ref
}

type approvalKey struct {
	journal facts.Log
	digest  chain.Hash
}

// pairCount counts the approvals of one node.
type pairCount struct{ both, signedOnly, recordedOnly, open int64 }

// pairs brings the two sides of approvals together.
type pairs struct {
	x       *exam
	wants   *wants
	records *records
	open    map[approvalKey]approval
	found   seen // the digests with both sides
	counts  map[facts.Log]*pairCount
	// Approvals that wait: those that were spilled and, in the end, all of them.
	waiting *spool.Sorter
	sought  []approval // whose other side can have been paired before
	// Approvals without their other side, by journal and sequence.
	alone *spool.Sorter
}

// sortRoom is how many bytes of approvals are sorted in memory.
const sortRoom = 16 << 20

func newPairs(x *exam, wants *wants, records *records) *pairs {
	return &pairs{x: x, wants: wants, records: records, open: map[approvalKey]approval{},
		counts: map[facts.Log]*pairCount{}, waiting: spool.NewSorter("", sortRoom), alone: spool.NewSorter("", sortRoom)}
}

// closeFiles removes the temporary files.
func (p *pairs) closeFiles() error { return errors.Join(p.waiting.Close(), p.alone.Close()) }

func (p *pairs) countsOf(journal facts.Log) *pairCount {
	if p.counts[journal] == nil {
		p.counts[journal] = &pairCount{}
	}
	return p.counts[journal]
}

// approvalIn returns the side of an approval that a statement is.
func approvalIn(s *statement) approval {
	a := approval{approvalKey: approvalKey{s.log, s.said.Digest}, kind: s.Type, transactionID: s.TransactionID,
		keyID: s.KeyID, sequence: s.Link.Sequence, at: s.OccurredAt, ref: s.Ref}
	if s.Type == event.ApprovalRecorded {
		a.journal = facts.JournalOf(s.log.TenantID, s.said.Node)
	}
	return a
}

// addSide adds one side. It is not compared if the log of the other side is not here.
func (p *pairs) addSide(ctx context.Context, s *statement) error {
	a := approvalIn(s)
	first, waits := p.open[a.approvalKey]
	here := p.x.logs[a.otherLog()]
	switch {
	case waits && first.kind == a.kind: // a copy, or said twice
		return p.compareAgain(ctx, first, a)
	case waits:
		delete(p.open, a.approvalKey)
		return p.countPair(ctx, first, a)
	case !here:
		p.countsOf(a.journal).open++
	default:
		if len(p.open) >= mostOpen {
			if err := p.spill(); err != nil {
				return err
			}
		}
		p.open[a.approvalKey] = a
	}
	return nil
}

// countPair counts both sides of an approval, and compares them. If the document is here, each
// was compared with that.
func (p *pairs) countPair(ctx context.Context, first, second approval) error {
	p.found.add(second.digest)
	p.countsOf(second.journal).both++
	p.x.compared++
	return p.compareApprovals(ctx, first, second)
}

// spill makes room: it moves the half of the approvals that has waited longest to the
// sorter.
func (p *pairs) spill() error {
	all := slices.SortedFunc(maps.Values(p.open), func(a, b approval) int {
		return cmp.Or(cmp.Compare(a.at, b.at), bytes.Compare(a.appendTo(nil), b.appendTo(nil)))
	})
	for _, a := range all[:(len(all)+1)/2] {
		delete(p.open, a.approvalKey)
		if err := p.waiting.Add(a.appendTo(nil)); err != nil {
			return err
		}
	}
	return nil
}

// ownLog is the log that the approval is an event of.
func (a *approval) ownLog() facts.Log {
	if a.kind == event.ApprovalSigned {
		return a.journal
	}
	return facts.TenantLog(a.journal.TenantID)
}

// otherLog is the log of the other side.
func (a *approval) otherLog() facts.Log {
	if a.kind == event.ApprovalSigned {
		return facts.TenantLog(a.journal.TenantID)
	}
	return a.journal
}

// settleApprovals pairs the approvals that were spilled, and counts those without their other
// side, before the counts are read.
func (p *pairs) settleApprovals(ctx context.Context) error {
	for _, a := range p.open {
		if err := p.waiting.Add(a.appendTo(nil)); err != nil {
			return err
		}
	}
	clear(p.open)
	var first, last approval // of the approvals with one key, which stand together
	for record, err := range p.waiting.All() {
		if err != nil {
			return err
		}
		a := readApproval(record)
		if first.kind != "" && a.approvalKey == first.approvalKey {
			if a.kind == last.kind {
				if err := p.compareAgain(ctx, last, a); err != nil {
					return err
				}
			}
			last = a
			continue
		}
		if err := p.settleOne(ctx, first, last); err != nil {
			return err
		}
		first, last = a, a
	}
	if err := p.settleOne(ctx, first, last); err != nil {
		return err
	}
	return p.settleSought(ctx)
}

// settleOne settles the approvals with one key, given the first and the last in their order:
// they differ in kind if both sides are there.
func (p *pairs) settleOne(ctx context.Context, first, last approval) error {
	if first.kind != last.kind {
		return p.countPair(ctx, first, last)
	}
	if first.kind == "" {
		return nil // there was none
	}
	// A repeated record has found its other side the first time.
	if first.transactionID == "" || !p.found.has(first.digest) {
		return p.settleAlone(first)
	}
	if p.sought = append(p.sought, first); len(p.sought) < mostSought {
		return nil
	}
	return p.settleSought(ctx)
}

// settleAlone counts an approval without its other side.
func (p *pairs) settleAlone(first approval) error {
	c := p.countsOf(first.journal)
	if first.transactionID == "" || !p.wholeFor(first) {
		c.open++
		return nil
	}
	if first.kind == event.ApprovalSigned {
		c.signedOnly++
	} else {
		c.recordedOnly++
	}
	return p.alone.Add(first.appendInOrder(nil))
}

// wholeFor reports whether the log in which the other side must stand is known
// to be whole around that time.
func (p *pairs) wholeFor(a approval) bool {
	s := p.x.spines[a.otherLog()]
	return s != nil && s.covers(a.at, apart)
}

// unmatched names the approvals without their other side.
func (p *pairs) unmatched(ctx context.Context) error {
	for record, err := range p.alone.All() {
		if err == nil {
			err = p.noteUnmatched(ctx, readInOrder(record))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *pairs) noteUnmatched(ctx context.Context, a approval) error {
	p.x.compared++
	w := p.wants.byKey[wantKey{a.journal, event.ApprovalSigned, a.digest}]
	_, documented := p.records.subjects[a.digest]
	switch {
	case w != nil && w.Answer != NotCovered:
		return nil // the bundle's finding reports this already
	case w == nil && documented:
		return nil // it contradicts the document, which has another node
	case a.kind == event.ApprovalRecorded && w == nil:
		return p.dispute(ctx, a, p.unsigned(a))
	case a.kind == event.ApprovalRecorded:
		return p.x.addFinding(ctx, finding.Finding{Code: finding.NotInJournal, TenantID: a.journal.TenantID,
			LogID: a.journal.LogID, Expected: a.missing(), Found: "none"}, a.ref)
	}
	return p.x.addFinding(ctx, finding.Finding{Code: finding.ApprovalUnrecorded, TenantID: a.journal.TenantID,
		LogID: a.journal.LogID, Sequence: a.sequence, LastSequence: a.sequence, Expected: a.missing(), Found: "none"}, a.ref)
}
