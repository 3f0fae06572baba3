package gap

import (
	"cmp"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/store"
)

// signs are the facts by which the hypotheses are weighed.
type signs struct {
	gap           Gap // all but the hypotheses
	before, after side
	head          bool        // nothing is here before the gap
	end           uint64      // the last event of the log, by the walk; 0 if there was none
	source        bool        // the gap is one source's
	compared      bool        // a source was looked at for unreadable spans
	missing       store.Sizes // of a source's gap: the bodies that others have
}

// cause is one thing that makes gaps.
type cause struct {
	name, title string
	weigh       func(*signs, *Hypothesis)
}

// causes are the causes that are weighed for each gap. With no fact at all they are listed in
// this order.
var causes = []cause{
	{"deleted-at-source", "the events were deleted from the node's journal, or never written", weighDeletedAtSource},
	{"deleted-at-store", "the events were deleted from the store", weighDeletedAtStore},
	{"retention", "retention or rotation removed the file that held them", weighRetention},
	{"restart-truncation", "a collector restarted and began its file anew (append: false)", weighRestart},
	{"partial-success", "a receiver took a part of a request and rejected the rest, or a queue was full", weighPartial},
	{"request-limit", "a request was too large and was refused whole (413, 400)", weighRequest},
	{"record-limit", "a record was longer than the store allows", weighRecord},
	{"query-limit", "the export was cut by its query: a limit, a preview, a time window", weighQuery},
	{"unreadable-span", "the events stand in a span that could not be read", weighUnreadable},
	{"forged-event", "the event after the gap is forged, and the log never went so far", weighForged},
}

// hypotheses weighs every cause: those for which most speaks first, then those
// for and against which nothing speaks, then those that facts speak against only.
func (f *signs) hypotheses() []Hypothesis {
	all := make([]Hypothesis, 0, len(causes))
	for _, c := range causes {
		h := Hypothesis{Cause: c.name, Title: c.title, For: []string{}, Against: []string{}}
		c.weigh(f, &h)
		all = append(all, h)
	}
	slices.SortStableFunc(all, func(a, b Hypothesis) int {
		return cmp.Or(cmp.Compare(len(b.For), len(a.For)), cmp.Compare(len(a.Against), len(b.Against)))
	})
	return all
}

func (h *Hypothesis) speaksFor(fact string)     { h.For = append(h.For, fact) }
func (h *Hypothesis) speaksAgainst(fact string) { h.Against = append(h.Against, fact) }

// sides are the neighbours that there are.
func (f *signs) sides() []side {
	return slices.DeleteFunc([]side{f.before, f.after}, func(s side) bool { return s.neighbour == nil })
}

// only reports whether the neighbours were found, and all in containers for which is returns
// true.
func (f *signs) only(is func(read.Format) bool) bool {
	n := 0
	for _, s := range f.sides() {
		for _, format := range s.formats {
			if !is(format) {
				return false
			}
			n++
		}
	}
	return n > 0
}

// any reports whether a neighbour is in a container for which is returns true.
func (f *signs) any(is func(read.Format) bool) bool {
	return slices.ContainsFunc(f.sides(), func(s side) bool { return slices.ContainsFunc(s.formats, is) })
}

func isJournal(f read.Format) bool { return f == read.Journal }

// isFileExporter reports whether a collector's file exporter writes this format.
func isFileExporter(f read.Format) bool {
	return f == read.OTLPJSON || f == read.OTLPFrames || f == read.ZstdFrames
}

// shared returns the source that holds both neighbours, if there is one.
func (f *signs) shared() (facts.Source, bool) {
	for _, a := range f.before.sources {
		for _, b := range f.after.sources {
			if a.Number == b.Number {
				return a, true
			}
		}
	}
	return facts.Source{}, false
}

// apart reports whether sources hold both neighbours, and none holds both.
func (f *signs) apart() bool {
	_, shared := f.shared()
	return len(f.before.sources) > 0 && len(f.after.sources) > 0 && !shared
}

// window is the records of a source between which the missing events would stand.
type window struct{ source, before, after int64 }

// windows returns them for every source that holds both neighbours, or, where
// there is only one, from it to the end or the beginning.
func (f *signs) windows() []window {
	var all []window
	switch {
	case f.before.neighbour == nil:
		for _, d := range f.after.deliveries {
			all = append(all, window{d.Source, -1, d.Record})
		}
	case f.after.neighbour == nil:
		for _, d := range f.before.deliveries {
			all = append(all, window{d.Source, d.Record, maxRecord})
		}
	}
	for _, a := range f.before.deliveries {
		for _, b := range f.after.deliveries {
			if a.Source == b.Source && a.Record < b.Record {
				all = append(all, window{a.Source, a.Record, b.Record})
				break
			}
		}
		if len(all) >= mostUnreadable {
			break
		}
	}
	return all[:min(len(all), mostUnreadable)]
}

// maxRecord is above the number of every record.
const maxRecord = 1<<63 - 1
