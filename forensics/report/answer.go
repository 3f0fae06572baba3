package report

import (
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// integrityAnswer answers whether all events of a log that are here are genuine and linked. A link
// over a gap can be compared with nothing, which is for the other answer to report.
func integrityAnswer(r walk.LogResult, found []finding.Finding) Answer {
	var bad, open int
	for _, f := range found {
		switch {
		case f.Subject() != finding.Log || f.Bearing() != finding.Integrity:
		case f.Effect() == finding.Rejects:
			bad++
		case f.Effect() == finding.LeavesOpen:
			open++
		}
	}
	counts := fmt.Sprintf("Of %s, %d have the hash of their content, %d are linked to the one before, %d are signed "+
		"by a pinned key of the log's owner.",
		safetext.Count(r.Events, "event"), r.HashValid, r.LinkValid, r.SignatureValid)
	switch {
	case bad > 0:
		return Answer{Broken, counts + " Against it: " + safetext.Count(bad, "finding") + "."}
	case r.Events == 0:
		return Answer{Open, "No event of this log is here."}
	case open > 0, r.HashValid < r.Events, r.SignatureValid < r.Events:
		return Answer{Open, counts + " The evidence does not suffice for more."}
	}
	return Answer{Holds, counts}
}

// completenessAnswer answers up to where nothing of a log is missing, and by whose word
// (SPEC 13.7).
func completenessAnswer(r walk.LogResult, found []finding.Finding) Answer {
	tail := fmt.Sprintf(" %s after others' word, %d of them after every word: nothing shows whether more followed.",
		safetext.Count(r.TailByOthers, "event"), r.UnanchoredTail)
	if r.TailByOthers == 0 {
		tail = ""
	}
	anchored := fmt.Sprintf("Complete by others: %s. Complete by own word: %s.",
		r.CompleteByOthers.Says(), r.CompleteByOwn.Says())
	if r.UnvouchedSequence > 0 {
		anchored += fmt.Sprintf(" Up to event %d, the events in this log may not be the ones that were anchored.",
			r.UnvouchedSequence)
	}
	switch {
	case r.Events == 0:
		return Answer{Incomplete, "No event of this log is here."}
	case r.Missing > 0:
		return Answer{Incomplete, fmt.Sprintf("%s missing. %s%s", safetext.Count(r.Missing, "event"), anchored, tail)}
	case r.UnvouchedSequence > 0 || max(r.CompleteByOthers.Sequence, r.CompleteByOwn.Sequence) == 0 ||
		slices.ContainsFunc(found, func(f finding.Finding) bool {
			return f.Code.Entry().Open && f.Bearing() == finding.Completeness
		}):
		return Answer{Open, anchored + tail}
	case r.CompleteByOthers.Sequence == 0:
		return Answer{CompleteByOwn, anchored + tail}
	}
	return Answer{Complete, anchored + tail}
}
