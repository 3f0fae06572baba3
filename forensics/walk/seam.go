package walk

import (
	"context"
	"fmt"
	"time"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
)

// noteBreak notes a place where the events do not link.
func (l *line) noteBreak(ctx context.Context, b *branch, first *judged, k chain.Break) error {
	if k.Kind == chain.BreakGap {
		b.counts.Missing += k.Sequence - k.Other
		return l.noteGap(ctx, b, first, k)
	}
	if b.doubts[k.Sequence].content || b.doubts[k.Other].hash {
		return nil
	}
	if k.Kind == chain.BreakPrevious {
		return l.note(ctx, defect{finding.LinkBroken, b.segment.Head().String(), first.Previous.String(), ""}, first.Event)
	}
	j := first
	if k.Sequence != first.Sequence { // within a run, where there is but one copy
		var err error
		if j, err = l.judge.find(ctx, k.Sequence); err != nil {
			return err
		}
	}
	target := "the genesis hash"
	if k.Other > 0 {
		target = fmt.Sprintf("the hash of event %d", k.Other)
	}
	return l.note(ctx, defect{finding.SkipBroken, target, j.Skip.String(), ""}, j.Event)
}

// noteGap notes missing events, and whether something stood in their place
// that could not be read.
func (l *line) noteGap(ctx context.Context, b *branch, next *judged, k chain.Break) error {
	f := finding.Finding{Code: finding.Gap, Sequence: k.Other, LastSequence: k.Sequence - 1,
		Expected: "an event of hash " + next.Previous.String() + " before event " + fmt.Sprint(next.Sequence),
		Found:    fmt.Sprintf("event %d, and then event %d", b.last.Sequence, next.Sequence)}
	if b.last.Sequence == 0 {
		f.Code, f.Found = finding.HeadMissing, fmt.Sprintf("event %d first", next.Sequence)
		return l.noteFinding(ctx, f, next.Event)
	}
	if l.notes.idle() {
		return l.noteFinding(ctx, f)
	}
	unread, err := l.judge.source.Unread(ctx, l.log, b.last.Event, next.Event)
	if err != nil {
		return err
	}
	if len(unread) > 0 {
		f.Code, f.Evidence = finding.GapUnread, unread[:min(len(unread), mostEvidence)]
		return l.noteFinding(ctx, f)
	}
	return l.noteFinding(ctx, f, b.last.Event, next.Event)
}

// noteTime notes an event that is dated too far before the one ahead of it.
func (l *line) noteTime(ctx context.Context, b *branch, first *judged) error {
	if b.last.Sequence == 0 || !b.last.contentBelieved() || !first.contentBelieved() || !regresses(b.last, first) {
		return nil
	}
	return l.note(ctx, defect{finding.TimeRegression,
		"a time of at least " + formatTime(b.last.OccurredAt-tolerance), formatTime(first.OccurredAt), ""}, first.Event)
}

// note notes what is wrong with one event.
func (l *line) note(ctx context.Context, d defect, e Event) error {
	f := finding.Finding{Code: d.code, Sequence: e.Sequence, LastSequence: e.Sequence, Expected: d.expected, Found: d.found}
	if d.explanation != "" {
		f.Explanations = []string{d.explanation}
	}
	return l.noteFinding(ctx, f, e)
}

// noteFinding notes a finding, with the places of the given events as evidence.
func (l *line) noteFinding(ctx context.Context, f finding.Finding, events ...Event) error {
	noted := l.notes.add(f)
	for _, e := range events {
		if noted == nil {
			break
		}
		places, err := l.judge.source.Places(ctx, l.log, e)
		if err != nil {
			return err
		}
		room := mostEvidence - len(noted.Evidence)
		noted.Evidence = append(noted.Evidence, places[:min(len(places), room)]...)
	}
	return nil
}

// formatTime writes a time of an event.
func formatTime(ms int64) string { return form.FormatTime(time.UnixMilli(ms)) }
