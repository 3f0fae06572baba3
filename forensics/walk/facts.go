package walk

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/trust"
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

// Signed is a kind of statement that a key signs.
type Signed string

// The kinds of statement.
const (
	SignedEvents      Signed = "events"      // copies of events of the log
	SignedReports     Signed = "reports"     // of a node's head, in events of the tenant log
	SignedCheckpoints Signed = "checkpoints" // of the log
	SignedCursors     Signed = "cursors"     // of the log's export
	SignedParts       Signed = "parts"       // of bundles with a checkpoint of the log: approvals, receipts
)

// KeyUse counts what is signed under one key id about one log. First and Last
// are the lowest and the highest sequence: of the events themselves, or of those
// that the other statements name; of reports, that of the event that holds one.
type KeyUse struct {
	Log    Log
	Kind   Signed
	KeyID  string
	By     trust.Signatory
	Pinned bool // the trust file has a key of this id, of the right role and node
	Other  bool // it has one, of another node
	Count  uint64
	Hold   uint64 // their signature holds
	Intact uint64 // of events: the content gives the hash that is written in it
	First  uint64
	Last   uint64
	Places []finding.Evidence // of documents: the first that do not hold
}

// mostPlaces bounds the places of one use.
const mostPlaces = 1_000

// add counts one more statement.
func (u *KeyUse) add(sequence uint64, holds, intact bool) {
	if u.First == 0 || sequence < u.First {
		u.First = sequence
	}
	u.Last = max(u.Last, sequence)
	u.Count++
	if holds {
		u.Hold++
	}
	if intact {
		u.Intact++
	}
}

// merge adds the counts of another part of the log.
func (u *KeyUse) merge(v KeyUse) {
	u.First, u.Last = min(u.First, v.First), max(u.Last, v.Last)
	u.Count, u.Hold, u.Intact = u.Count+v.Count, u.Hold+v.Hold, u.Intact+v.Intact
}

// mostKeyUses bounds the key uses that are told apart: an honest tenant has a few
// for each log.
const mostKeyUses = 10_000

// useName is what makes two uses of keys one.
type useName struct {
	log   Log
	kind  Signed
	keyID string
	by    trust.Signatory
}

// use returns the use of a key to count in, nil if there are too many.
func (w *walker) use(log Log, kind Signed, keyID string, by trust.Signatory) *KeyUse {
	name := useName{log, kind, keyID, by}
	u := w.uses[name]
	if u == nil && len(w.uses) < mostKeyUses {
		u = &KeyUse{Log: log, Kind: kind, KeyID: keyID, By: by}
		w.uses[name] = u
	}
	return u
}

// useOf counts one statement that is not an event.
func (w *walker) useOf(log Log, kind Signed, keyID string, by trust.Signatory, sequence uint64, k pinning, at ...finding.Evidence) {
	u := w.use(log, kind, keyID, by)
	if u == nil {
		return
	}
	u.Pinned, u.Other = k != keyUnpinned && k != keyOfOther, k == keyOfOther
	u.add(sequence, k == keyHolds, true)
	if k != keyHolds && len(u.Places) < mostPlaces {
		u.Places = append(u.Places, at...)
	}
}

// usesOf counts statements in a bundle that are sealed alike.
func usesOf[T trust.Statement](w *walker, d Document, log Log, sequence uint64, sealed ...trust.Sealed[T]) {
	for _, s := range sealed {
		_, refusal := trust.Open(w.root, s)
		w.useOf(log, SignedParts, s.KeyID, s.Unverified().Signatory(), sequence, pinningOf(refusal), d.Evidence)
	}
}

// pinning says how a statement stands to the trust file.
type pinning uint8

const (
	keyHolds    pinning = iota // the signature holds
	keyFails                   // it does not, under a pinned key
	keyUnpinned                // no key of this id is pinned for the role
	keyOfOther                 // the key is another node's
)

// keyUses returns all uses, in order.
func (w *walker) keyUses() []KeyUse {
	all := make([]KeyUse, 0, len(w.uses))
	for _, u := range w.uses {
		all = append(all, *u)
	}
	slices.SortFunc(all, func(a, b KeyUse) int {
		return cmp.Or(compareLogs(a.Log, b.Log), strings.Compare(string(a.Kind), string(b.Kind)),
			strings.Compare(a.KeyID, b.KeyID), strings.Compare(string(a.By.Role), string(b.By.Role)), strings.Compare(a.By.Node, b.By.Node))
	})
	return all
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
	for _, k := range t.keys {
		k.Log, k.By = l.log, ownerOf(l.log)
		u := l.w.use(k.Log, k.Kind, k.KeyID, k.By)
		switch {
		case u == nil:
		case u.Count == 0:
			*u = k
		default:
			u.merge(k)
		}
	}
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
func (l *line) facts(ctx context.Context, b *branch, stand standing, s strays, forks []Fork) (LogFacts, error) {
	f := LogFacts{Strays: s.events, StrayHashValid: s.hashValid, StrayLinkValid: s.linkValid, Unconnected: s.signed, Foreign: l.foreign}
	if b.counts.Events > 0 {
		f.FirstAt, f.LastAt = b.counts.FirstAt, b.last.OccurredAt
	}
	for _, c := range l.branches {
		if c.fork == nil {
			continue
		}
		times := ForkTimes{{c.fork.stays.OccurredAt, c.fork.from.last.OccurredAt}, {c.fork.goes.OccurredAt, c.last.OccurredAt}}
		if named := forks[len(f.Forks)].Branches[0].FirstHash; named != c.fork.stays.hash().String() {
			times[0], times[1] = times[1], times[0]
		}
		f.Forks = append(f.Forks, times)
	}
	for _, x := range stand.beyond {
		if f.BeyondAt == 0 || x.At < f.BeyondAt {
			f.BeyondAt = x.At
		}
	}
	for _, x := range l.w.anchors[l.log].independent() {
		f.NewestAt = max(f.NewestAt, x.At)
	}
	if len(stand.mismatched) > 0 {
		low := stand.mismatched[0]
		j, err := l.judge.find(ctx, low.Sequence)
		if err != nil {
			return f, err
		}
		if j.valid() {
			f.Contradicted = &Contradiction{low.Sequence, low.By, low.At, j.OccurredAt}
		}
	}
	return f, nil
}

// mostLookups bounds the events that are looked up in other logs.
const mostLookups = 20_000

// elsewhere looks for the hashes that are written in the events of each log, and
// that their content does not give, in all other logs and their anchors.
func (w *walker) elsewhere(ctx context.Context) error {
	lookups := 0
	for _, r := range w.results {
		log := Log{r.TenantID, r.LogID}
		for _, other := range w.seen() {
			if len(w.misfits[log]) == 0 || other == log {
				continue
			}
			if lookups += mostMisfits; lookups > mostLookups {
				return nil
			}
			e, err := w.sameHashes(ctx, log, other)
			if err != nil {
				return err
			}
			facts := w.facts[log]
			if best := facts.Elsewhere; e.Same > 0 && (best == nil || e.Same > best.Same) {
				facts.Elsewhere = &e
				w.facts[log] = facts
			}
		}
	}
	return nil
}

// seen returns the logs that were walked or are anchored, in order.
func (w *walker) seen() []Log {
	var all []Log
	for _, r := range w.results {
		all = append(all, Log{r.TenantID, r.LogID})
	}
	for log := range w.anchors {
		all = append(all, log)
	}
	slices.SortFunc(all, compareLogs)
	return slices.Compact(all)
}

// sameHashes compares the misfits of a log with another log: with its events, or,
// where it has none, the anchors of that log with the events of the first one.
func (w *walker) sameHashes(ctx context.Context, log, other Log) (Elsewhere, error) {
	e := Elsewhere{Log: other}
	look := func(in Log, at chain.Anchor) error {
		there, same, err := w.records(ctx, in, at)
		if there {
			e.Looked++
		}
		if same {
			e.Same++
		}
		return err
	}
	for _, m := range w.misfits[log] {
		if err := look(other, m); err != nil {
			return e, err
		}
	}
	if e.Looked > 0 {
		return e, nil
	}
	claims := w.anchors[other].sorted()
	for _, x := range claims[:min(len(claims), mostMisfits)] {
		if err := look(log, chain.Anchor{Sequence: x.Sequence, Hash: x.Hash}); err != nil {
			return e, err
		}
	}
	return e, nil
}

// records reports whether there is an event of a sequence, and whether a hash is
// written in one of its copies.
func (w *walker) records(ctx context.Context, log Log, at chain.Anchor) (there, same bool, err error) {
	copies := 0
	for e, err := range w.source.Events(ctx, log, at.Sequence-1) {
		if err != nil {
			return there, false, err
		}
		if copies++; e.Sequence != at.Sequence || copies > mostCopies {
			break
		}
		there = true
		if e.Recorded == at.Hash {
			return true, true, nil
		}
	}
	return there, false, nil
}
