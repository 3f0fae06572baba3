package walk

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// mostBranches bounds the histories of one log that are followed.
const mostBranches = 16

// fork is where a branch left another one: at the same sequence the two have
// two different events, both valid.
type fork struct {
	from        *branch
	stays, goes *judged
}

// extendAll joins the events of one sequence, each to the branch that it continues. Where two
// would continue a branch, it forks.
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
			l.book.addFault(finding.Finding{Code: finding.LimitReached, Sequence: j.Sequence, LastSequence: j.Sequence,
				Expected: fmt.Sprintf("at most %d histories", mostBranches), Found: "more, which were not followed"})
			continue
		}
		c := *b
		c.doubts, c.marks, c.fork = maps.Clone(b.doubts), maps.Clone(b.marks), &fork{b, first[b], j}
		forks = append(forks, &c)
	}
	for i, j := range valid {
		if b := before[i]; first[b] == j {
			if err := l.extend(ctx, b, singleSeries(j)); err != nil {
				return err
			}
		}
	}
	for _, c := range forks {
		if err := l.extend(ctx, c, singleSeries(c.fork.goes)); err != nil {
			return err
		}
	}
	l.branches = slices.Concat(l.branches, forks)
	if len(forks) > 0 {
		l.book.worst, l.book.blame = finding.Rejects, finding.Rejects // the finding comes when the lengths are known
	}
	return nil
}

// forks returns the forks of the log, in the order in which they were met.
func (e *ending) forks() []Fork {
	var forks []Fork
	for _, b := range e.branches {
		if b.fork != nil {
			forks = append(forks, b.forked(e.anchors))
		}
	}
	return forks
}

// forked describes where a branch left another one.
func (b *branch) forked(all anchors) Fork {
	at := b.fork.goes.Sequence
	all = all.after(at - 1).independent()
	of := func(b *branch, first *judged) Branch {
		out := Branch{FirstHash: first.logHash().String(), KeyID: first.KeyID, Events: b.segment.Last() - at + 1,
			NamedBy: []facts.AnchorKind{}}
		if named := b.matched(all); len(named) > 0 {
			out.NamedFrom, out.NamedUpTo, out.NamedBy = named[0].Sequence, named[len(named)-1].Sequence, named.kinds()
		}
		return out
	}
	f := Fork{Sequence: at, Named: NamesNeither, Branches: [2]Branch{of(b.fork.from, b.fork.stays), of(b, b.fork.goes)}}
	one, other := f.Branches[0].NamedFrom > 0, f.Branches[1].NamedFrom > 0
	switch {
	case one && other:
		f.Named = NamesBoth
	case other:
		f.Branches[0], f.Branches[1] = f.Branches[1], f.Branches[0]
		f.Named = NamesFirst
	case one:
		f.Named = NamesFirst
	}
	return f
}

// noteForks notes every fork.
func (e *ending) noteForks(ctx context.Context) error {
	for _, b := range e.branches {
		if b.fork == nil {
			continue
		}
		if err := e.book.noteFinding(ctx, b.forked(e.anchors).finding(), b.fork.stays.Event, b.fork.goes.Event); err != nil {
			return err
		}
	}
	return nil
}

// finding reports that a log forks.
func (f Fork) finding() finding.Finding {
	a, b := f.Branches[0], f.Branches[1]
	out := finding.Finding{Code: finding.Fork, Sequence: f.Sequence,
		LastSequence: f.Sequence + min(a.Events, b.Events) - 1,
		Expected:     fmt.Sprintf("one history from event %d on", f.Sequence),
		Found: fmt.Sprintf("two: A of %s from %s on, and B of %s from %s on; %s",
			safetext.Count(a.Events, "event"), a.FirstHash, safetext.Count(b.Events, "event"), b.FirstHash, f.Naming())}
	if a.KeyID == b.KeyID {
		out.Explanations = []string{fmt.Sprintf("A second holder of the key %s, a restored or second copy of the log's "+
			"owner, or its operator signed one of the two.", b.KeyID)}
	}
	return out
}

// Naming describes the branch that the anchors name. A and B are the first and the second.
func (f Fork) Naming() string {
	from := func(b Branch) string {
		return fmt.Sprintf("from event %d on (%s)", b.NamedFrom, JoinKinds(b.NamedBy, ", "))
	}
	switch f.Named {
	case NamesFirst:
		return "anchors name A " + from(f.Branches[0]) + " and never B"
	case NamesBoth:
		return "anchors name both: A " + from(f.Branches[0]) + ", B " + from(f.Branches[1])
	}
	return "nothing shows which is genuine: no anchor names either, save the statements of the log's owner alone"
}
