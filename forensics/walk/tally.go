package walk

import (
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// tally has the counts of a section for the facts.
type tally struct {
	keys    []KeyUse // of events, without the log
	foreign Foreign
	misfits []chain.Anchor // the first copies that do not give the hash written in them, and that hash
	seam    seam
	sound   []Range // see IsSound
}

// mostMisfits bounds the copies of a log that are looked for in other logs.
const mostMisfits = 16

// seam contains the data that links over the ends of a section are compared with: the foreign
// copies at its beginning, and the hashes of all copies at its end.
type seam struct {
	first, last      uint64
	begins           []chain.Hash // the previous links of the first foreign copies
	foreign, genuine []chain.Hash
}

// tallyCopies tallies the copies of a section.
func (s *section) tallyCopies(log facts.Log, copies []judged) {
	t := &s.tally
	t.countKeys(copies)
	before, here := &seam{}, &seam{} // the sequence ahead, and this one; their memory is used in turn
	for group := range copiesBySequence(copies) {
		n := group[0].Sequence
		*here = seam{last: n, begins: here.begins[:0], foreign: here.foreign[:0], genuine: here.genuine[:0]}
		for i := range group {
			t.countCopy(log, &group[i], here)
		}
		if len(here.genuine) > 0 {
			t.foreign.Beside += uint64(len(here.foreign))
		}
		if before.last == 0 {
			t.seam.first, t.seam.begins = n, slices.Clone(here.begins)
		} else {
			t.foreign.countForeign(before, n, here.begins)
		}
		before, here = here, before
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
				t.keys = append(t.keys, KeyUse{Kind: facts.SignedEvents, KeyID: j.KeyID, Pinned: j.owner == pinned,
					Other: j.owner == ofOtherNode})
			}
		}
		t.keys[k].countStatement(j.Sequence, j.Signed == event.OverContent, j.Intact())
	}
}

// countCopy tallies one copy.
func (t *tally) countCopy(log facts.Log, j *judged, here *seam) {
	switch {
	case j.Valid():
		here.genuine = append(here.genuine, j.Computed)
	case !j.Intact():
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
		here.foreign = append(here.foreign, j.Computed)
		if j.Sequence == 1 && j.Previous == chain.Genesis(log.TenantID, log.LogID) {
			f.Linked++
			return
		}
		here.begins = append(here.begins, j.Previous)
	}
}

// countForeign counts the foreign copies of a sequence, given their previous links, that follow copies
// of the one ahead.
func (f *Foreign) countForeign(ahead *seam, n uint64, begins []chain.Hash) {
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

// addTally adds the tally of the next section, except for the keys.
func (t *tally) addTally(next *tally) {
	f, g := &t.foreign, next.foreign
	if f.Copies == 0 {
		f.First = g.First
	}
	f.Last = max(f.Last, g.Last)
	f.Copies, f.Beside, f.Linked, f.Leaving = f.Copies+g.Copies, f.Beside+g.Beside, f.Linked+g.Linked, f.Leaving+g.Leaving
	f.countForeign(&t.seam, next.seam.first, next.seam.begins)
	t.seam = next.seam
	for _, r := range next.sound {
		if len(t.sound) < mostSound {
			t.sound = joinRange(t.sound, r)
		}
	}
	t.misfits = append(t.misfits, next.misfits[:min(len(next.misfits), mostMisfits-len(t.misfits))]...)
}
