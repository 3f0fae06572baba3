package walk

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/trust"
)

// line joins the sections of one log in order. A log has one history; where
// its owner signed two, each is a branch.
type line struct {
	judge    *judge
	said     *statements
	log      facts.Log
	book     notebook
	branches []*branch
	known    map[uint64][]chain.Hash // believed hashes at the anchored sequences, in any branch
	top      uint64                  // the highest of these sequences: up to there the log is known to go
	open     *unattested             // events beyond the end of the log, nil if there are none
	frontier map[uint64]chain.Hash   // the hashes that later links can name, of the first branch
	begin    LogState                // where the walk began
	partial  bool                    // the walk stopped before the end of the log
	declared bool                    // by the user's word the log was collected
	leftOut  bool                    // its events may be in files that were left out
	until    int64                   // as Options.Until
	tally    tally
}

// beginLine returns the line of a log at genesis, or where an earlier walk ended.
func (w *walker) beginLine(ctx context.Context, judge *judge) (*line, error) {
	log := judge.log
	begin, ok := w.since[log]
	if !ok {
		begin = LogState{Log: log}
	}
	f, err := begin.frontier()
	if err != nil {
		return nil, err
	}
	b := &branch{segment: startSegment(f), last: &judged{}, doubts: map[uint64]doubt{}, marks: map[uint64]mark{},
		counts: begin.Counts}
	l := &line{judge: judge, said: w.said, log: log, book: notebook{judge, w.said, newNotes()}, branches: []*branch{b},
		begin: begin, declared: slices.Contains(w.collected, log.LogID), until: w.until(log),
		leftOut: w.leftOut,
		known:   map[uint64][]chain.Hash{}, frontier: f.Hashes()}
	if top := judge.anchors.highest(); len(top) > 0 {
		l.top = top[0].Sequence
	}
	if begin.Sequence == 0 {
		return l, nil
	}
	if err := l.recall(ctx); err != nil {
		return nil, err
	}
	b.last, err = judge.foremostCopy(ctx, begin.Sequence)
	if err == nil && b.last.logHash() != f.Head() {
		err = fmt.Errorf("event %d of %s changed: expected %s, found %s; walk again from the start",
			begin.Sequence, log.LogID, f.Head(), b.last.logHash())
	}
	return l, err
}

// recall looks up the events below the beginning of the walk that anchors name:
// an anchor can come in later than the event.
func (l *line) recall(ctx context.Context) error {
	for _, n := range l.judge.anchored {
		if n > l.begin.Sequence {
			return nil
		}
		copies, err := l.judge.copies(ctx, n)
		if err != nil {
			return err
		}
		for i := range copies {
			if copies[i].hashBelieved() {
				l.known[n] = append(l.known[n], copies[i].logHash())
			}
		}
		l.branches[0].marks[n] = mark{l.known[n], n} // nothing is missing below
	}
	return nil
}

// joinSection joins a section.
func (l *line) joinSection(ctx context.Context, s *section) error {
	for _, a := range s.known {
		l.known[a.Sequence] = append(l.known[a.Sequence], a.Hash)
	}
	for _, p := range s.pieces {
		var err error
		if p.copies == nil {
			err = l.addSeries(ctx, p.series)
		} else {
			err = l.addCopies(ctx, p.copies)
		}
		if err != nil {
			return err
		}
	}
	for _, n := range s.crowded {
		l.book.addFault(finding.Finding{Code: finding.LimitReached, Sequence: n, LastSequence: n,
			Expected: fmt.Sprintf("at most %d copies of one event", mostCopies),
			Found:    "more, without those that are like one of these"})
	}
	if err := l.addReports(ctx, s.reports); err != nil {
		return err
	}
	l.keepHashes(s)
	l.said.uses.addEvents(l.log, s.tally.keys)
	l.tally.addTally(&s.tally)
	return nil
}

// before returns the branch that an event continues: the one to whose head it links, or else
// the longest.
func (l *line) before(j *judged) *branch {
	for _, b := range l.branches {
		if b.segment.Last()+1 == j.Sequence && b.segment.Head() == j.Previous {
			return b
		}
	}
	return l.longest()
}

// longest returns the branch that goes furthest, the first of these.
func (l *line) longest() *branch {
	best := l.branches[0]
	for _, b := range l.branches {
		if b.segment.Last() > best.segment.Last() {
			best = b
		}
	}
	return best
}

// addCopies joins a sequence that has several copies, or one that is not
// valid.
func (l *line) addCopies(ctx context.Context, copies []judged) error {
	valid := validHistories(copies)
	if len(valid) == 0 {
		for i := range copies {
			if err := l.book.noteDefects(ctx, &copies[i]); err != nil {
				return err
			}
		}
		return l.extendDamaged(ctx, foremostCopy(copies))
	}
	for i := range copies {
		if err := l.book.noteCopy(ctx, &copies[i], valid); err != nil {
			return err
		}
	}
	if len(valid) == 1 {
		return l.addSeries(ctx, singleSeries(valid[0]))
	}
	l.addUnvouched()
	return l.extendAll(ctx, valid)
}

// addSeries joins events that are valid, one of each sequence.
func (l *line) addSeries(ctx context.Context, r series) error {
	b := l.before(r.first)
	unconnected, err := l.unconnected(ctx, b, r)
	if err != nil {
		return err
	}
	if unconnected {
		return l.extendUnconnected(ctx, b, r)
	}
	l.addUnvouched()
	return l.extend(ctx, b, r)
}

// validHistories returns the valid copies, of each hash the first.
func validHistories(copies []judged) []*judged {
	var valid []*judged
	for i := range copies {
		j := &copies[i]
		if j.Valid() && !slices.ContainsFunc(valid, func(v *judged) bool { return v.logHash() == j.logHash() }) {
			valid = append(valid, j)
		}
	}
	return valid
}

// extend joins a series to a branch and notes the misfits at the seam.
func (l *line) extend(ctx context.Context, b *branch, r series) error {
	if j := r.first; r.events == 1 && !(j.hashBelieved() && j.contentBelieved()) {
		b.doubts[j.Sequence] = doubt{hash: !j.hashBelieved(), content: !j.contentBelieved()}
	}
	joined := b.segment.Join(r.segment)
	breaks := joined.Breaks
	joined.Breaks = nil
	if r.events == 1 && r.first.Computed != r.first.logHash() {
		b.breakOff(chain.Break{Kind: chain.BreakHash, Sequence: r.first.Sequence})
	}
	broken := map[uint64]bool{}
	for _, k := range breaks {
		broken[k.Sequence] = true
		b.breakOff(k)
		if k.Kind == chain.BreakGap {
			b.counts.Missing += k.Sequence - k.Other
		}
		if err := l.book.noteBreak(ctx, b, r.first, k); err != nil {
			return err
		}
	}
	if err := l.book.noteTime(ctx, b, r.first); err != nil {
		return err
	}
	b.segment, b.last = joined, r.last
	l.mark(b, r)
	b.countSeries(r, uint64(len(broken)))
	b.dropDoubts()
	return nil
}

// mark marks the anchored events of a series.
func (l *line) mark(b *branch, r series) {
	i, _ := slices.BinarySearch(l.judge.anchored, r.first.Sequence)
	for _, n := range l.judge.anchored[i:] {
		if n > r.last.Sequence {
			return
		}
		m := mark{l.known[n], b.counts.Events + n - r.first.Sequence + 1}
		if r.events == 1 && r.first.Valid() {
			m.hashes = []chain.Hash{r.first.logHash()}
		}
		b.marks[n] = m
	}
}

// addReports adds the anchors of sound reports, and notes the others.
func (l *line) addReports(ctx context.Context, reports []headReport) error {
	for i := range reports {
		r := &reports[i]
		if r.Intact() {
			l.said.uses.countStatement(l.log, facts.SignedReports, r.KeyID, trust.Signatory{Role: trust.Node, Node: r.Node},
				r.at.Sequence, r.pinning())
		}
		if r.defect == nil {
			l.said.addAnchor(r.target(l.log), r.anchor(l.log))
		} else if err := l.book.noteFaults(ctx, *r.defect, r.at); err != nil {
			return err
		}
	}
	return nil
}

// keepHashes keeps the hashes that later links can name.
func (l *line) keepHashes(s *section) {
	for _, a := range s.offers {
		l.frontier[a.Sequence] = a.Hash
	}
	way := chain.Way(s.last, 0)
	maps.DeleteFunc(l.frontier, func(n uint64, _ chain.Hash) bool { return !slices.Contains(way, n) })
}
