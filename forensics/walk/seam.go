package walk

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/form"
)

// noteBreak notes a place where the events do not link.
func (n *notebook) noteBreak(ctx context.Context, b *branch, first *judged, at chain.Break) error {
	if at.Kind == chain.BreakGap {
		return n.noteGap(ctx, b, first, at)
	}
	if b.doubts[at.Sequence].content || b.doubts[at.Other].hash {
		return nil
	}
	if at.Kind == chain.BreakPrevious {
		return n.noteFaults(ctx, defect{finding.LinkBroken, "the previous link " + b.segment.Head().String(),
			first.Previous.String(), ""}, first.Event)
	}
	j := first
	if at.Sequence != first.Sequence { // within a series, where there is but one copy
		var err error
		if j, err = n.judge.foremostCopy(ctx, at.Sequence); err != nil {
			return err
		}
	}
	target := "to the genesis hash"
	if at.Other > 0 {
		target = fmt.Sprintf("to the hash of event %d", at.Other)
	}
	return n.noteFaults(ctx, defect{finding.LinkBroken, "the skip link " + target, j.Skip.String(), ""}, j.Event)
}

// noteGap notes missing events, and whether something stood in their place
// that could not be read.
func (n *notebook) noteGap(ctx context.Context, b *branch, next *judged, at chain.Break) error {
	f := finding.Finding{Code: finding.Gap, Sequence: at.Other, LastSequence: at.Sequence - 1,
		Expected: "an event of hash " + next.Previous.String() + " before event " + fmt.Sprint(next.Sequence),
		Found:    fmt.Sprintf("event %d, and then event %d", b.last.Sequence, next.Sequence)}
	if b.last.Sequence == 0 {
		f.Code, f.Found = finding.HeadMissing, fmt.Sprintf("event %d first", next.Sequence)
		return n.noteFinding(ctx, f, next.Event)
	}
	if n.idle() {
		return n.noteFinding(ctx, f)
	}
	unread, err := n.judge.reader.Unread(ctx, n.judge.log, b.last.Event, next.Event)
	if err != nil {
		return err
	}
	if len(unread) > 0 {
		f.Code, f.Evidence = finding.GapUnread, unread[:min(len(unread), mostEvidence)]
		return n.noteFinding(ctx, f)
	}
	between, err := n.betweenCopies(ctx, b.last.Event, next.Event)
	if err != nil {
		return err
	}
	if between {
		f.Code = finding.GapBetween
	}
	return n.noteFinding(ctx, f, b.last.Event, next.Event)
}

// betweenCopies reports whether two events are in no file, no folder and no files of one
// name but for numbers that have both of them.
func (n *notebook) betweenCopies(ctx context.Context, a, b facts.Event) (bool, error) {
	before, err := n.judge.reader.Places(ctx, n.judge.log, a)
	if err != nil {
		return false, err
	}
	after, err := n.judge.reader.Places(ctx, n.judge.log, b)
	return !slices.ContainsFunc(before, func(p finding.Evidence) bool {
		return slices.ContainsFunc(after, func(q finding.Evidence) bool { return ofOneCopy(p, q) })
	}), err
}

// ofOneCopy reports whether two files are taken for parts of one copy.
func ofOneCopy(p, q finding.Evidence) bool {
	a, b := withoutNumbers(p.Source+"!"+p.Container), withoutNumbers(q.Source+"!"+q.Container)
	return a == b || path.Dir(a) == path.Dir(b)
}

// withoutNumbers returns a path with slashes, without digits and without the suffixes that
// compression appends.
func withoutNumbers(name string) string {
	name = strings.NewReplacer("\\", "/", "!", "/").Replace(name)
	for _, end := range []string{"/", "/gzip", "/zstd", ".gz", ".zst"} {
		name = strings.TrimSuffix(name, end)
	}
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, name)
}

// noteTime notes an event that is dated too far before the one ahead of it.
func (n *notebook) noteTime(ctx context.Context, b *branch, first *judged) error {
	if b.last.Sequence == 0 || !b.last.contentBelieved() || !first.contentBelieved() || !isDatedBefore(b.last, first) {
		return nil
	}
	return n.noteFaults(ctx, defect{finding.TimeRegression,
		"a time of at least " + formatTime(b.last.OccurredAt-tolerance), formatTime(first.OccurredAt), ""}, first.Event)
}

// formatTime writes a time of an event.
func formatTime(ms int64) string { return form.FormatMillis(ms) }
