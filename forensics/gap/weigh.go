package gap

import (
	"fmt"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func weighDeletedAtSource(f *signs, h *Hypothesis) {
	switch {
	case f.source:
		h.speaksAgainst("other sources of the case hold the events")
		return
	case f.any(isJournal):
		h.speaksFor("the events next to the gap are in a journal, which would hold these as well")
	}
	if len(f.gap.CutBatches) > 0 {
		h.speaksAgainst("a batch that the gap cuts has an id over events that are not here: they had been exported")
	}
}

func weighDeletedAtStore(f *signs, h *Hypothesis) {
	if f.only(isJournal) {
		h.speaksAgainst(fromJournal)
		return
	}
	if f.source {
		h.speaksFor(fmt.Sprintf("%s of the case hold the events", safetext.Count(len(f.gap.Holders), "other source")))
	}
	if len(f.gap.CutBatches) > 0 {
		h.speaksFor(cutBatch)
	}
	if len(f.gap.Unreadable) > 0 {
		h.speaksAgainst("something that could not be read is in their place")
	}
}

const (
	fromJournal = "the events next to the gap come from a journal, which no collector or store handled"
	cutBatch    = "the gap cuts a batch: a part of it is here"
	atBorders   = "the gap begins and ends between two batches that are whole"
)

// rotatedName is how rotation names rotated files: a time within the name.
var rotatedName = safetext.Pattern(`-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}|\.\d{1,3}(\.gz|\.zst)?$`)

func weighRetention(f *signs, h *Hypothesis) {
	if f.head && !f.source {
		h.speaksFor("the beginning of the log is missing, and retention removes the oldest events")
	}
	if f.apart() {
		h.speaksFor("the events before and after the gap stand in different files")
	}
	if source, ok := f.shared(); ok {
		h.speaksAgainst("one source holds the events on both sides of the gap: " + nameOf(source.Paths))
		return
	}
	for _, s := range f.sides() {
		for _, source := range s.sources {
			if name := nameOf(source.Paths); rotatedName().MatchString(name) {
				h.speaksFor("a file next to the gap has a name as rotation gives it: " + name)
				return
			}
		}
	}
}

func weighRestart(f *signs, h *Hypothesis) {
	if f.only(isJournal) {
		h.speaksAgainst(fromJournal)
		return
	}
	if source, ok := f.shared(); ok {
		h.speaksAgainst("one file holds the events on both sides of the gap: " + nameOf(source.Paths))
		return
	}
	if f.after.neighbour == nil || !f.any(isFileExporter) {
		return
	}
	for _, d := range f.after.deliveries {
		if d.Record == 0 {
			h.speaksFor(fmt.Sprintf("event %d, after the gap, is the first record of a file as the collector's file exporter "+
				"writes it", f.after.neighbour.Sequence))
			return
		}
	}
}

func weighPartial(f *signs, h *Hypothesis) {
	switch {
	case f.only(isJournal):
		h.speaksAgainst(fromJournal)
	case len(f.gap.CutBatches) > 0:
		h.speaksFor(cutBatch)
	case f.atBorders():
		h.speaksAgainst(atBorders)
	}
}

func weighRequest(f *signs, h *Hypothesis) {
	switch {
	case f.only(isJournal):
		h.speaksAgainst(fromJournal)
	case f.atBorders():
		h.speaksFor(atBorders)
	case len(f.gap.CutBatches) > 0:
		h.speaksAgainst(cutBatch)
	}
}

// atBorders reports whether both neighbours came in batches, which are whole.
func (f *signs) atBorders() bool {
	a, b := f.before.neighbour, f.after.neighbour
	return a != nil && b != nil && len(a.Batches) > 0 && len(b.Batches) > 0 && len(f.gap.CutBatches) == 0
}

// wellBelow is the factor by which the events next to a gap must be smaller than a limit to
// count, and nearLimit the share within which they are near.
const (
	wellBelow = 8
	nearLimit = 2
)

func weighRecord(f *signs, h *Hypothesis) {
	if f.only(isJournal) {
		h.speaksAgainst(fromJournal)
		return
	}
	for _, s := range f.sides() {
		for _, format := range s.formats {
			store := read.BuiltinStores().All.Named(format)
			if limit := store.Numbers("record"); limit != nil {
				f.weighLength(h, store.Said("product"), limit[0])
				return
			}
		}
	}
}

// weighLength compares the known lengths with a store's limit: of the missing events
// themselves if another source has them.
func (f *signs) weighLength(h *Hypothesis, store string, limit int64) {
	if f.source {
		if f.missing.Smallest > limit {
			h.speaksFor(fmt.Sprintf("each of the missing events is longer than %d bytes, the limit of %s", limit, store))
		} else {
			h.speaksAgainst(fmt.Sprintf("a missing event has %d bytes, and %s takes %d", f.missing.Smallest, store, limit))
		}
		return
	}
	longest := int64(0)
	for _, s := range f.sides() {
		longest = max(longest, s.neighbour.Bytes)
	}
	switch {
	case longest*nearLimit > limit:
		h.speaksFor(fmt.Sprintf("an event next to the gap has %d bytes, near the %d that %s accepts", longest, limit, store))
	case longest*wellBelow < limit:
		h.speaksAgainst(fmt.Sprintf("the events next to the gap have at most %d bytes, far below the %d that %s accepts",
			longest, limit, store))
	}
}

func weighQuery(f *signs, h *Hypothesis) {
	if f.only(isJournal) {
		h.speaksAgainst(fromJournal)
		return
	}
	for _, s := range f.sides() {
		for _, source := range s.sources {
			for _, format := range s.formats {
				limits := read.BuiltinStores().All.Named(format).Numbers("query")
				if n := source.Records; slices.Contains(limits, n) {
					h.speaksFor(fmt.Sprintf("%s holds exactly %d records, a limit of such queries", nameOf(source.Paths), n))
					return
				}
			}
		}
	}
	if f.head || f.after.neighbour == nil {
		weighWindow(f, h)
	}
}

// wholeHour is how close to a whole hour the end of the present events must be, to look like
// the border of a time window.
const wholeHour = 5 * time.Second

func weighWindow(f *signs, h *Hypothesis) {
	for _, s := range f.sides() {
		at := time.UnixMilli(s.event.OccurredAt).UTC()
		if d := at.Sub(at.Round(time.Hour)).Abs(); d <= wholeHour {
			h.speaksFor(fmt.Sprintf("event %d, where the gap is, is dated %s from a whole hour, as a time window would cut",
				s.neighbour.Sequence, d))
			return
		}
	}
}

func weighUnreadable(f *signs, h *Hypothesis) {
	switch n := len(f.gap.Unreadable); {
	case n > 0:
		h.speaksFor(safetext.Count(n, "span") + " in the place of the events could not be read")
	case f.compared:
		h.speaksAgainst("everything in their place could be read")
	}
}

// weighForged weighs whether anything shows that the log continues after the gap. Without keys
// all that can be seen is whether the event there is whole.
func weighForged(f *signs, h *Hypothesis) {
	switch {
	case f.after.neighbour == nil, f.source:
	case f.after.event.Copies < 2 && !f.after.event.Intact():
		h.speaksFor(fmt.Sprintf("the content of event %d, after the gap, does not give the hash that is written in it",
			f.after.neighbour.Sequence))
	case f.after.neighbour.Sequence <= f.end:
		h.speaksAgainst(fmt.Sprintf("the newest walk found the log to go on to event %d", f.end))
	}
}

// nameOf returns the first of the paths of a source.
func nameOf(paths []string) string {
	if len(paths) == 0 {
		return "a stream"
	}
	return paths[0]
}
