package verdict

import (
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// endsBeforeAnchors returns the logs that end below an anchor.
func endsBeforeAnchors(e Examined) []crosscheck.EndsEarly {
	all := []crosscheck.EndsEarly{}
	for _, l := range e.Walk.Logs {
		if l.Beyond == nil || l.Events == 0 {
			continue
		}
		saw := e.Saw.Logs[l.Log()]
		all = append(all, crosscheck.EndsEarly{TenantID: l.TenantID, LogID: l.LogID, Last: l.LastSequence,
			Shown: l.Beyond.Sequence, ShownBy: l.Beyond.Name,
			Events: l.Beyond.Sequence - l.LastSequence}.During(saw.LastAt, saw.TopAt))
	}
	return all
}

// witnessed applies the word of the nodes that witnessed a tenant log, if it goes further than
// the receipts of its checkpoints (SPEC 13.7).
func (r *Result) witnessed(w crosscheck.Witnessed) {
	for i := range r.Logs {
		l := &r.Logs[i]
		log := l.Log()
		if log.LogID != w.LogID || log.TenantID != w.TenantID || w.Sequence < l.CompleteByOthers.Sequence {
			continue
		}
		if w.Sequence == l.CompleteByOthers.Sequence {
			w.Word.By = slices.Concat(w.Word.By, l.CompleteByOthers.By)
			slices.Sort(w.Word.By)
			w.Word.Name = l.CompleteByOthers.Name
		}
		l.CompleteByOthers, l.TailByOthers = w.Word, l.Events-w.Sequence
		if l.UnanchoredTail <= l.TailByOthers {
			continue
		}
		l.UnanchoredTail = l.TailByOthers
		r.Findings = slices.DeleteFunc(r.Findings, func(f finding.Finding) bool {
			return f.Code == finding.TailUnanchored && facts.LogOf(f) == log && l.UnanchoredTail == 0
		})
		for k := range r.Findings {
			if f := &r.Findings[k]; f.Code == finding.TailUnanchored && facts.LogOf(*f) == log {
				f.Sequence = w.Sequence + 1
				f.Explanations = nil // its own are added again
				f.Found = fmt.Sprintf("the highest that fits is event %d, which nodes witnessed", w.Sequence)
				*f = f.Complete()
			}
		}
	}
}

// Complete describes up to where a log is complete by each word (SPEC 13.7), and how many
// events follow.
func Complete(others, own, tailByOthers, tail uint64) string {
	said := fmt.Sprintf("complete up to %d by others' word, up to %d by its own", others, own)
	if tailByOthers > 0 {
		said += fmt.Sprintf("; %s after others' word, %d after every word", safetext.Count(tailByOthers, "event"), tail)
	}
	return said
}

// Ends returns the limitations at the ends of logs: how many events only their owners vouch
// for, and which sources end early. They are no faults by themselves.
func (r *Result) Ends() []finding.Limitation {
	var all []finding.Limitation
	var logs int
	var others, every uint64
	for _, l := range r.Logs {
		if l.TailByOthers > 0 {
			logs, others, every = logs+1, others+l.TailByOthers, every+l.UnanchoredTail
		}
	}
	if logs > 0 {
		all = append(all, finding.Limitation{Code: finding.TailUnanchored, Sentence: fmt.Sprintf(
			"%s at the end of %s come after the last word of others, %d of them after every word: nothing else shows "+
				"whether others were there, or more followed.", safetext.Count(others, "event"), safetext.Count(logs, "log"),
			every)})
	}
	for i, e := range r.EndsEarly {
		if i == mostEarly {
			return append(all, finding.Limitation{Code: finding.JournalEndsEarly,
				Sentence: fmt.Sprintf("%d more sources end early.", len(r.EndsEarly)-i)})
		}
		all = append(all, finding.Limitation{Code: finding.JournalEndsEarly, Sentence: e.Text()})
	}
	return all
}

// mostEarly bounds the sources that an answer reports as ending early.
const mostEarly = 8
