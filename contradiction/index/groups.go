package index

import (
	"sort"

	"github.com/svc-edge/svc-verify/contradiction"
)

// kinds is more than every kind of claim.
const kinds = 1 << (64 - kindShift)

// answers is, for each kind and bundle, the number of the first other bundle that
// clashes with it, and one; 0 if there is none. A kind without any has no list.
type answers struct {
	bundles int
	first   [kinds][]uint32
	newer   []uint32 // of a bundle: the number of the one that supersedes it, and one; 0 if there is none
}

// note records that two bundles clash, for the first of them.
func (a *answers) note(kind contradiction.Kind, number, other uint32) {
	if a.first[kind] == nil {
		a.first[kind] = make([]uint32, a.bundles)
	}
	if old := &a.first[kind][number]; *old == 0 || other < *old-1 {
		*old = other + 1
	}
}

// Counts describes how much of a set could have shown a contradiction.
type Counts struct {
	Bundles   int64 // that were added
	Sequences int64 // events, by tenant and sequence, whose hash is proven by any bundle
	Shared    int64 // the sequences that two bundles or more prove
	Pairs     int64 // of statements about one event that were compared: k(k-1)/2 for k bundles
}

// work counts the work done, for tests.
type work struct {
	candidates, decoded, compared int
	disk                          int64 // bytes of the files
}

// groups reads the records in their order, and notes for each the first other record of its
// key that clashes with it.
type groups struct {
	answers    *answers
	counts     Counts
	work       *work
	checkpoint func(number uint32) uint64 // the sequence of a bundle's checkpoint

	key     uint64
	members int64 // bundles, so far

	// Of kinds where values clash if they differ.
	first, other record   // the first record, and the first with another value
	parted       bool     // there is another value
	waiting      []uint32 // bundles with the value of first, from before there was another

	statuses []record // of the kind where it is not so simple
}

func kindOf(key uint64) contradiction.Kind { return contradiction.Kind(key >> kindShift) }

// add adds the next record.
func (g *groups) add(r record) {
	if g.members == 0 || r.key != g.key {
		g.end()
		g.key, g.first, g.parted = r.key, r, false
	}
	g.members++
	if kindOf(r.key) == contradiction.KindStatus {
		g.statuses = append(g.statuses, r)
		return
	}
	same := r.value == g.first.value
	if !same && !g.parted {
		g.other, g.parted = r, true
		for _, w := range g.waiting {
			g.clash(w, r.entry)
		}
	}
	switch {
	case !same:
		g.clash(r.entry, g.first.entry)
	case g.parted:
		g.clash(r.entry, g.other.entry)
	default:
		g.waiting = append(g.waiting, r.entry)
	}
}

// clash notes a candidate. That can be the bundle itself, if two of its keys have
// one hash by chance: the rule refuses it later, and all others are tried.
func (g *groups) clash(number, other uint32) {
	g.work.candidates++
	g.answers.note(kindOf(g.key), number, other)
}

// end ends the group of a key.
func (g *groups) end() {
	if k := g.members; k > 0 && kindOf(g.key) == contradiction.KindHash {
		g.counts.Sequences++
		g.counts.Pairs += k * (k - 1) / 2
		if k > 1 {
			g.counts.Shared++
		}
	}
	g.settleStatuses()
	g.supersede()
	g.members, g.waiting, g.statuses = 0, g.waiting[:0], g.statuses[:0]
}

// settleStatuses finds the candidates among the statuses of one transaction. One
// that is issued at a checkpoint clashes with one that is revoked by an event at or
// below it. So only a record can be an answer that goes further than all before it:
// an issued one with a higher checkpoint, or a revoked one with a lower event.
// These are in order, and each status finds its answer by binary search.
func (g *groups) settleStatuses() {
	var issued, revoked []uint32 // places in statuses
	sequence := func(place uint32) uint64 { return sequenceOf(g.statuses[place]) }
	for i, r := range g.statuses {
		switch s, isRevoked := statusOf(r.value); {
		case isRevoked && (len(revoked) == 0 || s < sequence(revoked[len(revoked)-1])):
			revoked = append(revoked, uint32(i))
		case !isRevoked && (len(issued) == 0 || s > sequence(issued[len(issued)-1])):
			issued = append(issued, uint32(i))
		}
	}
	for _, r := range g.statuses {
		s, isRevoked := statusOf(r.value)
		from, clashes := revoked, func(i int) bool { return sequence(revoked[i]) <= s }
		if isRevoked {
			from, clashes = issued, func(i int) bool { return sequence(issued[i]) >= s }
		}
		if i := sort.Search(len(from), clashes); i < len(from) {
			g.clash(r.entry, g.statuses[from[i]].entry)
		}
	}
}

// supersede notes which of the bundles of one transaction are superseded, and by
// which: the first of those with the highest checkpoint (SPEC 14.2).
func (g *groups) supersede() {
	var newest, newestRevoked *record
	raise := func(best **record, r *record) {
		if *best == nil || g.checkpoint(r.entry) > g.checkpoint((*best).entry) {
			*best = r
		}
	}
	for i := range g.statuses {
		r := &g.statuses[i]
		raise(&newest, r)
		if _, revoked := statusOf(r.value); revoked {
			raise(&newestRevoked, r)
		}
	}
	for _, r := range g.statuses {
		by := newest
		if _, revoked := statusOf(r.value); revoked {
			by = newestRevoked
		}
		if g.checkpoint(by.entry) <= g.checkpoint(r.entry) {
			continue
		}
		if g.answers.newer == nil {
			g.answers.newer = make([]uint32, g.answers.bundles)
		}
		g.answers.newer[r.entry] = by.entry + 1
	}
}

// statusOf decodes the value of a status.
func statusOf(value uint64) (sequence uint64, revoked bool) {
	return value & (1<<(valueBits-1) - 1), value>>(valueBits-1) == 1
}

func sequenceOf(r record) uint64 {
	s, _ := statusOf(r.value)
	return s
}
