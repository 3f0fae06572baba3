package walk

import (
	"context"
)

// An event that the log's owner signed, far above the end of the log, usually shows that all
// events between are missing. But a thief of the owner's key can sign one at any sequence. If
// there was no time for the events between, if no anchor reaches so far, if no more than a few
// events are there, and one source alone has them, then nothing shows that any event is
// missing: the far event is named, and the log ends before it.

const (
	// mostUnconnected bounds the events that are taken for unconnected.
	mostUnconnected = 16

	// leastSkipped is how many events are missing at least below an event that is
	// unconnected.
	leastSkipped = 100

	// haste is how many times faster than its pace so far a log may have grown.
	haste = 10
)

// unconnected reports whether nothing but its signature shows that a run of valid
// events belongs to the log.
func (l *line) unconnected(ctx context.Context, b *branch, r series) (bool, error) {
	end, held := b, uint64(0)
	if l.open != nil && l.open.branch == b {
		end = &l.open.was
		for _, s := range l.open.strays.signed {
			held += s.Last - s.First + 1
		}
	}
	switch {
	case r.first.Sequence <= l.top, end.last.Sequence == 0, !end.last.contentBelieved(), held+r.events > mostUnconnected:
		return false, nil
	case r.first.Sequence <= end.last.Sequence+leastSkipped:
		return false, nil
	}
	if skipped := r.first.Sequence - end.last.Sequence - 1; skipped <= end.capacity(r.first.OccurredAt) {
		return false, nil
	}
	return l.inOneSource(ctx, r.first)
}

// inOneSource reports whether a copy is in one source alone.
func (l *line) inOneSource(ctx context.Context, j *judged) (bool, error) {
	places, err := l.judge.reader.Places(ctx, l.log, j.Event)
	for _, p := range places {
		if p.Source != places[0].Source {
			return false, err
		}
	}
	return true, err
}

// extendUnconnected joins events that are unconnected, until others show that the log
// continues with them.
func (l *line) extendUnconnected(ctx context.Context, b *branch, r series) error {
	if err := l.extendOpen(ctx, b, r); err != nil {
		return err
	}
	s := &l.open.strays
	n := len(s.signed)
	if s.signed = appendRange(s.signed, r.first.Sequence, r.last.Sequence); len(s.signed) > n {
		l.open.firsts = append(l.open.firsts, r.first)
	}
	return nil
}
