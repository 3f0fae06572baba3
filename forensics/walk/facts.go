package walk

import (
	"context"
)

// Facts are what a walk saw besides what its result says: the causes of findings
// are weighed by them.
type Facts struct {
	Logs map[Log]LogFacts
	Keys []KeyUse // by log, kind, key id and node
}

// LogFacts are facts of one log. Times are milliseconds since 1970, 0 if unknown.
type LogFacts struct {
	FirstAt, LastAt int64 // of the first and the last event
	BeyondAt        int64 // when the oldest anchor above the last event was made
	NewestAt        int64 // when the newest anchor was made that the owner cannot make alone

	// Of the strays of the result, in sequences: how many there are, how many of
	// them give their own hash, and how many follow the one before.
	Strays, StrayHashValid, StrayLinkValid uint64

	Forks        []ForkTimes // of the result's forks, in their order
	Unconnected  []Range     // the strays that the log's owner signed
	Foreign      Foreign
	Elsewhere    *Elsewhere     // nil if no other log has the hashes of this one
	Contradicted *Contradiction // nil if the anchors contradict no event
}

// ForkTimes is when the two branches of a fork were made, in the order of the
// result.
type ForkTimes [2]Span

// Span is a time from the first event to the last.
type Span struct{ First, Last int64 }

// Foreign counts copies that give their own hash, and that no pinned key of the
// log's owner signed.
type Foreign struct {
	Copies  uint64
	Beside  uint64 // that stand beside a valid copy of the same sequence
	Linked  uint64 // that follow another such copy, or are the first event of a log
	Leaving uint64 // that follow a valid event
	First   uint64
	Last    uint64
}

// Elsewhere says that another log has the hashes that are written in this one,
// although the content of the events here gives others. Looked is how many
// sequences were compared.
type Elsewhere struct {
	Log          Log
	Looked, Same int
}

// Contradiction is the lowest anchor that names another event than the valid one
// that is here, and when the two were made.
type Contradiction struct {
	Sequence uint64
	By       AnchorKind
	AnchorAt int64
	EventAt  int64
}

// facts gathers the facts of a log.
func (e *ending) facts(ctx context.Context, forks []Fork) (LogFacts, error) {
	f := LogFacts{Strays: e.strays.events, StrayHashValid: e.strays.hashValid, StrayLinkValid: e.strays.linkValid,
		Unconnected: e.strays.signed, Foreign: e.tally.foreign}
	if e.branch.counts.Events > 0 {
		f.FirstAt, f.LastAt = e.branch.counts.FirstAt, e.branch.last.OccurredAt
	}
	for _, c := range e.branches {
		if c.fork == nil {
			continue
		}
		times := ForkTimes{{c.fork.stays.OccurredAt, c.fork.from.last.OccurredAt},
			{c.fork.goes.OccurredAt, c.last.OccurredAt}}
		if named := forks[len(f.Forks)].Branches[0].FirstHash; named != c.fork.stays.hash().String() {
			times[0], times[1] = times[1], times[0]
		}
		f.Forks = append(f.Forks, times)
	}
	for _, x := range e.stand.beyond {
		if f.BeyondAt == 0 || x.At < f.BeyondAt {
			f.BeyondAt = x.At
		}
	}
	for _, x := range e.anchors.independent() {
		f.NewestAt = max(f.NewestAt, x.At)
	}
	if len(e.stand.mismatched) > 0 {
		low := e.stand.mismatched[0]
		j, err := e.judge.find(ctx, low.Sequence)
		if err != nil {
			return f, err
		}
		if j.valid() {
			f.Contradicted = &Contradiction{low.Sequence, low.By, low.At, j.OccurredAt}
		}
	}
	return f, nil
}
