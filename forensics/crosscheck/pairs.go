package crosscheck

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/walk"
)

// mostOpen bounds the approvals that wait for their other side. Logs that are
// about the same time have few of them at any moment. Beyond it, half are put aside.
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
	sequence      uint64
	at            int64
	ref           casefile.Ref
}

type approvalKey struct {
	journal walk.Log
	digest  chain.Hash
}

// pairCount counts the approvals of one node.
type pairCount struct{ both, signedOnly, recordedOnly, open int64 }

// pairs brings the two sides of approvals together.
type pairs struct {
	x      *exam
	wants  *wants
	open   map[approvalKey]approval
	found  seen // the digests of those of which both sides came
	counts map[walk.Log]*pairCount
	aside  aside // of those that waited longest while too many did
	lost   int64 // that were put aside, and whose other side is expected or may have come
}

func newPairs(x *exam, wants *wants) *pairs {
	return &pairs{x: x, wants: wants, open: map[approvalKey]approval{}, counts: map[walk.Log]*pairCount{}}
}

func (p *pairs) of(journal walk.Log) *pairCount {
	if p.counts[journal] == nil {
		p.counts[journal] = &pairCount{}
	}
	return p.counts[journal]
}

// take takes in one side. That which has no log here to have its other side in
// is not compared.
func (p *pairs) take(ctx context.Context, s *statement) error {
	a := approval{approvalKey: approvalKey{s.log, s.said.Digest}, kind: s.Type, transactionID: s.TransactionID,
		sequence: s.Link.Sequence, at: s.OccurredAt, ref: s.Ref}
	other := walk.TenantLog(s.log.TenantID)
	if s.Type == event.ApprovalRecorded {
		a.journal = walk.JournalOf(s.log.TenantID, s.said.Node)
		other = a.journal
	}
	first, waits := p.open[a.approvalKey]
	_, here := p.x.logs[other]
	switch {
	case waits && first.kind == a.kind: // a copy, or said twice
	case waits:
		delete(p.open, a.approvalKey)
		p.found.add(a.digest)
		p.of(a.journal).both++
		p.x.compared++
		if first.transactionID != a.transactionID && first.transactionID != "" && a.transactionID != "" {
			f := finding.Finding{Code: finding.RecordContradicts, TenantID: s.log.TenantID, LogID: s.log.LogID,
				Sequence: a.sequence, LastSequence: a.sequence, Expected: "transaction_id " + first.transactionID +
					", as the other record of approval " + a.digest.String() + " says", Found: "transaction_id " + a.transactionID}
			return p.x.note(ctx, f, a.ref, first.ref)
		}
	case !here:
		p.of(a.journal).open++
	default:
		if len(p.open) >= mostOpen {
			p.putAside()
		}
		p.open[a.approvalKey] = a
	}
	return nil
}

// other is the log in which the other side stands.
func (a *approval) other() walk.Log {
	if a.kind == event.ApprovalSigned {
		return walk.TenantLog(a.journal.TenantID)
	}
	return a.journal
}

// settle counts those that no other side came for, before the counts are read,
// and returns those for which it ought to have come.
func (p *pairs) settle(ctx context.Context) ([]approval, error) {
	var alone []approval
	p.lost += p.aside.expected(p.x.spines)
	for _, a := range p.open {
		if p.missed(a) {
			p.lost++
		}
	}
	for _, a := range p.open {
		c := p.of(a.journal)
		if p.lost > 0 || a.transactionID == "" || !p.wholeFor(a) {
			c.open++
			continue
		}
		// What was said twice has found its other side the first time.
		if p.found.has(a.digest) {
			found, err := p.otherSide(ctx, a)
			if err != nil {
				return nil, err
			}
			if found {
				continue
			}
		}
		if a.kind == event.ApprovalSigned {
			c.signedOnly++
		} else {
			c.recordedOnly++
		}
		alone = append(alone, a)
	}
	slices.SortFunc(alone, func(a, b approval) int {
		return cmp.Or(strings.Compare(a.journal.TenantID, b.journal.TenantID),
			strings.Compare(a.journal.LogID, b.journal.LogID), cmp.Compare(a.sequence, b.sequence),
			slices.Compare(a.digest[:], b.digest[:]))
	})
	return alone, nil
}

// otherSide looks for the other side of an approval among the events about its
// transaction.
func (p *pairs) otherSide(ctx context.Context, a approval) (bool, error) {
	log, kind := walk.TenantLog(a.journal.TenantID), event.ApprovalRecorded
	if a.kind == event.ApprovalRecorded {
		log, kind = a.journal, event.ApprovalSigned
	}
	for e, err := range p.x.in.Chosen(ctx, p.x.logs[log], casefile.Choice{Types: []string{kind},
		TransactionID: a.transactionID}) {
		if err != nil {
			return false, err
		}
		if s, ok, err := p.x.read(ctx, log, e); err != nil || ok && s.said.Digest == a.digest {
			return true, err
		}
	}
	return false, nil
}

// wholeFor reports whether the log in which the other side must stand is known
// to be whole around that time.
func (p *pairs) wholeFor(a approval) bool {
	s := p.x.spines[a.other()]
	return s != nil && s.covers(a.at, apart)
}

// unmatched names those that no other side came for.
func (p *pairs) unmatched(ctx context.Context, alone []approval) error {
	for _, a := range alone {
		f := finding.Finding{Code: finding.ApprovalUnrecorded, TenantID: a.journal.TenantID, LogID: a.journal.LogID,
			Sequence: a.sequence, LastSequence: a.sequence, Expected: fmt.Sprintf("%s of %s in tenant/%s",
				event.ApprovalRecorded, a.digest, a.journal.TenantID), Found: "none"}
		if a.kind == event.ApprovalRecorded {
			f.Code, f.Sequence, f.LastSequence = finding.ApprovalNotInJournal, 0, 0
			f.Expected = fmt.Sprintf("%s of %s, as event %d of tenant/%s says", event.ApprovalSigned, a.digest, a.sequence,
				a.journal.TenantID)
		}
		p.x.compared++
		if w := p.wants.byKey[wantKey{a.journal, event.ApprovalSigned, a.digest}]; w != nil && w.Answer != NotCovered {
			continue // said of the bundle
		}
		if err := p.x.note(ctx, f, a.ref); err != nil {
			return err
		}
	}
	p.x.limit(walk.Log{}, fmt.Sprintf("at most %d approvals that wait for their other side", mostOpen), p.lost)
	return nil
}
