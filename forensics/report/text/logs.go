package text

import (
	"cmp"
	"fmt"

	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
)

// mostRows bounds the rows of logs that are not faultless.
const mostRows = 4

// writeLogTable writes a row for each log that is not verified, and one for all others.
func writeLogTable(p *page.Page, r *verdict.Result) {
	var rows [][]string
	var verified []walk.LogResult
	more := 0
	for _, l := range r.Logs {
		switch {
		case l.Verdict == verify.Verified:
			verified = append(verified, l)
		case len(rows) == mostRows:
			more++
		default:
			rows = append(rows, []string{columns.Cut(l.LogID, 28), sequenceSpan(l), logState(l),
				wordUpTo(l.CompleteByOthers, true), wordUpTo(l.CompleteByOwn, false)})
		}
	}
	if len(rows) > 0 {
		// A table that cannot be drawn has no rows: the cells are plain text.
		_ = p.Table([]string{"Log", "Events", "State", "By others' word", "By its own"}, rows)
	}
	if more > 0 {
		p.Prose(0, fmt.Sprintf("%d more logs are not faultless.", more))
	}
	switch {
	case len(rows)+more > 0:
		writeVerified(p, verified, safetext.Count(len(verified), "other log")+" without a fault.")
	case r.Verdict == verify.Verified:
		writeVerified(p, verified, "Every event is genuine.")
	default: // what is at fault, or was not read, is in no log
		writeVerified(p, verified, "No log has a fault of its own.")
	}
	writeEnds(p, r)
}

func sequenceSpan(l walk.LogResult) string {
	if l.Events == 0 {
		return "none"
	}
	return fmt.Sprintf("%d-%d", l.FirstSequence, l.LastSequence)
}

// logState returns the fault of a log in two words.
func logState(l walk.LogResult) string {
	switch {
	case len(l.Forks) > 0:
		return "forked"
	case l.Missing > 0:
		return fmt.Sprintf("%d missing", l.Missing)
	case l.Verdict == verify.Rejected:
		return "rejected"
	}
	return "open"
}

// wordUpTo is up to where a log is complete by someone's word, and since when.
func wordUpTo(w walk.Word, dated bool) string {
	switch {
	case w.Sequence == 0:
		return "-"
	case w.At == "" || !dated:
		return fmt.Sprint(w.Sequence)
	}
	return fmt.Sprintf("%d, %s", w.Sequence, formatClock(w.At))
}

// writeVerified writes what holds for all logs that are verified.
func writeVerified(p *page.Page, logs []walk.LogResult, subject string) {
	if len(logs) == 0 {
		return
	}
	var byOthers, byOwn string
	without, without2 := 0, 0
	for _, l := range logs {
		byOthers, without = earliestWord(byOthers, without, l.CompleteByOthers)
		byOwn, without2 = earliestWord(byOwn, without2, l.CompleteByOwn)
	}
	p.Prose(0, subject+" "+completeText(byOthers, byOwn, without, without2 < len(logs)))
}

// completeText renders up to where no event is missing. The times are the earliest of all logs, and
// without counts the logs without an event that others name.
func completeText(byOthers, byOwn string, without int, owned bool) string {
	text := "None is missing up to what others named on " + formatClock(byOthers) + " or later"
	switch {
	case byOthers == "" && owned:
		return "No one else names an event. None is missing up to what their owners named on " +
			formatClock(byOwn) + " or later."
	case byOthers == "":
		return "No one names an event of them, so that some may be missing."
	case without > 0:
		return text + fmt.Sprintf(" (of %s they named nothing).", safetext.Count(without, "log"))
	case byOwn > byOthers:
		text += ", or their owners on " + formatClock(byOwn)
	}
	return text + "."
}

// earliestWord returns the earlier of two times, and counts the words that have none.
func earliestWord(at string, without int, w walk.Word) (string, int) {
	switch {
	case w.Sequence == 0 || w.At == "":
		return at, without + 1
	case at == "" || w.At < at:
		return w.At, without
	}
	return at, without
}

// writeEnds counts the events that only their owners vouch for, and names one source
// that ends early.
func writeEnds(p *page.Page, r *verdict.Result) {
	var others, every uint64
	for _, l := range r.Logs {
		others, every = others+l.TailByOthers, every+l.UnanchoredTail
	}
	if others > 0 {
		p.Prose(0, fmt.Sprintf("Ends: %s after others' last word, %d after every word.",
			safetext.Count(others, "event"), every))
	}
	early := r.EndsEarly
	if len(r.Incidents) == 0 && len(early) > 0 {
		e := early[0]
		p.Prose(0, fmt.Sprintf("%s ends early, with event %d of %d.", shortPath(cmp.Or(e.Path, e.Store, e.LogID)), e.Last,
			e.Shown))
		early = early[1:]
	}
	if len(early) > 0 {
		p.Prose(0, safetext.Count(len(early), "source")+" ended before events that others have.")
	}
}
