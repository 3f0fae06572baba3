package walk

import (
	"context"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// conclusion is the answer on one log.
type conclusion struct {
	result   LogResult
	findings []finding.Finding
	worst    finding.Effect // of the findings along the log
	state    LogState
	facts    LogFacts
	misfits  []chain.Anchor // see tally
}

// ending is a log whose last section was joined, checked against its anchors.
type ending struct {
	*line
	anchors anchors
	branch  *branch // the history that the numbers are of
	stand   standing
	strays  strays // above its end
}

// concludeLog answers for one log, once its last section was joined: is it whole,
// as far as its anchors say?
func (l *line) concludeLog(ctx context.Context) (*conclusion, error) {
	strays, err := l.removeUnvouched(ctx)
	if err != nil {
		return nil, err
	}
	all := l.judge.anchors
	b := l.main(all)
	e := &ending{l, all, b, all.compareWith(b, l.known), strays}
	if err := e.noteForks(ctx); err != nil {
		return nil, err
	}
	if err := e.noteAnchors(ctx); err != nil {
		return nil, err
	}
	if err := e.noteEnd(ctx); err != nil {
		return nil, err
	}
	given, err := e.noteNone(ctx)
	if err != nil {
		return nil, err
	}
	e.noteOtherTenant()
	r := e.logResult()
	r.Forks, r.Strays, r.Collected = e.forks(), strays.ranges, given
	r.Known = e.missingKnown(r)
	e.tellDisclosed(r.Known)
	facts, err := e.logFacts(ctx, r.Forks)
	if err != nil {
		return nil, err
	}
	if r.UnanchoredTail > 0 && !l.partial {
		e.noteTail(r)
	}
	state := e.nextState(r)
	if l.partial {
		l.book.addFault(finding.Finding{Code: finding.LimitReached, Sequence: r.LastSequence, LastSequence: r.LastSequence,
			Expected: "the end of the log", Found: fmt.Sprintf("no time left after event %d", r.LastSequence)})
	}
	findings := l.book.allFindings(l.log)
	blame := l.book.blame
	if n := l.said.notes[l.log]; n != nil {
		blame = worseEffect(blame, n.blame)
	}
	r.Verdict = r.verdictOf(blame)
	return &conclusion{r, findings, l.book.worst, state, facts, l.tally.misfits}, nil
}

// noteTail notes the events above the highest anchor that fits.
func (e *ending) noteTail(r LogResult) {
	f := finding.Finding{Code: finding.TailUnanchored, Sequence: max(r.FirstSequence, r.AnchoredSequence+1),
		LastSequence: r.LastSequence, Expected: fmt.Sprintf("an anchor at or above event %d", r.LastSequence),
		Found: "none that fits"}
	if top := e.stand.matched.highest(); len(top) > 0 && top[0].Sequence >= r.AnchoredSequence {
		f.Sequence, f.Found = top[0].Sequence+1, "the highest that fits is "+top[0].Name
	}
	e.book.addFault(f)
}

// main returns the history that the numbers are of. Where the log forks, it is
// the one that the highest anchor names, an anchor that the owner cannot make
// alone before any other; or else the longest. Where the anchors of one kind name
// both alike, the others tell.
func (l *line) main(all anchors) *branch {
	best := l.longest()
	if len(l.branches) == 1 {
		return best
	}
	independent := all.independent()
	fits := func(b *branch, among anchors) uint64 {
		if top := b.matched(among).highest(); len(top) > 0 {
			return top[0].Sequence
		}
		return 0
	}
	highest := [2]uint64{fits(best, independent), fits(best, all)}
	for _, b := range l.branches {
		at := [2]uint64{fits(b, independent), fits(b, all)}
		if d := slices.Compare(at[:], highest[:]); d > 0 || d == 0 && b.segment.Last() > best.segment.Last() {
			best, highest = b, at
		}
	}
	return best
}

// logResult gathers the numbers.
func (e *ending) logResult() LogResult {
	c := e.branch.counts
	r := LogResult{
		LogID: e.log.LogID, TenantID: e.log.TenantID, SinceSequence: e.begin.Sequence,
		FirstSequence: c.First, LastSequence: c.Last, Events: c.Events, Missing: c.Missing,
		HashValid: c.Hash, LinkValid: c.Link, SignatureValid: c.Signature,
	}
	if c.Events > 0 {
		r.HeadHash = e.branch.segment.Head().String()
	}
	r.UnvouchedSequence = e.stand.unvouched(e.branch, e.begin.ByOwn.Sequence)
	upTo := e.stand.wholeUpTo(e.branch)
	whole := e.stand.matched.upTo(upTo)
	r.CompleteByOthers = whole.independent().highestWord(e.begin.ByOthers, upTo)
	r.CompleteByOwn = whole.highestWord(e.begin.ByOwn, upTo)
	r.AnchoredSequence, r.AnchoredBy = r.CompleteByOwn.Sequence, r.CompleteByOwn.By
	r.TailByOthers = r.Events - r.CompleteByOthers.Sequence // nothing is missing up to there
	if top := e.stand.beyond.highest(); len(top) > 0 && !e.partial {
		r.Missing += top[0].Sequence - c.Last
		r.Beyond = top.firstName()
	}
	r.Checkpoint = whole.checkpoint(e.judge.root.MinimumWitnesses())
	r.Fitting = e.stand.matched.highest().firstName()
	below := r.AnchoredSequence // nothing is missing up to there
	if top := e.stand.matched.highest(); len(top) > 0 && top[0].Sequence > r.AnchoredSequence {
		below = e.branch.marks[top[0].Sequence].upTo
	}
	r.UnanchoredTail = r.Events - below
	return r
}

// noteAnchors notes anchors that contradict the log or each other.
func (e *ending) noteAnchors(ctx context.Context) error {
	for _, s := range e.stand.split {
		if err := e.book.noteAnchored(ctx, anchorsContradict(finding.SplitView, s.a, s.b), s.a, s.b); err != nil {
			return err
		}
	}
	for _, pair := range e.anchors.rollbacks() {
		if err := e.book.noteAnchored(ctx, anchorsContradict(finding.CheckpointRollback, pair[0], pair[1]), pair[0],
			pair[1]); err != nil {
			return err
		}
	}
	if len(e.stand.mismatched) == 0 {
		return nil
	}
	return e.book.noteAnchored(ctx, e.stand.mismatch(), e.stand.mismatched[0])
}

// anchorsContradict is about two anchors that do not go together.
func anchorsContradict(code finding.Code, a, b Anchor) finding.Finding {
	say := func(x Anchor) string {
		return fmt.Sprintf("%s as event %d by %s of %s", x.Hash, x.Sequence, x.Name, formatTime(x.At))
	}
	return finding.Finding{Code: code, Sequence: b.Sequence, LastSequence: max(a.Sequence, b.Sequence), Expected: say(a),
		Found: say(b)}
}

// mismatch is one finding for all anchors that name other events than are
// here: where one does, the later ones must, since the hashes go on.
func (s *standing) mismatch() finding.Finding {
	low, high := s.mismatched[0], s.mismatched.highest()[0]
	f := finding.Finding{Code: finding.AnchorMismatch, Sequence: low.Sequence, LastSequence: high.Sequence,
		Expected: low.Hash.String() + " by " + low.Name, Found: "another event"}
	if fit := s.matched.upTo(low.Sequence).highest(); len(fit) > 0 {
		f.Explanations = []string{fmt.Sprintf(
			"The highest anchor below that fits is at event %d: the histories part after it.", fit[0].Sequence)}
	}
	return f
}

// noteEnd notes that an anchor names an event above the last one. The log was copied
// before that, or its end was cut off, which counts if the user excludes the first.
func (e *ending) noteEnd(ctx context.Context) error {
	top := e.stand.beyond.highest()
	switch {
	case e.partial, e.branch.counts.Events == 0, len(top) == 0:
		return nil
	}
	f := finding.Finding{Code: finding.TailMissing, Sequence: e.branch.counts.Last + 1,
		Found: fmt.Sprintf("event %d as the last", e.branch.counts.Last)}
	if due := e.overdue(); len(due) > 0 {
		f.Code, top = finding.TailTruncated, due
		f.Found += ", of a log that was collected after that"
	}
	f.LastSequence = top[0].Sequence
	f.Expected = fmt.Sprintf("event %d, %s, by %s", top[0].Sequence, top[0].Hash, top[0].Name)
	unread, err := e.judge.reader.Unread(ctx, e.log, e.branch.last.Event, facts.Event{})
	if err != nil {
		return err
	}
	if len(unread) > 0 {
		f.Code, f.Evidence = finding.TailUnread, unread[:min(len(unread), mostEvidence)]
	}
	return e.book.noteAnchored(ctx, f, top[0])
}

// overdue returns the highest anchors above the last event that were made before the log was
// collected, by the user's word.
func (e *ending) overdue() anchors {
	return slices.DeleteFunc(slices.Clone(e.stand.beyond), func(a Anchor) bool { return a.At > e.until }).highest()
}

// noteOtherTenant notes a tenant log that names another tenant than its events
// do (SPEC 4.1).
func (e *ending) noteOtherTenant() {
	if e.branch.counts.Events > 0 && !ownerIsNode(e.log) && !e.log.IsTenant() {
		e.book.addFault(finding.Finding{Code: finding.OtherTenant, Sequence: e.branch.counts.First,
			LastSequence: e.branch.counts.Last, Expected: facts.TenantLog(e.log.TenantID).LogID, Found: e.log.LogID})
	}
}

// nextState returns the state for the next walk: the end of this one if nothing was
// found that counts, or else where this one began, with everything to find again.
func (e *ending) nextState(r LogResult) LogState {
	s := e.begin
	s.Pending = e.anchors.reports()
	if c := e.branches[0].counts; e.book.worst == finding.None && c.Events > 0 { // without a fork
		s = LogState{Log: e.log, Sequence: c.Last, Hashes: e.frontier, ByOthers: r.CompleteByOthers,
			ByOwn: r.CompleteByOwn, Counts: c}
		s.Pending = e.anchors.after(s.Sequence).reports()
	}
	return s
}
