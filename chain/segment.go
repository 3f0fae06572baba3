package chain

import (
	"cmp"
	"slices"
)

// Event is one event of a log: its link and the hash recorded in it.
type Event struct {
	Link
	Recorded Hash
}

// BreakKind names how an event does not fit the events before it.
type BreakKind string

// The kinds of [Break].
const (
	BreakHash     BreakKind = "hash"     // the recorded hash is not the link's
	BreakPrevious BreakKind = "previous" // the previous link is not the predecessor's recorded hash
	BreakSkip     BreakKind = "skip"     // the skip link is not the recorded hash of the event it names
	BreakGap      BreakKind = "gap"      // sequences are missing before this event
	BreakRestart  BreakKind = "restart"  // the sequence does not increase
)

// Break is a place where a run of events is not a chain. Position counts the
// events from the start of the segment, from 0. Other is the sequence with which
// the event at Sequence disagrees: the predecessor, the target of the skip link,
// the first missing sequence of a gap or, for a restart, the last one before it.
type Break struct {
	Position int
	Kind     BreakKind
	Sequence uint64
	Other    uint64
}

// claim is a skip link to an event before the segment: the event at From states that the hash
// of To is Hash.
type claim struct {
	Position int
	From, To uint64
	Hash     Hash
}

// end is one end of a segment.
type end struct {
	Sequence uint64
	Previous Hash // of the first event: its previous link
	Recorded Hash // of the last event
}

// Segment summarises a run of consecutive events of one log. It has all that is
// needed to join the run to those before and after it. The zero Segment is the
// empty run. [Segment.Join] is associative, so a log can be cut anywhere, walked
// in parts and joined in any grouping.
//
// A segment is a sequence of ascending parts, with a restart between each two.
// Only its outer ends matter to a neighbour: the skip links of the first part
// that name older events (claims), and the hashes of the last part that younger
// skip links can name (offers). Because skip links never cross, the number of
// both is logarithmic in the sequence numbers.
type Segment struct {
	Count  int
	Breaks []Break

	first, last end
	ascending   bool // a single part, so that claims can pass through it
	claims      []claim
	offers      []Anchor // descending by sequence
}

// Of returns the segment of one event.
func Of(e Event) Segment {
	s := OfSound(&e)
	if e.Hash() != e.Recorded {
		s.Breaks = []Break{{0, BreakHash, e.Sequence, e.Sequence}}
	}
	return s
}

// OfSound does the same for an event whose recorded hash is known to be right: the hash is not
// computed.
func OfSound(e *Event) Segment {
	return Segment{
		Count:     1,
		first:     end{Sequence: e.Sequence, Previous: e.Previous},
		last:      end{Sequence: e.Sequence, Recorded: e.Recorded},
		ascending: true,
		claims:    []claim{{0, e.Sequence, Skip(e.Sequence), e.Skip}},
		offers:    []Anchor{{e.Sequence, e.Recorded}},
	}
}

// Append adds an event to the end of the run, as joining Of(e) would. It does not
// compute the hash of the event: the caller must know that the recorded one is
// right. It writes into the lists of s, so copies of s that were made after the
// first Append must not be used.
func (s *Segment) Append(e *Event) {
	if !s.ascending || len(s.offers) == 0 || e.Sequence != s.last.Sequence+1 {
		*s = s.Join(OfSound(e))
		return
	}
	if e.Previous != s.last.Recorded {
		s.Breaks = append(s.Breaks, Break{s.Count, BreakPrevious, e.Sequence, s.last.Sequence})
	}
	target, hidden := Skip(e.Sequence), 0 // hidden by the new skip link, which no later one can cross
	for hidden < len(s.offers) && s.offers[hidden].Sequence > target {
		hidden++
	}
	switch found := hidden < len(s.offers) && s.offers[hidden].Sequence == target; {
	case found && s.offers[hidden].Hash != e.Skip:
		s.Breaks = append(s.Breaks, Break{s.Count, BreakSkip, e.Sequence, target})
	case !found && target < s.first.Sequence:
		s.claims = append(s.claims, claim{s.Count, e.Sequence, target, e.Skip})
	}
	s.offers = slices.Replace(s.offers, 0, hidden, Anchor{e.Sequence, e.Recorded})
	s.last = end{Sequence: e.Sequence, Recorded: e.Recorded}
	s.Count++
}

// OfGenesis returns the segment of sequence 0 with the genesis hash. Joined before
// a run, it checks that the run starts at the genesis.
func OfGenesis(genesis Hash) Segment {
	return Segment{
		last:      end{Recorded: genesis},
		ascending: true,
		offers:    []Anchor{{0, genesis}},
	}
}

// Series is consecutive events of a log that are known to link to each other: the hashes
// are right, each event names the one before it, and skip links that name one of the
// events name its hash.
type Series struct {
	First    Event
	Last     uint64
	Recorded func(sequence uint64) Hash
	Older    []Older // all skip links that name an event ahead of the series, ascending
}

// Older is the skip link of the event at From.
type Older struct {
	From uint64
	Hash Hash
}

// OfSeries returns the segment of a series, as appending its events would.
func OfSeries(r *Series) Segment {
	s := Segment{
		Count:     int(r.Last-r.First.Sequence) + 1,
		first:     end{Sequence: r.First.Sequence, Previous: r.First.Previous},
		last:      end{Sequence: r.Last, Recorded: r.Recorded(r.Last)},
		ascending: true,
		claims:    make([]claim, len(r.Older)),
	}
	for i, o := range r.Older {
		s.claims[i] = claim{int(o.From - r.First.Sequence), o.From, Skip(o.From), o.Hash}
	}
	for n := r.Last; n >= r.First.Sequence && n > 0; n = Skip(n) {
		s.offers = append(s.offers, Anchor{n, r.Recorded(n)})
	}
	return s
}

// Last returns the sequence of the last event, or 0 for an empty segment.
func (s Segment) Last() uint64 { return s.last.Sequence }

// Head returns the recorded hash of the last event.
func (s Segment) Head() Hash { return s.last.Recorded }

// Join returns the segment of the events of s followed by the events of t. It looks only at
// the seam, and changes neither.
func (s Segment) Join(t Segment) Segment {
	switch {
	case len(s.offers) == 0:
		return t
	case len(t.offers) == 0:
		return s
	}
	j := Segment{Count: s.Count + t.Count, first: s.first, last: t.last, claims: s.claims, offers: t.offers}
	seam, open := s.seamBreaks(t)
	j.Breaks = slices.Concat(s.Breaks, seam, t.shiftedBreaks(s.Count))
	slices.SortFunc(j.Breaks, compareBreaks)
	if t.first.Sequence <= s.last.Sequence {
		return j // a restart: nothing passes the seam
	}
	j.ascending = s.ascending && t.ascending
	if s.ascending {
		j.claims = slices.Concat(s.claims, open)
	}
	if t.ascending {
		j.offers = slices.Concat(t.offers, s.visibleFrom(t.last.Sequence))
	}
	return j
}

// seamBreaks returns the breaks between s and a following t, and the claims of t that
// name an event older than all of s.
func (s Segment) seamBreaks(t Segment) ([]Break, []claim) {
	at, before := t.first.Sequence, s.last.Sequence
	if at <= before {
		return []Break{{s.Count, BreakRestart, at, before}}, nil
	}
	var breaks []Break
	if at > before+1 {
		breaks = append(breaks, Break{s.Count, BreakGap, at, before + 1})
	} else if t.first.Previous != s.last.Recorded {
		breaks = append(breaks, Break{s.Count, BreakPrevious, at, before})
	}
	var open []claim
	for _, c := range t.claims {
		c.Position += s.Count
		h, found := s.offeredHash(c.To)
		switch {
		case found && h != c.Hash:
			breaks = append(breaks, Break{c.Position, BreakSkip, c.From, c.To})
		case !found && c.To < s.first.Sequence:
			open = append(open, c)
		}
	}
	return breaks, open
}

// offeredHash returns the recorded hash of a sequence of the last part.
func (s Segment) offeredHash(sequence uint64) (Hash, bool) {
	for _, a := range s.offers {
		if a.Sequence == sequence {
			return a.Hash, true
		}
	}
	return Hash{}, false
}

// visibleFrom returns the offers that a link from beyond n can name, which are on
// the chain of skip links from n.
func (s Segment) visibleFrom(n uint64) []Anchor {
	var out []Anchor
	chain := skipChain(n)
	for _, a := range s.offers {
		if slices.Contains(chain, a.Sequence) {
			out = append(out, a)
		}
	}
	return out
}

// shiftedBreaks returns the breaks with their positions counted from n events
// earlier.
func (s Segment) shiftedBreaks(n int) []Break {
	shifted := slices.Clone(s.Breaks)
	for i := range shifted {
		shifted[i].Position += n
	}
	return shifted
}

// compareBreaks is a total order, so that every grouping of a join lists the
// same breaks in the same order.
func compareBreaks(a, b Break) int {
	return cmp.Or(
		cmp.Compare(a.Position, b.Position),
		cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Other, b.Other),
	)
}
