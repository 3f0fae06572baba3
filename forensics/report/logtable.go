package report

import (
	"cmp"
	"fmt"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
)

// mostRows bounds the rows of logs that are not faultless.
const mostRows = 4

// logBlocks returns a row for each log that is not verified, a sentence on all others, and one on the
// ends of logs.
func logBlocks(r *verdict.Result) []answer.Block {
	t := answer.Table{Columns: answer.Columns("Log", "name", "Events", "", "State", "", "By others' word", "",
		"By its own", "")}
	var verified []walk.LogResult
	more := 0
	for _, l := range r.Logs {
		switch {
		case l.Verdict == verify.Verified:
			verified = append(verified, l)
		case len(t.Rows) == mostRows:
			more++
		default:
			t.Rows = append(t.Rows, answer.Row(columns.Cut(l.LogID, 28), sequenceSpan(l), logState(l),
				wordUpTo(l.CompleteByOthers, true), wordUpTo(l.CompleteByOwn, false)))
		}
	}
	var blocks []answer.Block
	if len(t.Rows) > 0 {
		blocks = append(blocks, t)
	}
	add := func(sentence string) {
		if sentence != "" {
			blocks = append(blocks, answer.Paragraph(sentence))
		}
	}
	if more > 0 {
		add(fmt.Sprintf("%d more logs are not faultless.", more))
	}
	switch {
	case len(t.Rows) > 0:
		add(verifiedText(verified, safetext.Count(len(verified), "other log")+" without a fault."))
	case r.Verdict == verify.Verified:
		add(verifiedText(verified, "Every event is genuine."))
	default: // faulty and unread parts are in no log
		add(verifiedText(verified, "No log has a fault of its own."))
	}
	for _, sentence := range endTexts(r) {
		add(sentence)
	}
	return blocks
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
	return fmt.Sprintf("%d, %s", w.Sequence, form.Clock(w.At))
}

// verifiedText returns the text that holds for all logs that are verified.
func verifiedText(logs []walk.LogResult, subject string) string {
	if len(logs) == 0 {
		return ""
	}
	var byOthers, byOwn string
	without, without2 := 0, 0
	for _, l := range logs {
		byOthers, without = earliestWord(byOthers, without, l.CompleteByOthers)
		byOwn, without2 = earliestWord(byOwn, without2, l.CompleteByOwn)
	}
	return subject + " " + completeText(byOthers, byOwn, without, without2 < len(logs))
}

// completeText renders up to where no event is missing. The times are the earliest of all logs, and
// without counts the logs without an event that others name.
func completeText(byOthers, byOwn string, without int, owned bool) string {
	text := "None is missing up to what others named on " + form.Clock(byOthers) + " or later"
	switch {
	case byOthers == "" && owned:
		return "No one else names an event. None is missing up to what their owners named on " +
			form.Clock(byOwn) + " or later."
	case byOthers == "":
		return "No one names an event of them, so that some may be missing."
	case without > 0:
		return text + fmt.Sprintf(" (of %s they named nothing).", safetext.Count(without, "log"))
	case byOwn > byOthers:
		text += ", or their owners on " + form.Clock(byOwn)
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

// endTexts counts the events that only their owners vouch for, and names one source that ends early.
func endTexts(r *verdict.Result) []string {
	var all []string
	var others, every uint64
	for _, l := range r.Logs {
		others, every = others+l.TailByOthers, every+l.UnanchoredTail
	}
	if others > 0 {
		all = append(all, fmt.Sprintf("Ends: %s after others' last word, %d after every word.",
			safetext.Count(others, "event"), every))
	}
	early := r.EndsEarly
	if len(r.Incidents) == 0 && len(early) > 0 {
		e := early[0]
		all = append(all, fmt.Sprintf("%s ends early, with event %d of %d.",
			shortPath(cmp.Or(e.Path, e.Store, e.LogID), 32).Text, e.Last, e.Shown))
		early = early[1:]
	}
	if len(early) > 0 {
		all = append(all, safetext.Count(len(early), "source")+" ended before events that others have.")
	}
	return all
}
