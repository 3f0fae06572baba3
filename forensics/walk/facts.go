package walk

import (
	"context"

	"github.com/svc-edge/svc-verify/forensics/facts"
)

// Facts are observations of a walk that are not in its result. Package cause
// weighs the causes of findings by them.
type Facts struct {
	Logs map[facts.Log]LogFacts
	Keys []KeyUse // by log, kind, key id and node
}

// LogFacts are facts of one log. Times are milliseconds since 1970, 0 if unknown.
type LogFacts struct {
	FirstAt, LastAt int64 // of the first and the last event
	BeyondAt        int64 // when the oldest anchor above the last event was made
	NewestAt        int64 // of the newest anchor that the owner cannot make alone
	TopAt           int64 // of the highest anchor above the last event

	Witnesses []Witness // ascending

	sound []Range // see IsSound

	Whole uint64 // up to this event nothing is missing, changed or replaced

	// Counts of the result's strays, in sequences: all, those that give their own
	// hash, and those that link to the event before them.
	Strays, StrayHashValid, StrayLinkValid uint64

	Forks        []ForkTimes // of the result's forks, in their order
	Unconnected  []Range     // the strays that the log's owner signed
	Foreign      Foreign
	Elsewhere    *Elsewhere     // nil if no other log has the hashes of this one
	Contradicted *Contradiction // nil if the anchors contradict no event
}

// Witness is the word of others on one event of a log: an anchor that the owner cannot make
// alone, and that names the event which is here.
type Witness struct {
	Sequence uint64
	At       int64
	By       facts.AnchorKind
}

// ForkTimes are the times of a fork.
type ForkTimes struct {
	Spans  [2]Span // of the two branches, in the order of the result
	Before int64   // of the event after which they part
	// Both begin with an event of one type, at most the tolerance of SPEC 7.13 apart.
	Alike bool
}

// Span is the time from the first event to the last.
type Span struct{ First, Last int64 }

// Foreign counts the copies that give their own hash but are not signed by a
// pinned key of the log's owner.
type Foreign struct {
	Copies  uint64
	Beside  uint64 // next to a valid copy of the same sequence
	Linked  uint64 // that follow another such copy, or are the first event of a log
	Leaving uint64 // that follow a valid event
	First   uint64
	Last    uint64
}

// Elsewhere names another log whose events have the hashes that are recorded in
// this one, although the content here gives different hashes. Looked counts the
// sequences that were compared, Same those that match.
type Elsewhere struct {
	Log          facts.Log
	Looked, Same int
}

// Contradiction is the lowest anchor that names a different event from the valid
// one in the log, with the times of both.
type Contradiction struct {
	Sequence uint64
	By       facts.AnchorKind
	AnchorAt int64
	EventAt  int64
}

// logFacts gathers the facts of a log.
func (e *ending) logFacts(ctx context.Context, forks []Fork) (LogFacts, error) {
	f := LogFacts{Strays: e.strays.events, StrayHashValid: e.strays.hashValid, StrayLinkValid: e.strays.linkValid,
		Unconnected: e.strays.signed, Foreign: e.tally.foreign, sound: e.tally.sound, Whole: e.stand.wholeUpTo(e.branch)}
	if e.branch.counts.Events > 0 {
		f.FirstAt, f.LastAt = e.branch.counts.FirstAt, e.branch.last.OccurredAt
	}
	for _, c := range e.branches {
		if c.fork == nil {
			continue
		}
		times, err := e.forkTimes(ctx, c.fork, c)
		if err != nil {
			return f, err
		}
		if named := forks[len(f.Forks)].Branches[0].FirstHash; named != c.fork.stays.logHash().String() {
			times.Spans[0], times.Spans[1] = times.Spans[1], times.Spans[0]
		}
		f.Forks = append(f.Forks, times)
	}
	for _, x := range e.stand.beyond {
		if f.BeyondAt == 0 || x.At < f.BeyondAt {
			f.BeyondAt = x.At
		}
	}
	if top := e.stand.beyond.highest(); len(top) > 0 {
		f.TopAt = top[0].At
	}
	for _, x := range e.stand.matched.independent() {
		f.Witnesses = append(f.Witnesses, Witness{x.Sequence, x.At, x.By})
	}
	for _, x := range e.anchors.independent() {
		f.NewestAt = max(f.NewestAt, x.At)
	}
	if len(e.stand.mismatched) > 0 {
		low := e.stand.mismatched[0]
		j, err := e.judge.foremostCopy(ctx, low.Sequence)
		if err != nil {
			return f, err
		}
		if j.Valid() {
			f.Contradicted = &Contradiction{low.Sequence, low.By, low.At, j.OccurredAt}
		}
	}
	return f, nil
}

// alike is how far the times of two events may be apart that are taken for one that was
// signed twice, in milliseconds (SPEC 7.13).
const alike = 300_000

// forkTimes gathers the times of a branch and of the one that it left.
func (e *ending) forkTimes(ctx context.Context, f *fork, goes *branch) (ForkTimes, error) {
	a, b := f.stays, f.goes
	t := ForkTimes{Spans: [2]Span{{a.OccurredAt, f.from.last.OccurredAt}, {b.OccurredAt, goes.last.OccurredAt}}}
	t.Alike = a.Type == b.Type && max(a.OccurredAt, b.OccurredAt)-min(a.OccurredAt, b.OccurredAt) <= alike
	if a.Sequence == 1 {
		return t, nil
	}
	before, err := e.judge.copies(ctx, a.Sequence-1)
	if err == nil && len(before) > 0 && foremostCopy(before).Valid() {
		t.Before = foremostCopy(before).OccurredAt
	}
	return t, err
}
