package crosscheck

import (
	"cmp"
	"context"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
)

// mostReports bounds the reports of one node that are kept: the highest. They
// are enough to tell how far its journal is anchored.
const mostReports = 1 << 15

// anchor is a hash that an event of a log must have.
type anchor struct {
	sequence uint64
	hash     chain.Hash
	ref      facts.Ref // of the statement that shows it
}

// reports are the heads that one node reported.
type reports struct {
	count   int
	anchors []anchor
	newest  anchor // that the tenant log holds
	at      int64  // when it was logged, milliseconds since 1970
}

// reportsByLog are the reports about each journal.
type reportsByLog map[facts.Log]*reports

// addReport adds a report that its node signed.
func (of reportsByLog) addReport(ctx context.Context, s *statement, v *verifier) error {
	r := &s.said.Report
	if held, err := v.reportHolds(ctx, s); !held {
		return err // a report that does not hold is for the walk to name
	}
	log := facts.JournalOf(s.log.TenantID, r.Node)
	all := of[log]
	if all == nil {
		all = &reports{}
		of[log] = all
	}
	all.count++
	if s.OccurredAt > all.at {
		all.newest, all.at = anchor{r.Link.Sequence, r.Recorded, s.Ref}, s.OccurredAt
	}
	all.anchors = append(all.anchors, anchor{r.Link.Sequence, r.Recorded, s.Ref})
	if len(all.anchors) >= 2*mostReports {
		all.anchors = highestAnchors(all.anchors)
	}
	return nil
}

// reportHolds reports whether the node that a report is of signed it.
func (v *verifier) reportHolds(ctx context.Context, s *statement) (bool, error) {
	r := &s.said.Report
	switch {
	case !v.isNodeKey(r.Node, r.KeyID):
		return false, nil
	case r.Judged():
		return r.Valid(), nil
	case v.isSound(s.log, s.Link.Sequence):
		return r.Intact(), nil
	}
	err := v.judge.Reports(ctx, []*walk.Report{r})
	return r.Valid(), err
}

// highestAnchors returns the anchors of the highest sequences, ascending, one of each
// sequence and hash.
func highestAnchors(all []anchor) []anchor {
	slices.SortStableFunc(all, func(a, b anchor) int {
		return cmp.Or(cmp.Compare(a.sequence, b.sequence), slices.Compare(a.hash[:], b.hash[:]))
	})
	all = slices.CompactFunc(all, func(a, b anchor) bool { return a.sequence == b.sequence && a.hash == b.hash })
	return all[max(0, len(all)-mostReports):]
}

// journals returns how far each journal agrees with its node's reports. Where it does not, the
// walk names it.
func (x *checker) journals(ctx context.Context) error {
	names := map[facts.Log]bool{}
	for log := range x.logs {
		if _, ok := log.Node(); ok {
			names[log] = true
		}
	}
	for log := range x.reports {
		names[log] = true
	}
	if err := x.pairs.settleApprovals(ctx); err != nil {
		return err
	}
	for _, log := range sortedLogs(names) {
		x.journalOf(log)
	}
	return x.pairs.unmatched(ctx)
}

func (x *checker) journalOf(log facts.Log) {
	j := Journal{TenantID: log.TenantID, LogID: log.LogID}
	if r := x.reports[log]; r != nil {
		heads := highestAnchors(r.anchors)
		j.Reports, j.Heads, j.Reported = r.count, len(heads), heads[len(heads)-1].sequence
	}
	if s := x.spines[log]; s != nil {
		j.First, j.Last, j.Matched, j.Differing, j.Covered = s.first, s.last, s.matched, len(s.differing), s.covered()
		x.compared += int64(j.Matched + j.Differing)
	}
	pairs := x.pairs.countsOf(log)
	j.Both, j.SignedOnly, j.RecordedOnly, j.NotCompared = pairs.both, pairs.signedOnly, pairs.recordedOnly, pairs.open
	x.result.Journals = append(x.result.Journals, j)
}
