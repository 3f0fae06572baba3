package read

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/unwrap"
)

// searchPart reports the events, bundles and envelopes in a part of b that no specific reader
// understood, in any wrapping. Each has the times of d.rec and the batch ids that are in
// force, or those around it. It returns how many there were, and whether pieces of others
// are left. Pieces are not reported where the damage is reported anyway.
func (d *doc) searchPart(f *unwrap.Finder, part []byte, reportPieces bool) (count int, pieces bool, err error) {
	result := f.Find(part)
	pieces = len(result.Pieces) > 0
	if d.mended = len(result.Matches) == 1 && !pieces && len(part) == len(d.b); d.mended {
		m := &result.Matches[0]
		d.mended = m.End-m.Start == len(part) && (m.Holds || !reportPieces && unwrap.Holds(m.Body))
	}
	if !reportPieces {
		result.Pieces = result.Pieces[:0]
	}
	count, err = d.reportFound(part, result)
	return count, pieces, err
}

// reportFound reports the records in a part of b, and returns their number. Pieces are reported in
// their place among the events: a piece between two of them can be the event that is missing
// there.
func (d *doc) reportFound(part []byte, result *unwrap.Result) (count int, err error) {
	outer := d.rec
	matches, pieces := dropCopies(part, result.Matches), result.Pieces
	slices.SortFunc(pieces, func(a, b unwrap.Span) int { return a.Start - b.Start })
	proofs := brokenProofs{end: -1}
	for i := range matches {
		m := &matches[i]
		if pieces, err = d.piecesBefore(part, pieces, m.Start, result.Deep, &proofs); err != nil {
			return 0, err
		}
		switch {
		case !m.Disclosed:
			err = d.reportMatch(part, matches, i, outer)
		case proofs.addProofPart(part, m.Start, m.End):
			err = d.reportUnread(part[m.Start:m.End], &fault{code: finding.SourceUnparseable, text: BrokenProof})
		}
		if err != nil {
			return 0, err
		}
	}
	_, err = d.piecesBefore(part, pieces, len(part)+1, result.Deep, &proofs)
	return len(matches), err
}

// BrokenProof is the detail of the skip for a bundle that was not read whole, and for a pack.
const BrokenProof = "a proof that was not read whole, or a pack among other evidence"

// brokenProofs distinguishes the bundles of a text that were not read whole.
type brokenProofs struct{ end int } // of the last part of one, -1 if there was none

// addProofPart adds a part of such a bundle, and reports whether it is the first of it.
func (b *brokenProofs) addProofPart(part []byte, from, to int) bool {
	first := b.end < 0 || b.end <= from && !unwrap.InOneBundle(part[b.end:from])
	b.end = max(b.end, to)
	return first
}

// piecesBefore reports the pieces that begin before a place, and returns the others.
func (d *doc) piecesBefore(part []byte, pieces []unwrap.Span, place int, deep bool,
	proofs *brokenProofs) ([]unwrap.Span, error) {
	for ; len(pieces) > 0 && pieces[0].Start < place; pieces = pieces[1:] {
		p := part[pieces[0].Start:pieces[0].End]
		f := &fault{code: finding.SourceUnparseable, text: "pieces of an event that cannot be read"}
		switch {
		case d.torn && bytes.IndexByte(part[pieces[0].Start:], '\n') < 0:
			f = &fault{code: finding.SourcePartialTail, text: "the file ends within a line"}
		case deep:
			f = &fault{code: finding.NotRead, text: fmt.Sprintf("an event within more than %d wrappings", unwrap.MaxLevels)}
		case unwrap.HasPath(p) && proofs.addProofPart(part, pieces[0].Start, pieces[0].End):
			f.text = BrokenProof
		}
		if err := d.reportUnread(p, f); err != nil {
			return nil, err
		}
	}
	return pieces, nil
}

// reportUnread reports a part that contains an event, or pieces of one, and was not read.
func (d *doc) reportUnread(part []byte, f *fault) error {
	d.dropped = true
	d.reports++
	return d.skip(Skip{Place: d.placeOf(part), Code: f.code, Detail: f.text, Excerpt: part})
}

// reportMatch reports one of the matches in a part of b.
func (d *doc) reportMatch(part []byte, matches []unwrap.Match, i int, outer Record) error {
	mark := len(d.batches)
	defer func() { d.batches = d.batches[:mark] }()
	m := &matches[i]
	at := part[m.Start:m.End]
	if m.Kind == unwrap.Packed {
		d.reports++
		name := m.Steps[len(m.Steps)-1]
		return d.readDecoded(fmt.Sprintf("%s@%d", name, d.placeOf(at).Offset), bytes.NewReader(m.Body))
	}
	d.rec = Record{ExportTime: outer.ExportTime, ObservedTime: outer.ObservedTime}
	d.readAround(part, matches, i)
	d.rec.Wrapping = m.Steps
	switch m.Kind {
	case unwrap.Bundle:
		d.rec.Body, d.rec.Kind, d.rec.Fidelity = m.Body, Bundle, Exact
	case unwrap.Envelope:
		d.rec.Body, d.rec.Kind, d.rec.Fidelity = m.Body, Envelope, Exact
	default:
		d.setTakenEvent(m)
	}
	d.rec.Fidelity = max(d.rec.Fidelity, outer.Fidelity)
	d.rec.Place, d.rec.Format = d.placeOf(at), d.claimed
	d.reports++
	return d.reportRecord()
}

// setTakenEvent sets the body of d.rec to an event that was taken out of its wrapping.
func (d *doc) setTakenEvent(m *unwrap.Match) {
	switch {
	case len(m.Steps) == 0 || m.Rebuilt:
		d.setEvent(m.Body)
	default: // the reader of the body sees whether it is canonical
		d.rec.Body, d.rec.Kind = m.Body, Text
	}
	if m.Rebuilt {
		d.rec.Fidelity = max(d.rec.Fidelity, Recanonicalised)
	}
	if len(m.Steps) == 0 {
		return
	}
	d.rec.Fidelity = max(d.rec.Fidelity, Unquoted)
	if !m.Holds {
		d.markReplaced()
	}
}

// dropCopies drops further copies of an event in one record, such as a raw one with a parsed
// one. It keeps the most faithful: one whose hash holds, that needed the fewest steps. Copies
// that are written in the same way are different deliveries.
func dropCopies(part []byte, matches []unwrap.Match) []unwrap.Match {
	if len(matches) < 2 {
		return matches
	}
	best := make(map[string]int, len(matches))
	kept := matches[:0]
	for _, m := range matches {
		hash, ok := recordedHash(&m)
		at, twice := best[hash]
		switch {
		case !ok || !twice || areAlike(part, &kept[at], &m):
			best[hash] = len(kept)
			kept = append(kept, m)
		case isMoreFaithful(&m, &kept[at]):
			kept[at] = m
		}
	}
	return kept
}

// recordedHash returns the hash that is written in an event.
func recordedHash(m *unwrap.Match) (string, bool) {
	const digits = 64
	if m.Kind != unwrap.Event {
		return "", false
	}
	hash := bytes.Trim(valueAt(m.Body, "hash"), `"`)
	return string(hash), len(hash) == digits
}

// areAlike reports whether two copies are written in the same way, or stand on
// different lines of text.
func areAlike(part []byte, a, b *unwrap.Match) bool {
	if part[0] != '{' && part[0] != '[' && bytes.IndexByte(part[a.Start:max(a.Start, b.Start)], '\n') >= 0 {
		return true
	}
	return a.Rebuilt == b.Rebuilt && slices.Equal(a.Steps, b.Steps)
}

// isMoreFaithful reports whether a is a more faithful copy than b.
func isMoreFaithful(a, b *unwrap.Match) bool {
	if holds := unwrap.Holds(a.Body); holds != unwrap.Holds(b.Body) {
		return holds
	}
	if a.Rebuilt != b.Rebuilt {
		return b.Rebuilt
	}
	return len(a.Steps) < len(b.Steps)
}

// freeFinder returns a finder that is free.
func (r *reader) freeFinder() *unwrap.Finder {
	if n := len(r.finders); n > 0 {
		f := r.finders[n-1]
		r.finders = r.finders[:n-1]
		f.Forget()
		return f
	}
	return &unwrap.Finder{IsPacked: isPacked}
}

// doneWith frees a finder, and counts its work.
func (r *reader) doneWith(f *unwrap.Finder) {
	r.countLooked(int(f.Looked))
	r.searched += f.Looked
	f.Looked = 0
	r.finders = append(r.finders, f)
}

// isPacked reports whether bytes begin as compressed data or an archive do.
func isPacked(b []byte) bool {
	f, _ := sniffFormat(b[:min(len(b), sniffSize)])
	return f != "" && f.wrapsOnly() && f != HTTPRequests
}

// blockSizes are the sizes of the blocks of text that are searched at once, and the largest in
// which one long item is searched for.
type blockSizes struct{ first, most int }

var usualBlocks = blockSizes{64 << 10, 16 << 20}
