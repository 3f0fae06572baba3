package cause

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// deleted names the remaining missing events: of each store that lacks some, and of each log.
func (w missing) deleted() {
	for _, s := range w.comparedStores() {
		w.deletedFrom(s)
	}
	left := w.left(deletion)
	for _, of := range w.bySubject(append(left, w.unorderedEnds()...), w.deletedOf) {
		f := w.Findings[of[0]]
		d := w.draft(EventsDeleted, of, w.deletedOf(f)[1:]...)
		if len(d.logs) == 1 && !hasProperty(f.Code, lackedTail) {
			d.speaksFor(w.codesOf(of) + w.ranges(of))
		}
		if w.any(of, inStore, inJournal) {
			d.speaksFor("another source has them")
		}
		if w.any(of, withLack(finding.WholeLog)) {
			d.speaksFor("nothing is left of a log that was collected, or of which a part was given")
		}
		w.weighNeighbours(d, of)
		w.addDeleted(d, of)
	}
	w.joinSelected()
}

// addDeleted adds missing events with the statements of bundles that are not covered
// without them. If all of these are of one bundle of several, that is said first.
func (w missing) addDeleted(d *draft, of []int) {
	of = merged(of, w.ofLogs(of, uncovered))
	named := map[string]bool{}
	for _, i := range of {
		for _, e := range w.Findings[i].Evidence {
			if t := w.disclosed[e.Source]; t != "" {
				named[t] = true
			}
		}
	}
	all := len(slices.Compact(slices.Sorted(maps.Values(w.disclosed))))
	if len(named) == 1 && all > 1 {
		for t := range named {
			d.what = selector{byTransaction, t}.selectedEvents()
			d.reasons = append([]string{fmt.Sprintf("of %d transactions whose bundles are here, only %s has statements that "+
				"are missing", all, safetext.Quote(t))}, d.reasons...)
			d.support++
		}
	}
	w.addCause(d, of)
}

// joinSelected makes one cause of those that name missing events of the same transaction.
func (w missing) joinSelected() {
	first := map[string]*draft{}
	w.found = slices.DeleteFunc(w.found, func(d *draft) bool {
		into := first[d.what]
		if d.code != EventsDeleted || d.what == "" {
			return false
		}
		if into == nil {
			first[d.what] = d
			return false
		}
		into.logs, into.stores = merged(into.logs, d.logs), merged(into.stores, d.stores)
		if into.findings = merged(into.findings, d.findings); len(into.sources) == 0 || len(d.sources) == 0 {
			into.sources = nil // the stores name all places
		} else {
			into.sources = merged(into.sources, d.sources)
		}
		for _, fact := range d.reasons {
			if !slices.Contains(into.reasons, fact) {
				into.reasons = append(into.reasons, fact)
			}
		}
		into.sequence = w.firstOf(into.findings)
		return true
	})
}

// deletedFrom names a store that lacks events by no rule that is known.
func (w missing) deletedFrom(s crosscheck.Store) {
	of := w.lackingIn(s.Name)
	d := w.draft(EventsDeleted, of, s.Name)
	d.sources = w.journalsOf(of)
	fact := w.codesOf(of)
	if len(d.logs) == 1 {
		fact += w.ranges(of)
	}
	d.speaksFor(fact)
	d.speaksFor("another source has them")
	if m := s.Missing; m != nil && m.Places >= leastByRule && len(d.logs) > 1 {
		d.speaksAgainst(fmt.Sprintf("it lacks %s in %s of %s, of several types and transactions: a queue or a limit "+
			"may have lost them", safetext.Count(m.Events, "event"), safetext.Count(m.Places, "place"),
			safetext.Count(len(d.logs), "log")))
	}
	w.weighNeighbours(d, of)
	w.addDeleted(d, of)
}

// deletedOf returns the log of a finding and the stores from which events are missing, by
// which findings are put together. Missing ends are put together over all logs.
func (w missing) deletedOf(f finding.Finding) []string {
	switch f.Code.Entry().Lacks {
	case finding.EventsAtTail:
		return []string{""}
	case finding.EventsAtHead, finding.WholeLog: // the evidence is of anchors or neighbours
		return []string{f.LogID}
	case finding.InStore, finding.InJournal:
		if f.Sequence == 0 { // it counts others
			return []string{f.LogID}
		}
		return []string{f.LogID, w.lackOf(f)}
	case finding.InBatch:
		return append([]string{f.LogID}, w.cutIn(f)...)
	}
	return append([]string{f.LogID}, w.sources(f)...)
}

// ranges returns which events are missing by some findings, or came in a batch with missing
// ones; may be "".
func (x *findingIndex) ranges(of []int) string {
	var missing, batches []string
	more := 0
	for _, i := range of {
		f := x.Findings[i]
		switch {
		case f.Sequence == 0 || f.LastSequence < f.Sequence:
		case len(missing)+len(batches) >= mostNamed:
			more++
		case hasProperty(f.Code, inBatch):
			batches = append(batches, formatRange(f.Sequence, f.LastSequence))
		default:
			missing = append(missing, formatRange(f.Sequence, f.LastSequence))
		}
	}
	var said []string
	if len(missing) > 0 {
		said = append(said, "missing "+strings.Join(missing, ", "))
	}
	if len(batches) > 0 {
		said = append(said, "a part of what came in one batch with "+strings.Join(batches, ", "))
	}
	if more > 0 {
		said = append(said, fmt.Sprintf("%d more", more))
	}
	if len(said) == 0 {
		return ""
	}
	return ": " + strings.Join(said, "; ")
}

// formatRange writes a range of events.
func formatRange(first, last uint64) string {
	if first == last {
		return fmt.Sprintf("event %d", first)
	}
	return fmt.Sprintf("events %d to %d", first, last)
}

// unorderedEnds returns the missing ends that may as well be the order of copying.
func (w missing) unorderedEnds() []int {
	var all []int
	for i, f := range w.Findings {
		if hasProperty(f.Code, openTail) && w.taken[i] && !w.rewritten[facts.LogOf(f)] {
			all = append(all, i)
		}
	}
	return all
}

// weighNeighbours weighs the genuine events around missing ones. A missing end has none: there
// it matters whether other logs continue.
func (w missing) weighNeighbours(d *draft, of []int) {
	tail := w.any(of, lackedTail)
	for _, l := range w.logs {
		if _, of := slices.BinarySearch(d.logs, l.LogID); !of {
			continue
		}
		if !tail && l.Events > 0 && l.SignatureValid == l.Events && l.HashValid == l.Events && len(d.logs) == 1 {
			d.speaksFor(fmt.Sprintf("all %d other events of %s are genuine", l.Events, l.LogID))
		}
		if b := l.Beyond; tail && b != nil && ownWord(b.By) && !slices.ContainsFunc(l.Known, func(k facts.KnownEvent) bool {
			return k.Sequence > l.LastSequence && !ownWord(k.By)
		}) {
			d.contrary = append(d.contrary, fmt.Sprintf("%s names the missing end of %s under the log's own key alone, and its "+
				"holder can make that up", safetext.Line(b.Name), safetext.Quote(l.LogID)))
		}
		if saw := w.saw(l); tail && saw.BeyondAt > 0 {
			if later := w.laterJournal(l.Log(), saw.BeyondAt); later != "" {
				d.speaksFor(fmt.Sprintf("%s continues after %s, when an anchor named the missing end", later, timeOf(saw.BeyondAt)))
			}
		}
	}
	if w.any(of, withLack(finding.EventsAtHead)) {
		d.speaksAgainst("a retention time removes the oldest events as well")
	}
	if tail && len(d.reasons) == 0 {
		d.speaksAgainst("nothing shows that the log was any longer when it was copied")
	}
}

// ownWord reports whether an anchor is under the log's own key alone.
func ownWord(by facts.AnchorKind) bool { return by == facts.ExportCursor || by == facts.Checkpoint }

// laterJournal returns a journal of the tenant that continues after a time; may be "".
func (x *logIndex) laterJournal(log facts.Log, at int64) string {
	for _, l := range x.logs {
		if other := l.Log(); other != log && other.TenantID == log.TenantID && isNode(other.LogID) && x.saw(l).LastAt > at {
			return other.LogID
		}
	}
	return ""
}
