package cause

import (
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// alteredIn returns the stores with alterations by a finding.
func (w *weigher) alteredIn(f finding.Finding) []string {
	if hasProperty(f.Code, alteredCopy) {
		if stores := w.holders(f, crosscheck.Altered); len(stores) > 0 {
			return stores
		}
	}
	if hasProperty(f.Code, misanchored) { // its places are the anchor's
		return w.lastAltered[facts.LogOf(f)]
	}
	return w.sources(f)
}

// weighAltered names stores in which something was altered by someone without a key.
func (w *weigher) weighAltered() {
	left := w.left(signOf(finding.Alteration))
	for _, i := range left {
		if f := w.Findings[i]; hasProperty(f.Code, alteredEvent) {
			w.lastAltered[facts.LogOf(f)] = w.sources(f)
		}
	}
	for _, i := range w.left(misanchored) {
		if l := w.walked(facts.LogOf(w.Findings[i])); w.saw(l).Contradicted == nil && l.SignatureValid < l.Events {
			left = append(left, i) // the events in the place of the anchored ones are not genuine
		}
	}
	for _, of := range w.bySubject(left, w.alteredIn) {
		d := w.draft(AlteredStore, of, w.alteredIn(w.Findings[of[0]])...)
		if w.any(of, alteredCopy) {
			d.speaksFor("the genuine events are here as well")
		}
		if w.any(of, alteredEvent) {
			d.speaksFor("no signature holds for the present content")
		}
		if held := w.countHolding(of); held > 0 {
			d.speaksFor(fmt.Sprintf("%s of the same logs hold", safetext.Count(held, "other signature")))
		}
		if w.any(of, withDefect(finding.OthersKey)) {
			d.speaksFor("another node's key id is written there, which cannot sign for this log")
		}
		if w.any(of, ofBundle) {
			d.speaksFor("a bundle does not verify, and its checkpoint or its log does not account for it")
		}
		if len(d.stores) > 1 {
			d.speaksAgainst(fmt.Sprintf("the same is in %s: it may have been altered before it came there",
				safetext.Count(len(d.stores), "place")))
		}
		w.addCause(d, merged(of, w.unreadable(of)))
	}
}

// unreadable returns the findings about content that logs lack because events in them were
// altered and are not read.
func (x *findingIndex) unreadable(altered []int) []int {
	altered = slices.DeleteFunc(slices.Clone(altered), func(i int) bool {
		return !hasProperty(x.Findings[i].Code,
			alteredEvent)
	})
	return x.ofLogs(altered, unrecorded, failingAt(finding.Links), inBatch)
}

// countHolding counts the signatures of events that hold in the logs of findings.
func (x *index) countHolding(findings []int) (n uint64) {
	logs := x.logsOf(findings)
	for _, l := range x.logs {
		if _, of := slices.BinarySearch(logs, l.LogID); of {
			n += l.SignatureValid
		}
	}
	return n
}

// lossy names stores that lose something by their nature: parts of bodies, or
// events here and there.
func (w *weigher) lossy() {
	left := w.left(signOf(finding.Loss))
	for _, of := range w.bySubject(left, w.sources) {
		d := w.draft(LossyStore, of, w.sources(w.Findings[of[0]])...)
		cut := withDefect(finding.CutShort)
		if w.any(of, cut) {
			d.speaksFor("bodies are cut")
		}
		if w.any(of, func(e finding.Entry) bool { return !cut(e) }) {
			d.speaksFor("bodies were taken apart, and not all of them was kept as it was")
		}
		w.addCause(d, of)
	}
	missing{w}.patterned()
	missing{w}.expired()
}

// unread names sources that were not read whole.
func (w *weigher) unread() {
	left := w.left(signOf(finding.Unread))
	for _, of := range w.bySubject(left, w.unreadIn) {
		d := w.draft(UnreadSource, of, w.unreadIn(w.Findings[of[0]])...)
		d.speaksFor("it was not read whole: " + w.codesOf(of))
		for _, found := range w.firstFound(of) {
			d.speaksFor(found)
		}
		if w.any(of, finding.Entry.Missing) {
			d.speaksFor("events are missing where a span could not be read")
		}
		missed := w.headsBehind(of)
		for _, i := range w.left(inStore, inBatch) {
			f := w.Findings[i]
			if slices.ContainsFunc(append(w.cutIn(f), w.lackOf(f)),
				func(s string) bool { return slices.Contains(d.stores, s) }) {
				missed = append(missed, i)
			}
		}
		if len(missed) > 0 {
			d.speaksFor("events are missing in this store that others have, or that its batches had, or at its beginning")
		}
		w.addCause(d, merged(of, missed))
	}
}

// firstFound returns the facts of the first sources that were not read whole.
func (x *findingIndex) firstFound(of []int) []string {
	var all []string
	for _, i := range of {
		f := x.Findings[i]
		if f.Subject() == finding.Source && f.Found != "" && len(all) < mostNamed && !slices.Contains(all, f.Found) {
			all = append(all, f.Found)
		}
	}
	return all
}

// headsBehind returns the missing beginnings of logs whose first event is after the unread
// part of its source.
func (w *weigher) headsBehind(unread []int) []int {
	first := map[string]int64{} // where it is, by source and container
	for _, i := range unread {
		for _, e := range w.Findings[i].Evidence {
			key := e.Source + "\x00" + e.Container
			if at, known := first[key]; !known || e.Offset < at {
				first[key] = e.Offset
			}
		}
	}
	return slices.DeleteFunc(w.left(withLack(finding.EventsAtHead)), func(i int) bool {
		return !slices.ContainsFunc(w.Findings[i].Evidence, func(e finding.Evidence) bool {
			at, known := first[e.Source+"\x00"+e.Container]
			return known && at < e.Offset
		})
	})
}
