package walk

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
)

// KnownEvent is a missing event whose hash is known from an anchor or from the
// path of a bundle. A path, and the link in a node's report, also name the event
// before it and the target of its skip link. If the bundle discloses the event, it
// contains all of it.
type KnownEvent struct {
	Sequence      uint64     `json:"sequence"`
	Hash          string     `json:"hash"`
	By            AnchorKind `json:"by"`
	Name          string     `json:"name"` // the path of the bundle, or the event of the tenant log
	Disclosed     bool       `json:"disclosed"`
	Type          string     `json:"type,omitempty"`           // of a disclosed event
	TransactionID string     `json:"transaction_id,omitempty"` // of a disclosed event
}

// BundlePath is the kind of a hash that the path of a bundle proves.
const BundlePath AnchorKind = "bundle"

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
	KnownEvent
	place finding.Evidence
}

// take takes in what the path of a bundle proves.
func (all knownEvents) take(t *Testimony, place finding.Evidence) {
	for _, k := range t.Known {
		k.By, k.Name = BundlePath, place.Name()
		all.add(placed{k, place})
	}
}

func (all knownEvents) add(k placed) {
	before, here := all[k.Sequence]
	if !here && len(all) >= mostKnown || here && (before.Disclosed || !k.Disclosed) {
		return
	}
	all[k.Sequence] = k
}

// namedBy returns the events whose hashes a link says, its own first.
func namedBy(l chain.Link, hash chain.Hash) []KnownEvent {
	all := []KnownEvent{{Sequence: l.Sequence, Hash: hash.String()}, {Sequence: l.Sequence - 1, Hash: l.Previous.String()}}
	if n := chain.Skip(l.Sequence); n != l.Sequence-1 {
		all = append(all, KnownEvent{Sequence: n, Hash: l.Skip.String()})
	}
	return slices.DeleteFunc(all, func(k KnownEvent) bool { return k.Sequence == 0 })
}

// missingKnown returns the events of the log that are missing and whose hashes
// are known.
func (e *ending) missingKnown(r LogResult) []KnownEvent {
	gaps := e.gaps(r)
	if len(gaps) == 0 {
		return nil
	}
	missing := func(n uint64) bool {
		i, here := slices.BinarySearchFunc(gaps, n, func(g Range, n uint64) int { return cmp.Compare(g.First, n) })
		return here || i > 0 && n <= gaps[i-1].Last
	}
	var known []KnownEvent
	for _, k := range e.said.known[e.log] {
		if missing(k.Sequence) {
			known = append(known, k.KnownEvent)
		}
	}
	for _, a := range e.anchors {
		names := namedBy(chain.Link{Sequence: a.Sequence, Previous: a.Previous, Skip: a.Skip}, a.Hash)
		if a.Previous == (chain.Hash{}) { // it says no link
			names = names[:1]
		}
		for _, k := range names {
			if k.By, k.Name = a.By, a.Name; missing(k.Sequence) {
				known = append(known, k)
			}
		}
	}
	slices.SortFunc(known, func(a, b KnownEvent) int {
		return cmp.Or(cmp.Compare(a.Sequence, b.Sequence), strings.Compare(a.Hash, b.Hash),
			strings.Compare(string(a.By), string(b.By)), strings.Compare(a.Name, b.Name))
	})
	known = slices.CompactFunc(known, func(a, b KnownEvent) bool { return a.Sequence == b.Sequence && a.Hash == b.Hash })
	return known[:min(len(known), mostKnownListed)]
}

// gaps returns what is missing of the log, in any of its histories and up to the
// highest anchor, ascending and apart.
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

// tellDisclosed says of what is missing which events a bundle discloses: that
// they are missing stays a finding about the sources that should have them.
func (e *ending) tellDisclosed(known []KnownEvent) {
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
