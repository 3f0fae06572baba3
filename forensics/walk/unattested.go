package walk

import (
	"context"
	"maps"
)

// unattested are events beyond the end of a log for which no one vouches: none of them is
// signed by the log's owner as it is, or nothing else connects it with the log, and no anchor
// reaches so far. Anyone who can write to a file can put such an event at any sequence. They
// are joined to a branch as if they belonged there, since they do where the log turns out to
// continue after them, and removed again where it does not.
type unattested struct {
	branch *branch
	was    branch // as it was before the first of them
	strays strays
	notes  *notes    // of the seams, which count only where the events do
	firsts []*judged // of each range that the owner signed
}

// strays are the sequences that unattested events have.
type strays struct {
	events uint64
	ranges []Range // the last one reaches to the end, if there are too many
	signed []Range // of them, those that the log's owner signed

	hashValid, linkValid uint64
}

// mostStrays bounds the ranges of strays.
const mostStrays = 1_000

func (s *strays) addStray(first, last uint64) {
	s.events += last - first + 1
	s.ranges = appendRange(s.ranges, first, last)
}

// appendRange appends a range, or makes the last one longer.
func appendRange(ranges []Range, first, last uint64) []Range {
	if n := len(ranges) - 1; n >= 0 && (first == ranges[n].Last+1 || n+1 == mostStrays) {
		ranges[n].Last = last
		return ranges
	}
	return append(ranges, Range{first, last})
}

// extendDamaged joins the foremost copy of a sequence without a valid one.
func (l *line) extendDamaged(ctx context.Context, j *judged) error {
	b := l.before(j)
	if l.reaches(b, j) {
		l.addUnvouched()
		return l.extend(ctx, b, singleSeries(j))
	}
	return l.extendOpen(ctx, b, singleSeries(j))
}

// extendOpen joins events for which no one vouches.
func (l *line) extendOpen(ctx context.Context, b *branch, r series) error {
	if l.open == nil {
		l.open = &unattested{branch: b, was: *b, notes: newNotes()}
		l.open.was.doubts = maps.Clone(b.doubts)
	}
	l.open.strays.addStray(r.first.Sequence, r.last.Sequence)
	kept := l.book.notes
	l.book.notes = l.open.notes
	err := l.extend(ctx, b, r)
	l.book.notes = kept
	return err
}

// reaches reports whether a log is known to go as far as an event that is not valid: an anchor
// is there or above, or it is the very next event, names the one before it, and its own hash
// is believed. So an event whose key is not pinned, or whose body a store took apart, belongs
// to the log without a gap, and one anywhere else makes no gap.
func (l *line) reaches(b *branch, j *judged) bool {
	if j.Sequence <= l.top {
		return true
	}
	return l.open == nil && j.hashBelieved() && j.Sequence == b.segment.Last()+1 && j.Previous == b.segment.Head()
}

// addUnvouched adds the events that no one vouched for to the log, which continues after them.
func (l *line) addUnvouched() {
	if l.open == nil {
		return
	}
	l.book.merge(l.open.notes)
	l.open = nil
}

// removeUnvouched removes them from the log, which ended before them, and returns them.
func (l *line) removeUnvouched(ctx context.Context) (strays, error) {
	if l.open == nil {
		return strays{}, nil
	}
	if err := l.book.noteUnconnected(ctx, l.open); err != nil {
		return strays{}, err
	}
	with, was := l.open.branch.counts, l.open.was.counts
	*l.open.branch = l.open.was
	all := l.open.strays
	all.hashValid, all.linkValid = with.Hash-was.Hash, with.Link-was.Link
	l.open = nil
	return all, nil
}
