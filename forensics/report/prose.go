package report

import (
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/incident"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
)

// proseSentences describe the case to a new reader: the evidence, the faults and their time, the
// candidates, the transactions, and up to when the logs are complete.
func proseSentences(r *Report) []string {
	examined := fmt.Sprintf("This report covers %s of %s, in %s", safetext.Count(r.events(), "event"),
		safetext.Count(len(r.Logs), "log"), safetext.Count(len(r.Sources), "file"))
	if n := len(r.Stores); n > 0 {
		examined += " from " + safetext.Count(n, "store")
	}
	if n := len(r.Proofs); n > 0 {
		examined += fmt.Sprintf(", and %s", safetext.Count(n, "genuine proof"))
	}
	all := []string{examined + "."}
	if p := r.Period; p.EndMS > p.StartMS {
		all = append(all, fmt.Sprintf("By the logs' own clocks, the events are of %s.",
			form.ClockRange(timeOf(p.StartMS), timeOf(p.EndMS))))
	}
	all = append(all, wrongSentences(r)...)
	return append(all, completeSentence(r))
}

// wrongSentences describe the incidents, the gravest in most detail.
func wrongSentences(r *Report) []string {
	switch n := len(r.Incidents); {
	case n == 0 && r.Verdict == verify.Verified:
		return []string{"Everything that was examined is genuine, and nothing speaks against it."}
	case n == 0 && r.Verdict == verify.Rejected:
		return []string{"Something in the evidence is wrong, as the finding below says."}
	case n == 0:
		return []string{"Nothing is certainly wrong, but the evidence does not suffice to call it genuine and whole."}
	}
	first := r.Incidents[0]
	lead := "One thing is wrong"
	if n := len(r.Incidents); n > 1 {
		lead = fmt.Sprintf("%d things are wrong, and the gravest is this", n)
	}
	all := []string{lead + ": " + strings.TrimSuffix(first.Summary, ".") + "."}
	if when := whenText(first.When); when != "" {
		all = append(all, "It happened "+when+".")
	}
	if early := earliestClaim(r.Incidents); early != "" && early < first.When.ClaimedFirst {
		all = append(all, "The earliest of the others begins at "+form.Clock(early)+", by the clock of its log.")
	}
	if who := whoText(first.Candidates, false); who != "" {
		all = append(all, "It can have been "+who+"; what speaks for and against each is below.")
	}
	touched := touchesText(first)
	if len(r.Affected) > 0 {
		touched = reachedText(r.Affected[0])
	}
	if touched != "" {
		all = append(all, "It touches "+touched+".")
	}
	return all
}

// earliestClaim returns the earliest time of an incident by the clock of its log.
func earliestClaim(all []incident.Incident) string {
	early := ""
	for _, i := range all {
		if at := i.When.ClaimedFirst; at != "" && (early == "" || at < early) {
			early = at
		}
	}
	return early
}

// completeSentence returns up to when others' word shows that nothing is missing, in all logs.
func completeSentence(r *Report) string {
	at, without := "", 0
	for _, l := range r.Logs {
		at, without = earliestWord(at, without, l.CompleteByOthers)
	}
	switch {
	case len(r.Logs) == 0:
		return "No log was examined."
	case at == "":
		return "No one but the owners of the logs names an event of them, so that some may be missing."
	case without > 0:
		return fmt.Sprintf("No event is missing up to what others named on %s or later, except in %s of which they "+
			"named nothing.", form.Clock(at), safetext.Count(without, "log"))
	}
	return fmt.Sprintf("In no log is an event missing up to what others named on %s or later.",
		form.Clock(at))
}
