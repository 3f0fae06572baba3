package walk

import (
	"context"
	"maps"
)

// unattested are events beyond the end of a log for which nobody vouches: none of
// them is signed by the log's owner as it stands, and no anchor reaches so far.
// Whoever can write to a file can put such an event at any sequence. They are
// joined to a branch as if they belonged there, since they do where the log turns
// out to go on behind them, and taken off again where it does not.
type unattested struct {
	branch *branch
	was    branch // as it was before the first of them
	strays strays
	notes  *notes // of the seams, which count only where the events do
}

// strays are the sequences that unattested events have.
type strays struct {
	events uint64
	ranges []Range // the last one reaches to the end, if there are too many
}

// mostStrays bounds the ranges of strays.
const mostStrays = 1_000

func (s *strays) add(n uint64) {
	s.events++
	if last := len(s.ranges) - 1; last >= 0 && (n == s.ranges[last].Last+1 || last+1 == mostStrays) {
		s.ranges[last].Last = n
		return
	}
	s.ranges = append(s.ranges, Range{n, n})
}

// extendDamaged joins the foremost copy of a sequence of which none is valid.
func (l *line) extendDamaged(ctx context.Context, j *judged) error {
	b := l.before(j)
	if l.reaches(b, j) {
		l.settle()
		return l.extend(ctx, b, single(j))
	}
	if l.open == nil {
		l.open = &unattested{branch: b, was: *b, notes: newNotes()}
		l.open.was.doubts = maps.Clone(b.doubts)
	}
	l.open.strays.add(j.Sequence)
	kept := l.notes
	l.notes = l.open.notes
	err := l.extend(ctx, b, single(j))
	l.notes = kept
	return err
}

// reaches reports whether a log is known to go as far as an event that is not
// valid: an anchor stands there or above, or it is the very next event, names the
// one before it, and its own hash is believed. So an event whose key is not
// pinned, or whose body a store took apart, belongs to the log without a gap, and
// one that stands anywhere else makes no gap.
func (l *line) reaches(b *branch, j *judged) bool {
	if j.Sequence <= l.top {
		return true
	}
	return l.open == nil && j.hashBelieved() && j.Sequence == b.segment.Last()+1 && j.Previous == b.segment.Head()
}

// settle takes the events that nobody vouched for into the log, which goes on
// behind them.
func (l *line) settle() {
	if l.open == nil {
		return
	}
	for _, f := range l.open.notes.findings {
		l.notes.add(f)
	}
	l.notes.unlisted += l.open.notes.unlisted
	l.notes.worst, l.notes.blame = worse(l.notes.worst, l.open.notes.worst), worse(l.notes.blame, l.open.notes.blame)
	l.open = nil
}

// end takes them off the log, which ended before them, and returns them.
func (l *line) end() strays {
	if l.open == nil {
		return strays{}
	}
	*l.open.branch = l.open.was
	all := l.open.strays
	l.open = nil
	return all
}
