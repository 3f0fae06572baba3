package walk

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/finding"
)

// mostBranches bounds the histories of one log that are followed.
const mostBranches = 16

// fork is where a branch left another one: at the same sequence the two have
// two different events, both valid.
type fork struct {
	from        *branch
	stays, goes *judged
}

// extendAll joins the events of one sequence, each to the branch that it goes
// on from. Where a branch would have to go on twice, it forks.
func (l *line) extendAll(ctx context.Context, valid []*judged) error {
	before := make([]*branch, len(valid))
	for i, j := range valid {
		before[i] = l.before(j)
	}
	first := map[*branch]*judged{}
	var forks []*branch
	for i, j := range valid {
		b := before[i]
		if first[b] == nil {
			first[b] = j
			continue
		}
		if len(l.branches)+len(forks) >= mostBranches {
			l.notes.add(finding.Finding{Code: finding.LimitReached, Sequence: j.Sequence, LastSequence: j.Sequence,
				Expected: fmt.Sprintf("at most %d histories", mostBranches), Found: "more, which were not followed"})
			continue
		}
		c := *b
		c.doubts, c.marks, c.fork = maps.Clone(b.doubts), maps.Clone(b.marks), &fork{b, first[b], j}
		forks = append(forks, &c)
	}
	for i, j := range valid {
		if b := before[i]; first[b] == j {
			if err := l.extend(ctx, b, single(j)); err != nil {
				return err
			}
		}
	}
	for _, c := range forks {
		if err := l.extend(ctx, c, single(c.fork.goes)); err != nil {
			return err
		}
	}
	l.branches = slices.Concat(l.branches, forks)
	if len(forks) > 0 {
		l.notes.worst = finding.Rejects // the finding comes when the lengths are known
	}
	return nil
}

// noteForks notes every fork, with the lengths of both branches and which of them
// is anchored.
func (l *line) noteForks(ctx context.Context, all anchors) error {
	for _, b := range l.branches {
		if b.fork == nil {
			continue
		}
		from, at := b.fork.from, b.fork.goes.Sequence
		ends := []uint64{from.segment.Last(), b.segment.Last()}
		f := finding.Finding{Code: finding.Fork, Sequence: at, LastSequence: slices.Min(ends),
			Expected: fmt.Sprintf("one history after event %d", at-1),
			Found: fmt.Sprintf("two: %d events from %s on, and %d from %s on; %s",
				ends[0]-at+1, b.fork.stays.hash(), ends[1]-at+1, b.fork.goes.hash(), b.anchored(all))}
		if at == 1 {
			f.Code = finding.Restart
		}
		if err := l.noteFinding(ctx, f, b.fork.stays.Event, b.fork.goes.Event); err != nil {
			return err
		}
	}
	return nil
}

// anchored says which of the two histories of a fork the anchors name.
func (b *branch) anchored(all anchors) string {
	all = all.after(b.fork.goes.Sequence - 1)
	one, other := b.fork.from.matched(all).highest(), b.matched(all).highest()
	at := func(a anchors) string { return fmt.Sprintf("at event %d (%s)", a[0].Sequence, a.kinds()[0]) }
	switch {
	case len(one) > 0 && len(other) > 0:
		return "anchors name both, the first " + at(one) + ", the second " + at(other)
	case len(one) > 0:
		return "anchors name the first, " + at(one)
	case len(other) > 0:
		return "anchors name the second, " + at(other)
	}
	return "no anchor names either"
}
