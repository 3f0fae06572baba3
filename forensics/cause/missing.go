package cause

import (
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/walk"
)

// deleted names what is left of missing events.
func (w *weigher) deleted() {
	stores := func(f finding.Finding) []string {
		switch f.Code {
		case finding.SourceDisagrees:
			return w.lackers(f)
		case finding.JournalLacks: // the first place is that of the journal
			f.Evidence = f.Evidence[:min(1, len(f.Evidence))]
		case finding.TailTruncated, finding.HeadMissing, finding.Gone: // the evidence is that of anchors or neighbours
			return nil
		}
		return w.sources(f)
	}
	subject := func(f finding.Finding) []string {
		if f.Code == finding.TailTruncated {
			return []string{"", string(f.Code)}
		}
		return append([]string{f.LogID}, stores(f)...)
	}
	left := w.signs(finding.Deletion)
	for _, of := range w.bySubject(append(left, w.cut()...), subject) {
		f := w.Findings[of[0]]
		d := &draft{code: EventsDeleted, logs: w.logsOf(of), sources: w.files(of), stores: stores(f), sequence: w.firstOf(of)}
		if len(d.logs) == 1 && f.Code != finding.TailTruncated {
			d.speaksFor(fmt.Sprintf("%s: events %d to %d are missing", w.codesOf(of), f.Sequence, f.LastSequence))
		}
		if w.any(of, finding.SourceDisagrees, finding.JournalLacks) {
			d.speaksFor("another source has them")
		}
		if w.any(of, finding.Gone) {
			d.speaksFor("nothing is left of a log of which something was given, or that was collected")
		}
		w.weighNeighbours(d, of)
		w.add(d, merged(of, w.ofLogs(of, finding.StatementNotCovered)))
	}
}

// cut returns the missing ends that may as well be the order of copying.
func (w *weigher) cut() []int {
	var all []int
	for i, f := range w.Findings {
		if f.Code == finding.TailTruncated && w.taken[i] && !w.rewritten[logOf(f)] {
			all = append(all, i)
		}
	}
	return all
}

// weighNeighbours weighs what of a log is genuine around what is missing. Of a
// missing end nothing is around: there it matters whether other logs go on.
func (w *weigher) weighNeighbours(d *draft, of []int) {
	tail := w.any(of, finding.TailTruncated)
	for _, l := range w.logs {
		if _, of := slices.BinarySearch(d.logs, l.LogID); !of {
			continue
		}
		if !tail && l.Events > 0 && l.SignatureValid == l.Events && l.HashValid == l.Events && len(d.logs) == 1 {
			d.speaksFor(fmt.Sprintf("all %d other events of %s are genuine", l.Events, l.LogID))
		}
		if saw := w.saw(l); tail && saw.BeyondAt > 0 {
			if later := w.later(nameOf(l), saw.BeyondAt); later != "" {
				d.speaksFor(fmt.Sprintf("%s goes on after %s, when an anchor named the missing end", later, stamp(saw.BeyondAt)))
			}
		}
	}
	if tail && len(d.reasons) == 0 {
		d.speaksAgainst("nothing shows that the log was any longer when it was copied")
	}
}

// later returns a journal of the tenant that goes on after a time, "" for none.
func (x *index) later(log walk.Log, at int64) string {
	for _, l := range x.logs {
		if other := nameOf(l); other != log && other.TenantID == log.TenantID && isNode(other.LogID) && x.saw(l).LastAt > at {
			return other.LogID
		}
	}
	return ""
}
