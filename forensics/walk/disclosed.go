package walk

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// BundlePath is the kind of a hash that the path of a bundle proves.
const BundlePath facts.AnchorKind = "bundle"

const (
	// mostKnown bounds the events of one log that are known from bundles, and
	// mostKnownListed those that are listed.
	mostKnown       = 1 << 16
	mostKnownListed = 1000
)

// knownEvents are the events of one log that bundles name, by sequence. A signed
// checkpoint proves them, so that there is one of each sequence unless two
// checkpoints contradict each other.
type knownEvents map[uint64]placed

// placed is a known event and the place of the bundle that names it.
type placed struct {
	facts.KnownEvent
	place finding.Evidence
}

// addPath adds the events that the path of a bundle proves.
func (all knownEvents) addPath(t *facts.Testimony, place finding.Evidence) {
	for _, k := range t.Known {
		k.By, k.Name = BundlePath, place.Name()
		all.addEvent(placed{k, place})
	}
}

func (all knownEvents) addEvent(k placed) {
	if before, here := all[k.Sequence]; !here && len(all) >= mostKnown || here && (before.Disclosed || !k.Disclosed) {
		return
	}
	all[k.Sequence] = k
}

// missingKnown returns the events of the log that are missing and whose hashes
// are known.
func (e *ending) missingKnown(r LogResult) []facts.KnownEvent {
	gaps := e.gaps(r)
	if len(gaps) == 0 {
		return nil
	}
	missing := func(n uint64) bool {
		i, here := slices.BinarySearchFunc(gaps, n, func(g Range, n uint64) int { return cmp.Compare(g.First, n) })
		return here || i > 0 && n <= gaps[i-1].Last
	}
	var known []facts.KnownEvent
	for _, k := range e.said.known[e.log] {
		if missing(k.Sequence) {
			known = append(known, k.KnownEvent)
		}
	}
	for _, a := range e.anchors {
		names := facts.NamedBy(chain.Link{Sequence: a.Sequence, Previous: a.Previous, Skip: a.Skip}, a.Hash)
		if a.Previous == (chain.Hash{}) { // it names no link
			names = names[:1]
		}
		for _, k := range names {
			if k.By, k.Name = a.By, a.Name; missing(k.Sequence) {
				known = append(known, k)
			}
		}
	}
	slices.SortFunc(known, func(a, b facts.KnownEvent) int {
		return cmp.Or(cmp.Compare(a.Sequence, b.Sequence), strings.Compare(a.Hash, b.Hash),
			strings.Compare(string(a.By), string(b.By)), strings.Compare(a.Name, b.Name))
	})
	known = slices.CompactFunc(known, func(a, b facts.KnownEvent) bool {
		return a.Sequence == b.Sequence && a.Hash == b.Hash
	})
	return known[:min(len(known), mostKnownListed)]
}

// gaps returns the missing ranges of the log, in any of its histories and up to the highest
// anchor, ascending and apart.
func (e *ending) gaps(r LogResult) []Range {
	var all []Range
	for _, f := range e.book.findings {
		if f.Code.Entry().Merge == finding.SameRange {
			all = append(all, Range{f.Sequence, f.LastSequence})
		}
	}
	if r.Beyond != nil {
		all = append(all, Range{r.LastSequence + 1, r.Beyond.Sequence})
	}
	slices.SortFunc(all, func(a, b Range) int { return cmp.Compare(a.First, b.First) })
	var apart []Range
	for _, g := range all {
		if n := len(apart); n > 0 && g.First <= apart[n-1].Last {
			apart[n-1].Last = max(apart[n-1].Last, g.Last)
			continue
		}
		apart = append(apart, g)
	}
	return apart
}

// tellDisclosed marks the missing events that a bundle discloses: that they are missing stays
// a finding about the sources that should have them.
func (e *ending) tellDisclosed(known []facts.KnownEvent) {
	for i := range e.book.findings {
		f := &e.book.findings[i]
		if !f.Code.Entry().Missing() {
			continue
		}
		for _, k := range known {
			if k.Disclosed && k.Sequence >= f.Sequence && k.Sequence <= f.LastSequence && len(f.Evidence) < mostEvidence {
				f.Found += fmt.Sprintf("; event %d is disclosed by %s", k.Sequence, k.Name)
				f.Evidence = append(f.Evidence, e.said.known[e.log][k.Sequence].place)
			}
		}
	}
}
