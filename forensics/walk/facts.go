package walk

import (
	"context"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
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

// tally is what the facts take from a stretch.
type tally struct {
	keys    []KeyUse // of events, without the log
	foreign Foreign
	misfits []chain.Anchor // the first copies that do not give the hash written in them, and that hash
	seam    seam
}

// mostMisfits bounds the copies of a log that are looked for in other logs.
const mostMisfits = 16

// seam is what links over the ends of a stretch are compared with: the foreign
// copies at its beginning, and the hashes of all copies at its end.
type seam struct {
	first, last      uint64
	begins           []chain.Hash // the previous links of the first foreign copies
	foreign, genuine []chain.Hash
}

// count tallies the copies of a stretch.
func (s *stretch) count(log Log, copies []judged) {
	t := &s.tally
	t.countKeys(copies)
	var before seam // the sequence ahead
	for group := range groups(copies) {
		n := group[0].Sequence
		here := seam{last: n}
		for i := range group {
			t.countCopy(log, &group[i], &here)
		}
		if len(here.genuine) > 0 {
			t.foreign.Beside += uint64(len(here.foreign))
		}
		if before.last == 0 {
			t.seam.first, t.seam.begins = n, here.begins
		} else {
			t.foreign.join(&before, n, here.begins)
		}
		before = here
	}
	t.seam.last, t.seam.foreign, t.seam.genuine = before.last, before.foreign, before.genuine
}

// countKeys tallies the keys: runs of copies have the same one.
func (t *tally) countKeys(copies []judged) {
	at := map[string]int{}
	k := -1
	for i := range copies {
		j := &copies[i]
		if k < 0 || t.keys[k].KeyID != j.KeyID {
			known, ok := at[j.KeyID]
			if k = known; !ok {
				k = len(t.keys)
				at[j.KeyID] = k
				t.keys = append(t.keys, KeyUse{Kind: SignedEvents, KeyID: j.KeyID, Pinned: j.owner == pinned, Other: j.owner == ofOtherNode})
			}
		}
		t.keys[k].add(j.Sequence, j.signed == overContent, j.intact())
	}
}

// countCopy tallies one copy.
func (t *tally) countCopy(log Log, j *judged, here *seam) {
	switch {
	case j.valid():
		here.genuine = append(here.genuine, j.computed)
	case !j.intact():
		if len(t.misfits) < mostMisfits {
			t.misfits = append(t.misfits, chain.Anchor{Sequence: j.Sequence, Hash: j.Recorded})
		}
	default:
		f := &t.foreign
		f.Copies++
		if f.First == 0 {
			f.First = j.Sequence
		}
		f.Last = j.Sequence
		here.foreign = append(here.foreign, j.computed)
		if j.Sequence == 1 && j.Previous == chain.Genesis(log.TenantID, log.LogID) {
			f.Linked++
			return
		}
		here.begins = append(here.begins, j.Previous)
	}
}

// join counts the foreign copies of a sequence, of which the previous links are
// given, that follow on copies of the one ahead.
func (f *Foreign) join(ahead *seam, n uint64, begins []chain.Hash) {
	if ahead.last+1 != n {
		return
	}
	for _, previous := range begins {
		switch {
		case slices.Contains(ahead.foreign, previous):
			f.Linked++
		case slices.Contains(ahead.genuine, previous):
			f.Leaving++
		}
	}
}

// tally takes over the tally of the next stretch.
func (l *line) tally(t *tally) {
	l.said.uses.addEvents(l.log, t.keys)
	f, g := &l.foreign, t.foreign
	if f.Copies == 0 {
		f.First = g.First
	}
	f.Last = max(f.Last, g.Last)
	f.Copies, f.Beside, f.Linked, f.Leaving = f.Copies+g.Copies, f.Beside+g.Beside, f.Linked+g.Linked, f.Leaving+g.Leaving
	f.join(&l.seam, t.seam.first, t.seam.begins)
	l.seam = t.seam
	l.misfits = append(l.misfits, t.misfits[:min(len(t.misfits), mostMisfits-len(l.misfits))]...)
}

// facts gathers the facts of a log.
func (e *ending) facts(ctx context.Context, forks []Fork) (LogFacts, error) {
	f := LogFacts{Strays: e.strays.events, StrayHashValid: e.strays.hashValid, StrayLinkValid: e.strays.linkValid, Unconnected: e.strays.signed, Foreign: e.foreign}
	if e.branch.counts.Events > 0 {
		f.FirstAt, f.LastAt = e.branch.counts.FirstAt, e.branch.last.OccurredAt
	}
	for _, c := range e.branches {
		if c.fork == nil {
			continue
		}
		times := ForkTimes{{c.fork.stays.OccurredAt, c.fork.from.last.OccurredAt}, {c.fork.goes.OccurredAt, c.last.OccurredAt}}
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
