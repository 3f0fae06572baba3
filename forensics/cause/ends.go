package cause

import (
	"fmt"
	"time"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// ends names the order of copying: logs first and their anchors later, so that the anchors
// name events that are younger than the copy.
func (w *weigher) ends() {
	alike := &draft{code: CopyOrder} // all without a contrary statement
	var findings []int
	for _, l := range w.logs {
		saw := w.saw(l)
		of := w.aboutLog(l, openTail)
		if w.rewritten[l.Log()] || l.Events == 0 || len(of) == 0 || l.Beyond == nil || saw.BeyondAt <= saw.LastAt {
			continue
		}
		fact := fmt.Sprintf("the last event of %s here is of %s, and the oldest anchor above it was made %s later, at %s",
			l.LogID, timeOf(saw.LastAt), time.Duration(saw.BeyondAt-saw.LastAt)*time.Millisecond, timeOf(saw.BeyondAt))
		later := w.laterJournal(l.Log(), saw.BeyondAt)
		if later == "" {
			alike.logs = append(alike.logs, l.LogID)
			if len(alike.reasons) < mostNamed {
				alike.speaksFor(fact)
			}
			findings = append(findings, of...)
			findings = append(findings, w.aboutLog(l, uncovered)...)
			continue
		}
		d := &draft{code: CopyOrder, logs: []string{l.LogID}, sequence: l.LastSequence}
		d.speaksFor(fact)
		d.speaksAgainst(fmt.Sprintf("%s continues after that anchor: it would have been copied later", later))
		w.addCause(d, append(of, w.aboutLog(l, uncovered)...))
	}
	if len(alike.logs) > 1 {
		alike.speaksFor(fmt.Sprintf("%s end before their anchors alike", safetext.Count(len(alike.logs), "log")))
	}
	alike.sequence = w.firstOf(findings)
	w.addCause(alike, findings)
}

// weighAbsent names logs without any given evidence.
func (w *weigher) weighAbsent() {
	for _, i := range w.left(signOf(finding.NotCollected)) {
		f := w.Findings[i]
		d := &draft{code: NotCollected, logs: w.logsOf([]int{i})}
		switch f.Code.Entry().Lacks {
		case finding.WholeLog:
			if l := w.walked(facts.LogOf(f)); l.Events+w.saw(l).Strays > 0 {
				continue
			}
			d.speaksFor("no source holds an event of it")
			if others := w.journals(); isNode(f.LogID) && others > 0 {
				d.speaksAgainst(fmt.Sprintf("%s given", safetext.Count(others, "other journal")))
			}
		case finding.EventsBetween:
			d.sequence = f.Sequence
			d.speaksFor(fmt.Sprintf("no copy has both event %d and event %d", f.Sequence-1, f.LastSequence+1))
		default:
			d.speaksFor("no source holds anything to examine")
		}
		w.addCause(d, append(w.ofLogs([]int{i}, uncovered), i))
	}
}

// journals counts the journals with events.
func (x *logIndex) journals() int {
	n := 0
	for _, l := range x.logs {
		if isNode(l.LogID) && l.Events > 0 {
			n++
		}
	}
	return n
}
