package cause

import (
	"fmt"
	"math"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// tolerance is how far apart times must be to tell an order, in milliseconds
// (SPEC 7.13).
const tolerance = 300_000

// The possible signers of a second history. Facts of the evidence speak for and against each,
// and exclude none: each has the key.
const (
	aHolder = "a second holder of the key"
	aCopy   = "a restored or second copy"
	anOwner = "the operator"
)

// histories names two histories under the keys of a log's owner. The second may be the
// one that the anchors name, and not be here.
func (w *weigher) histories() {
	for _, l := range w.logs {
		findings := w.aboutLog(l, twoHistories)
		saw := w.saw(l)
		if len(findings) == 0 || len(l.Forks) == 0 && saw.Contradicted == nil {
			continue
		}
		more := w.aboutLog(l, unrecorded, unanchored)
		more = append(more, w.findAbout(l.Log(), w.parted(l), math.MaxUint64, inBatch, lackedTail,
			withLack(finding.InJournal))...)
		more = slices.DeleteFunc(more, func(i int) bool { // a store that lacks events has not another history
			return hasProperty(w.Findings[i].Code, inBatch) && len(w.lackersIn(w.Findings[i])) > 0
		})
		d := &draft{code: TwoHistories, logs: []string{l.LogID}, keys: w.pinnedFor(l.LogID),
			sequence: w.firstOf(findings), candidates: []Candidate{{Who: aHolder}, {Who: aCopy}, {Who: anOwner}}}
		for i, f := range l.Forks {
			d.keys = merged([]string{f.Branches[0].KeyID, f.Branches[1].KeyID})
			weighFork(d, f, saw.Forks[i], saw.NewestAt)
			w.weighCopies(d, l.Log(), f.Sequence)
		}
		if c := saw.Contradicted; c != nil {
			weighContradiction(d, *c)
		}
		w.rewritten[l.Log()] = true
		w.addCause(d, merged(findings, more))
	}
}

// parted returns the first sequence at which two histories of a log differ.
func (x *logIndex) parted(l walk.LogResult) uint64 {
	first := uint64(math.MaxUint64)
	for _, f := range l.Forks {
		first = min(first, f.Sequence)
	}
	if c := x.saw(l).Contradicted; c != nil {
		first = min(first, c.Sequence)
	}
	return first
}

// weighFork weighs the times of two branches, their beginnings, and which of them is named up
// to the newest anchor.
func weighFork(d *draft, f walk.Fork, times walk.ForkTimes, newest int64) {
	earlier, later := times.Spans[0], times.Spans[1]
	laterIsNamed := f.Named == walk.NamesBoth
	if later.Last < earlier.First {
		earlier, later, laterIsNamed = later, earlier, f.Named != walk.NamesNeither
	}
	apart := earlier.Last+tolerance < later.First
	d.speaksFor(fmt.Sprintf("event %d is there twice, and the signatures of both and of what follows each hold",
		f.Sequence))
	if apart {
		d.speaksForOne(aCopy, fmt.Sprintf("one history ends at %s, and the other begins at %s", timeOf(earlier.Last),
			timeOf(later.First)))
	} else {
		fact := fmt.Sprintf("both go on at once: from %s to %s, and from %s to %s", timeOf(earlier.First),
			timeOf(earlier.Last), timeOf(later.First), timeOf(later.Last))
		d.speaksForOne(aHolder, fact)
		d.speaksAgainstOne(aCopy, fact+"; a copy does so only if it runs at the same time as the first one")
	}
	if times.Alike {
		fact := fmt.Sprintf("both have event %d of the same type at about one time, as if it was signed anew",
			f.Sequence)
		d.speaksForOne(aHolder, fact)
		d.speaksForOne(anOwner, fact)
		d.speaksAgainstOne(aCopy, fact)
	}
	if times.Before-later.First > tolerance {
		d.speaksAgainstOne(aCopy, fmt.Sprintf("one history begins at %s, before event %d, which it follows, at %s",
			timeOf(later.First), f.Sequence-1, timeOf(times.Before)))
	}
	switch {
	case laterIsNamed && f.Named == walk.NamesBoth:
		d.speaksForOne(aCopy, "anchors name both histories: the service took both for the log")
		d.speaksAgainstOne(aHolder, "anchors name both histories: it reported to the service as well")
	case laterIsNamed:
		d.speaksForOne(aCopy, "anchors name the history that was written later")
	case f.Named == walk.NamesFirst && newest >= later.First:
		d.speaksForOne(aHolder, "anchors name one history and never the other")
		d.speaksAgainstOne(aCopy, "no anchor names the history that was written later")
	}
}

// weighCopies names a store that ends right before two histories part: a copy of that
// state is there to be restored.
func (w *weigher) weighCopies(d *draft, log facts.Log, sequence uint64) {
	if sequence < 2 {
		return
	}
	for i, store := range w.comparedStores() {
		last := uint64(0)
		for _, s := range w.presence[log].Stretches {
			if i < len(s.Stores) && s.Stores[i] != crosscheck.Absent {
				last = max(last, s.Last)
			}
		}
		if last == sequence-1 {
			d.speaksForOne(aCopy, fmt.Sprintf("a copy in %s ends with event %d, after which the histories part", store.Name,
				last))
			return
		}
	}
}

// weighContradiction weighs an event that is in the place of an anchored one.
func weighContradiction(d *draft, c walk.Contradiction) {
	d.speaksFor(fmt.Sprintf("event %d is validly signed, and %s names another one in its place", c.Sequence, c.By))
	if c.EventAt <= c.AnchorAt+tolerance {
		fact := fmt.Sprintf("the event is dated %s, and the anchor %s: it was not written clearly later",
			timeOf(c.EventAt), timeOf(c.AnchorAt))
		d.speaksForOne(aHolder, fact)
		d.speaksForOne(anOwner, fact)
		d.speaksAgainstOne(aCopy, fact)
		return
	}
	d.speaksForOne(aCopy, fmt.Sprintf("the event is dated %s, after the anchor of %s", timeOf(c.EventAt),
		timeOf(c.AnchorAt)))
}

// far names events far above the end of a log that nothing but they themselves
// vouch for.
func (w *weigher) far() {
	for _, l := range w.logs {
		if l.Events == 0 {
			continue
		}
		d := &draft{code: ForgedFarEvent, logs: []string{l.LogID}}
		var findings []int
		for _, r := range l.Strays {
			if r.First <= l.LastSequence+1 {
				continue
			}
			findings = append(findings, w.findAbout(l.Log(), r.First, r.Last, failingAt(finding.Events),
				alteredCopy.and(inPlace))...)
		}
		if len(findings) == 0 {
			continue
		}
		d.sequence = w.firstOf(findings)
		signed := w.saw(l).Unconnected
		for _, r := range signed {
			d.sequence = r.First
		}
		d.speaksFor(fmt.Sprintf("the log ends with event %d, and no anchor is above it", l.LastSequence))
		d.speaksFor(fmt.Sprintf("%s would be missing below event %d", safetext.Count(d.sequence-l.LastSequence-1, "event"),
			d.sequence))
		if len(signed) > 0 {
			d.speaksFor("there was no time for so many events, and one source alone has it")
			d.speaksAgainst("the signature holds: its maker has the key of the log")
			d.keys = w.pinnedFor(l.LogID)
		} else {
			d.speaksFor("the owner of the log did not sign it in this form")
		}
		d.sources = w.files(findings)
		for _, i := range findings {
			d.stores = merged(d.stores, w.sources(w.Findings[i]))
		}
		w.addCause(d, findings)
	}
}

// misused names keys under which statements contradict each other.
func (w *weigher) misused() {
	ofNode := func(i int) bool { return isNode(w.Findings[i].LogID) }
	ofTenant := func(i int) bool { return !ofNode(i) }
	id := func(f finding.Finding) []string { return []string{f.LogID} }
	for _, of := range w.bySubject(w.left(signOf(finding.BesideJournal)), id) {
		d := w.ofKeys(StolenNodeKey, of)
		d.speaksFor("bundles hold signatures of the node that its journal, whole around their time, does not have")
		d.speaksAgainst("the operator can also sign without the journal")
		w.addCause(d, of)
	}
	node := slices.DeleteFunc(w.left(signOf(finding.NodeKeyMisuse, finding.KeyMisuse)), ofTenant)
	for _, of := range w.bySubject(node, id) {
		d := w.ofKeys(NodeKeyMisused, of)
		d.speaksFor("the node's key signed what an honest node does not write: " + w.codesOf(of))
		w.addCause(d, of)
	}
	disputed := w.left(signOf(finding.RecordDispute))
	d := w.ofKeys(EitherKeyMisused, disputed)
	d.speaksFor("events under both keys contradict each other, and the document is not here: " + w.codesOf(disputed))
	w.addCause(d, disputed)
	audit := slices.DeleteFunc(w.left(signOf(finding.AuditKeyMisuse, finding.KeyMisuse)), ofNode)
	d = w.ofKeys(AuditKeyMisused, audit)
	d.keys = w.pinnedFor("")
	d.speaksFor("the audit key signed it, or its holder must have recorded it: " + w.codesOf(audit))
	w.addCause(d, audit)
}

// ofKeys begins a cause of findings that is about the keys of their logs.
func (w *weigher) ofKeys(code Code, of []int) *draft {
	d := &draft{code: code, logs: w.logsOf(of), sequence: w.firstOf(of)}
	for _, log := range d.logs {
		d.keys = append(d.keys, w.pinnedFor(log)...)
	}
	return d
}
