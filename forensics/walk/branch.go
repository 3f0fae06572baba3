package walk

import (
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
)

// branch is one history of a log.
type branch struct {
	segment chain.Segment
	last    *judged // its newest event, or where the walk began
	doubts  map[uint64]doubt
	counts  counts
	marks   map[uint64]mark // at the anchored sequences
	parted  uint64          // from there on up, no anchor vouches for earlier events; 0 if everywhere
	fork    *fork           // where it left another branch, nil for the first
}

// mark is the state that an anchor is checked against: the believed hashes of an event, and
// how many events there are up to it.
type mark struct {
	hashes []chain.Hash
	upTo   uint64
}

// counts are the numbers of a [LogResult] that a walk adds up.
type counts struct {
	First     uint64 `json:"first_sequence"`
	Last      uint64 `json:"last_sequence"`
	Events    uint64 `json:"events"`
	Missing   uint64 `json:"missing"`
	Hash      uint64 `json:"hash_valid"`
	Link      uint64 `json:"link_valid"`
	Signature uint64 `json:"signature_valid"`
	FirstAt   int64  `json:"first_at"` // of the first event, milliseconds since 1970
}

// doubt describes which parts of an event are not believed, so that nothing is compared with
// them.
type doubt struct{ hash, content bool }

// breakOff notes where a history can no longer be followed from event to event: the
// hash that an anchor names above vouches for nothing that is missing, that was
// changed, or that the next event does not name as the one before it. A skip link
// does not matter, since the links to the event before are enough.
func (b *branch) breakOff(k chain.Break) {
	at := k.Sequence
	switch k.Kind {
	case chain.BreakSkip:
		return
	case chain.BreakGap:
		at = k.Other
	}
	if b.parted == 0 || at < b.parted {
		b.parted = at
	}
}

// countSeries adds a series to the numbers of the branch.
func (b *branch) countSeries(r series, broken uint64) {
	c := &b.counts
	if c.Events == 0 {
		c.First = r.first.Sequence
		c.FirstAt = r.first.OccurredAt
	}
	c.Last = r.last.Sequence
	c.Events += r.events
	c.Link += r.events - broken
	if r.events > 1 || r.first.Intact() {
		c.Hash += r.events
	}
	if r.events > 1 || r.first.Signed == event.OverContent {
		c.Signature += r.events
	}
}

// dropDoubts drops the doubts about events that no later link can name.
func (b *branch) dropDoubts() {
	if len(b.doubts) > 64 {
		way := chain.Way(b.segment.Last(), 0)
		maps.DeleteFunc(b.doubts, func(n uint64, _ doubt) bool { return !slices.Contains(way, n) })
	}
}

// matched returns the anchors that name an event of the branch.
func (b *branch) matched(all anchors) anchors {
	return slices.DeleteFunc(slices.Clone(all), func(x Anchor) bool {
		return x.Sequence > b.counts.Last || !slices.Contains(b.marks[x.Sequence].hashes, x.Hash)
	})
}

// capacity is how many events a branch may have grown by until a time.
func (b *branch) capacity(at int64) uint64 {
	span := uint64(max(0, at-b.last.OccurredAt) + tolerance)
	events, took := b.counts.Events, b.last.OccurredAt-b.counts.FirstAt
	if events < 2 || took <= 0 || b.counts.FirstAt == 0 {
		return span // an event a millisecond, the resolution of times
	}
	high, low := bits.Mul64(haste*(events-1), span)
	if high >= uint64(took) {
		return math.MaxUint64
	}
	n, _ := bits.Div64(high, low, uint64(took))
	return n
}
