package walk

import (
	"context"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
)

// conclude answers for one log, once its last stretch was joined: is it whole,
// as far as its anchors say?
func (l *line) conclude(ctx context.Context, all anchors) error {
	strays, err := l.end(ctx)
	if err != nil {
		return err
	}
	if err := l.noteForks(ctx, all); err != nil {
		return err
	}
	b := l.main(all)
	stand := all.compare(b, l.known)
	if err := l.noteAnchors(ctx, all, stand); err != nil {
		return err
	}
	if err := l.noteEnd(ctx, b, stand); err != nil {
		return err
	}
	collected, err := l.noteNone(ctx, b, stand, strays)
	if err != nil {
		return err
	}
	l.noteOtherTenant(b)
	r := l.result(b, stand)
	r.Forks, r.Strays, r.Collected = l.forks(all), strays.ranges, collected
	r.Known = l.missingKnown(all, r)
	l.tellDisclosed(r.Known)
	if l.w.facts[l.log], err = l.facts(ctx, b, stand, strays, r.Forks); err != nil {
		return err
	}
	l.w.misfits[l.log] = l.misfits
	if r.UnanchoredTail > 0 && !l.partial {
		l.noteTail(r, stand)
	}
	l.leave(all, r)
	if l.partial {
		l.notes.add(finding.Finding{Code: finding.LimitReached, Sequence: r.LastSequence, LastSequence: r.LastSequence,
			Expected: "the end of the log", Found: fmt.Sprintf("no time left after event %d", r.LastSequence)})
	}
	l.w.findings = append(l.w.findings, l.notes.list(l.log)...)
	blame := l.notes.blame
	if n := l.said.notes[l.log]; n != nil {
		blame = worse(blame, n.blame)
	}
	r.Verdict = r.verdict(blame)
	l.w.worst = worse(l.w.worst, l.notes.worst)
	l.w.results = append(l.w.results, r)
	return nil
}

// noteTail notes the events above the highest anchor that fits.
func (l *line) noteTail(r LogResult, stand standing) {
	f := finding.Finding{Code: finding.TailUnanchored, Sequence: max(r.FirstSequence, r.AnchoredSequence+1), LastSequence: r.LastSequence,
		Expected: fmt.Sprintf("an anchor at or above event %d", r.LastSequence), Found: "none that fits"}
	if top := stand.matched.highest(); len(top) > 0 && top[0].Sequence >= r.AnchoredSequence {
		f.Sequence, f.Found = top[0].Sequence+1, "the highest that fits is "+top[0].Name
	}
	l.notes.add(f)
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

// result gathers the numbers.
func (l *line) result(b *branch, stand standing) LogResult {
	c := b.counts
	r := LogResult{
		LogID: l.log.LogID, TenantID: l.log.TenantID, SinceSequence: l.begin.Sequence,
		FirstSequence: c.First, LastSequence: c.Last, Events: c.Events, Missing: c.Missing,
		HashValid: c.Hash, LinkValid: c.Link, SignatureValid: c.Signature,
		AnchoredSequence: l.begin.AnchoredSequence, AnchoredBy: append([]AnchorKind{}, l.begin.AnchoredBy...),
	}
	if c.Events > 0 {
		r.HeadHash = b.segment.Head().String()
	}
	whole := stand.matched
	if r.UnvouchedSequence = stand.unvouched(b, r.AnchoredSequence); r.UnvouchedSequence > 0 {
		whole = whole.upTo(r.UnvouchedSequence - 1)
		if r.AnchoredSequence >= r.UnvouchedSequence { // an anchor that came in later contradicts the earlier ones
			r.AnchoredSequence, r.AnchoredBy = 0, []AnchorKind{}
		}
	}
	if top := whole.highest(); len(top) > 0 && top[0].Sequence >= r.AnchoredSequence {
		r.AnchoredSequence, r.AnchoredBy = top[0].Sequence, top.kinds()
	}
	if top := stand.beyond.highest(); len(top) > 0 && !l.partial {
		r.Missing += top[0].Sequence - c.Last
		r.Beyond = top.name()
	}
	r.Fitting = stand.matched.highest().name()
	below := r.AnchoredSequence // nothing is missing up to there
	if top := stand.matched.highest(); len(top) > 0 && top[0].Sequence > r.AnchoredSequence {
		below = b.marks[top[0].Sequence].upTo
	}
	r.UnanchoredTail = r.Events - below
	return r
}

// noteAnchors notes anchors that contradict the log or each other.
func (l *line) noteAnchors(ctx context.Context, all anchors, stand standing) error {
	for _, s := range stand.split {
		if err := l.noteAnchored(ctx, contradiction(finding.SplitView, s.a, s.b), s.a, s.b); err != nil {
			return err
		}
	}
	for _, pair := range all.rollbacks() {
		if err := l.noteAnchored(ctx, contradiction(finding.CheckpointRollback, pair[0], pair[1]), pair[0], pair[1]); err != nil {
			return err
		}
	}
	if len(stand.mismatched) == 0 {
		return nil
	}
	return l.noteAnchored(ctx, mismatch(stand), stand.mismatched[0])
}

// contradiction is about two anchors that do not go together.
func contradiction(code finding.Code, a, b Anchor) finding.Finding {
	say := func(x Anchor) string {
		return fmt.Sprintf("%s as event %d by %s of %s", x.Hash, x.Sequence, x.Name, formatTime(x.At))
	}
	return finding.Finding{Code: code, Sequence: b.Sequence, LastSequence: max(a.Sequence, b.Sequence), Expected: say(a), Found: say(b)}
}

// mismatch is one finding for all anchors that name other events than are
// here: where one does, the later ones must, since the hashes go on.
func mismatch(stand standing) finding.Finding {
	low, high := stand.mismatched[0], stand.mismatched.highest()[0]
	f := finding.Finding{Code: finding.AnchorMismatch, Sequence: low.Sequence, LastSequence: high.Sequence,
		Expected: low.Hash.String() + " by " + low.Name, Found: "another event"}
	if fit := stand.matched.upTo(low.Sequence).highest(); len(fit) > 0 {
		f.Explanations = []string{fmt.Sprintf("The highest anchor below that fits is at event %d: the histories part after it.", fit[0].Sequence)}
	}
	return f
}

// noteEnd notes what an anchor above the last event shows: that the end of the
// log is missing, or all of it.
func (l *line) noteEnd(ctx context.Context, b *branch, stand standing) error {
	top := stand.beyond.highest()
	switch {
	case l.partial, b.counts.Events == 0, len(top) == 0:
		return nil
	}
	f := finding.Finding{Code: finding.TailTruncated, Sequence: b.counts.Last + 1, LastSequence: top[0].Sequence,
		Expected: fmt.Sprintf("event %d, %s, by %s", top[0].Sequence, top[0].Hash, top[0].Name),
		Found:    fmt.Sprintf("event %d as the last", b.counts.Last)}
	unread, err := l.w.source.Unread(ctx, l.log, b.last.Event, Event{})
	if err != nil {
		return err
	}
	if len(unread) > 0 {
		f.Code, f.Evidence = finding.TailUnread, unread[:min(len(unread), mostEvidence)]
	}
	return l.noteAnchored(ctx, f, top[0])
}

// noteAnchored notes a finding, with the places of the anchors as evidence.
func (l *line) noteAnchored(ctx context.Context, f finding.Finding, by ...Anchor) error {
	for _, a := range by {
		f.Evidence = append(f.Evidence, a.Evidence...)
		if a.By != NodeReport {
			continue
		}
		log := Log{l.log.TenantID, "tenant/" + l.log.TenantID}
		j, err := l.w.judge(log).find(ctx, a.Event)
		if err != nil {
			return err
		}
		places, err := l.w.source.Places(ctx, log, j.Event)
		if err != nil {
			return err
		}
		f.Evidence = append(f.Evidence, places...)
	}
	f.Evidence = f.Evidence[:min(len(f.Evidence), mostEvidence)]
	l.notes.add(f)
	return nil
}

// noteOtherTenant notes a tenant log that names another tenant than its events
// do (SPEC 4.1).
func (l *line) noteOtherTenant(b *branch) {
	if want := "tenant/" + l.log.TenantID; b.counts.Events > 0 && !ownerIsNode(l.log) && l.log.LogID != want {
		l.notes.add(finding.Finding{Code: finding.OtherTenant, Sequence: b.counts.First, LastSequence: b.counts.Last,
			Expected: want, Found: l.log.LogID})
	}
}

// leave leaves the state for the next walk: the end of this one if nothing was
// found that counts, or else where this one began, with everything to find again.
func (l *line) leave(all anchors, r LogResult) {
	s := l.begin
	s.Pending = all.reports()
	if b := l.branches[0]; l.notes.worst == finding.None && b.counts.Events > 0 { // without a fork
		s = LogState{Log: l.log, Sequence: b.counts.Last, Hashes: l.frontier, AnchoredSequence: r.AnchoredSequence, AnchoredBy: r.AnchoredBy, counts: b.counts}
		s.Pending = all.after(s.Sequence).reports()
	}
	l.w.state.Logs = append(l.w.state.Logs, s)
}
