package cause

import (
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// tolerance is how far apart times must be to tell an order, in milliseconds
// (SPEC 7.13).
const tolerance = 300_000

// histories names what leads to two histories under the owner's keys: a backup
// that was restored, or someone else with the key. The second history may be the
// one that the anchors name, and not be here.
func (w *weigher) histories() {
	for _, l := range w.logs {
		findings := w.about(nameOf(l), 0, 0, finding.Fork, finding.Restart, finding.AnchorMismatch, finding.SplitView)
		saw := w.saw(l)
		if len(findings) == 0 || len(l.Forks) == 0 && saw.Contradicted == nil {
			continue
		}
		more := w.about(nameOf(l), 0, 0, append(recorded, finding.TailUnanchored, finding.BatchIncomplete,
			finding.TailTruncated, finding.JournalLacks, finding.JournalEndsEarly, finding.SourceDisagrees)...)
		stolen := &draft{code: StolenNodeKey, logs: []string{l.LogID}, keys: w.pinnedFor(l.LogID),
			sequence: w.firstOf(findings)}
		if !isNode(l.LogID) {
			stolen.code = AuditKeyMisused
		}
		restored := &draft{code: RestoredBackup, logs: stolen.logs, sequence: stolen.sequence}
		apart := false
		for i, f := range l.Forks {
			stolen.keys = merged([]string{f.Branches[0].KeyID, f.Branches[1].KeyID}, nil)
			apart = weighFork(f, saw.Forks[i], saw.NewestAt, stolen, restored) || apart
		}
		if c := saw.Contradicted; c != nil {
			apart = weighContradiction(*c, stolen, restored) || apart
		}
		w.rewritten[nameOf(l)] = true
		w.add(stolen, merged(findings, more))
		if apart {
			w.add(restored, merged(findings, more))
		}
	}
}

// weighFork weighs the times of two branches, and which of them is named up to the
// newest anchor. It returns whether the second began after the first ended.
func weighFork(f walk.Fork, times walk.ForkTimes, newest int64, stolen, restored *draft) bool {
	earlier, later := 0, 1
	if times[1].Last < times[0].First {
		earlier, later = 1, 0
	}
	apart := times[earlier].Last+tolerance < times[later].First
	stolen.speaksFor(fmt.Sprintf("event %d is there twice, and the signatures of both and of what follows each hold",
		f.Sequence))
	switch {
	case apart:
		fact := fmt.Sprintf("one history ends at %s, and the other begins at %s", stamp(times[earlier].Last),
			stamp(times[later].First))
		restored.speaksFor(fact)
		stolen.speaksAgainst(fact)
	default:
		stolen.speaksFor(fmt.Sprintf("neither was begun clearly after the other: from %s to %s, and from %s to %s",
			stamp(times[0].First), stamp(times[0].Last), stamp(times[1].First), stamp(times[1].Last)))
	}
	switch {
	case f.Named == walk.NamesBoth:
		restored.speaksFor("anchors name both histories")
	case f.Named == walk.NamesFirst && apart && earlier == 0 && newest < times[later].First:
		restored.speaksFor(fmt.Sprintf("the newest anchor is of %s, before the history that was written later",
			stamp(newest)))
	case f.Named == walk.NamesFirst && earlier == 0:
		stolen.speaksFor("anchors name one history and never the other")
		restored.speaksAgainst("no anchor names the history that was written later")
	case f.Named == walk.NamesFirst:
		restored.speaksFor("anchors name the history that was written later")
	}
	return apart
}

// weighContradiction weighs an event that stands in the place of an anchored one.
// It returns whether it was written after the anchor.
func weighContradiction(c walk.Contradiction, stolen, restored *draft) bool {
	stolen.speaksFor(fmt.Sprintf("event %d is validly signed, and %s names another one in its place", c.Sequence, c.By))
	if c.EventAt <= c.AnchorAt+tolerance {
		stolen.speaksFor(fmt.Sprintf("the event is dated %s, and the anchor %s: it was not written clearly later",
			stamp(c.EventAt), stamp(c.AnchorAt)))
		return false
	}
	fact := fmt.Sprintf("the event is dated %s, after the anchor of %s", stamp(c.EventAt), stamp(c.AnchorAt))
	restored.speaksFor(fact)
	stolen.speaksAgainst(fact)
	return true
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
			findings = append(findings, w.about(nameOf(l), r.First, r.Last, finding.Unconnected, finding.HashMismatch,
				finding.HashMismatchLossy, finding.SignatureInvalid, finding.KeyUnknown, finding.KeyOfOtherNode,
				finding.AlteredCopy)...)
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
			d.speaksAgainst("the signature holds: whoever made it has the key of the log")
			d.keys = w.pinnedFor(l.LogID)
		} else {
			d.speaksFor("the owner of the log did not sign it as it stands")
		}
		d.sources = w.files(findings)
		for _, i := range findings {
			d.stores = merged(d.stores, w.sources(w.Findings[i]))
		}
		w.add(d, merged(findings, nil))
	}
}

// misused names keys under which statements contradict each other. That a node
// witnessed another history can be the doing of either key.
func (w *weigher) misused() {
	node := slices.DeleteFunc(w.signs(finding.NodeKeyMisuse, finding.KeyMisuse),
		func(i int) bool { return !isNode(w.Findings[i].LogID) })
	audit := slices.DeleteFunc(w.signs(finding.AuditKeyMisuse, finding.KeyMisuse), func(i int) bool {
		return isNode(w.Findings[i].LogID) && w.Findings[i].Code != finding.WitnessOtherHistory
	})
	id := func(f finding.Finding) []string { return []string{f.LogID} }
	for _, of := range w.bySubject(node, id) {
		log := w.Findings[of[0]].LogID
		d := &draft{code: StolenNodeKey, logs: []string{log}, keys: w.pinnedFor(log), sequence: w.firstOf(of)}
		if w.any(of, finding.ApprovalNotInJournal, finding.ApprovalDenied, finding.WitnessNotInJournal,
			finding.CapabilityNotInJournal) {
			d.speaksFor("bundles hold signatures of the node that its journal, whole around their time, does not have")
		}
		if n := w.count(of, finding.LinkBroken, finding.SkipBroken, finding.RecordContradicts, finding.WrongLog,
			finding.WitnessRegressed, finding.WitnessOtherHistory); n > 0 {
			d.speaksFor("the node's key signed what an honest node does not write: " + w.codesOf(of))
		}
		if w.any(of, finding.WitnessOtherHistory) {
			d.speaksAgainst("the holder of the audit key may have shown the node another history")
		}
		w.add(d, of)
	}
	if len(audit) == 0 {
		return
	}
	logs := w.logsOf(audit)
	d := &draft{code: AuditKeyMisused, logs: logs, keys: w.pinnedFor(""), sequence: w.firstOf(audit)}
	d.speaksFor("the audit key signed it, or its holder must have recorded it: " + w.codesOf(audit))
	if w.any(audit, finding.WitnessOtherHistory) {
		d.speaksAgainst("the holder of the node's key may have made the other history up")
	}
	w.add(d, audit)
}

// count counts findings of certain codes.
func (x *index) count(findings []int, codes ...finding.Code) int {
	n := 0
	for _, i := range findings {
		if slices.Contains(codes, x.Findings[i].Code) {
			n++
		}
	}
	return n
}
