package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/cause"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/incident"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// detail is how much is said of an incident.
type detail int

// The details, from the least.
const (
	hidden   detail = iota
	headOnly        // name, severity, summary
	brief           // also the time, and the candidates
	full            // also where it is and whom it affects
)

// incidentBlocks returns as much of the incidents as so many lines hold, the gravest first and in
// most detail, and how many are left.
func incidentBlocks(all []incident.Incident, room int) []answer.Block {
	var blocks []answer.Block
	for i, d := range chooseDetails(all, room) {
		if d == hidden {
			return append(blocks, moreIncidents(all[i:]))
		}
		blocks = append(blocks, incidentCard(all[i], d, answer.Cell{answer.Say(whoText(all[i].Candidates, d == full))}))
	}
	return blocks
}

// moreIncidents names the incidents for which there is no room, as far as one line has room for names.
func moreIncidents(all []incident.Incident) answer.Block {
	var names []string
	for i := range all {
		names = append(names, all[i].Name)
	}
	return answer.Paragraph("and ", answer.NameList(names, 3), ": --full")
}

// chooseDetails chooses the detail of each incident: all by name as far as there is room, then from
// the first on as much as fits.
func chooseDetails(all []incident.Incident, room int) []detail {
	details := make([]detail, len(all))
	raise := func(i int, to detail) bool {
		cost := countIncidentLines(all[i], to) - countIncidentLines(all[i], details[i])
		if cost > room {
			return false
		}
		room, details[i] = room-cost, to
		return true
	}
	if len(all) > 1 {
		room-- // how many are left
	}
	all = all[:min(len(all), answer.ScreenLines)]
	if len(all) > 0 && raise(0, headOnly) {
		raise(0, brief)
	}
	for i := range all {
		if details[i] == hidden && !raise(i, headOnly) {
			break
		}
	}
	for _, to := range []detail{brief, full} {
		for i := range all {
			if details[i] == to-1 && !raise(i, to) {
				break
			}
		}
	}
	if len(all) > 0 && details[0] == hidden {
		details[0] = headOnly
	}
	return details
}

// countIncidentLines returns the number of lines of an incident.
func countIncidentLines(one incident.Incident, d detail) int {
	if d == hidden {
		return 0
	}
	return answer.CountLines(0, incidentCard(one, d, answer.Cell{answer.Say(whoText(one.Candidates, d == full))}))
}

// incidentCard shows one incident, and who can have done it.
func incidentCard(one incident.Incident, d detail, who answer.Cell) answer.Card {
	summary := one.Summary + " [" + string(one.Code) + "]"
	if one.Explained() {
		summary += " (explained)"
	}
	card := answer.Card{Class: "finding " + string(one.Severity),
		Heading: answer.Say(answer.Name(one.Name), "  ", strongSpan(one.Severity), "  ", summary)}
	if d == headOnly {
		return card
	}
	which, where, touches, notes := "", "", "", answer.Cell(nil)
	if len(one.Ranges) > 1 {
		which = whichText(one)
	}
	if d == full {
		where, touches, notes = whereText(one.Sides), touchesText(one), notesCell(one.Notes)
	}
	card.Blocks = []answer.Block{answer.Pairs{answer.Value("which", which), answer.Value("when", whenText(one.When)),
		answer.Value("where", where), {Label: "who", Value: who},
		answer.Value("touches", touches), {Label: "notes", Value: notes}}}
	return card
}

// whichText lists the ranges of an incident.
func whichText(one incident.Incident) string {
	const most = 3
	var words []string
	for _, r := range one.Ranges[:min(len(one.Ranges), most)] {
		words = append(words, r.String())
	}
	text := strings.Join(words, "; ")
	if more := one.More + len(one.Ranges) - len(words); more > 0 {
		text += fmt.Sprintf("; and %s", safetext.Count(more, "more range"))
	}
	return text
}

// whenText renders the bounds of the time of an incident.
func whenText(w incident.When) string {
	var parts []string
	if a := w.After; a != nil {
		parts = append(parts, fmt.Sprintf("after event %d, which others named at %s (%s)", a.Sequence,
			form.Clock(a.At), a.By))
	}
	switch {
	case w.ClaimedFirst == "" && w.ClaimedLast == "":
	case form.Clock(w.ClaimedFirst) == form.Clock(w.ClaimedLast), w.ClaimedLast == "":
		parts = append(parts, "by the log's own clock "+form.Clock(w.ClaimedFirst))
	case w.ClaimedFirst == "":
		parts = append(parts, "by the log's own clock until "+form.Clock(w.ClaimedLast))
	default:
		parts = append(parts, "by the log's own clock "+form.ClockRange(w.ClaimedFirst, w.ClaimedLast))
	}
	return strings.Join(parts, "; ")
}

// stateWords say in which state a place has events.
var stateWords = map[crosscheck.State]string{
	crosscheck.Altered: "altered in", crosscheck.Differs: "other ones in", crosscheck.Absent: "missing from",
	crosscheck.Lossy: "in part in", crosscheck.Present: "whole in",
}

// whereText renders where each side of an incident is.
func whereText(sides []incident.Side) string {
	var parts []string
	for _, s := range sides {
		places := placesText(s.Places)
		switch {
		case s.Label != "":
			text := fmt.Sprintf("%s: %s in %s", s.Label, safetext.Count(s.Events, "event"), cmp.Or(places, "the same sources"))
			if len(s.NamedBy) > 0 {
				text += ", which others name"
			}
			parts = append(parts, text)
		case s.State != "":
			parts = append(parts, stateWords[s.State]+" "+places)
		default:
			parts = append(parts, "in "+places)
		}
	}
	return strings.Join(parts, "; ")
}

// placesText names one or two places, or counts them.
func placesText(all []string) string {
	if len(all) > 2 {
		return fmt.Sprintf("%d places", len(all))
	}
	return shortPaths(all).String()
}

// whoText names the candidates, those for whom more speaks first. In full, it counts the facts
// for and against each.
func whoText(all []cause.Candidate, counts bool) string {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b cause.Candidate) int {
		return cmp.Compare(len(b.For)-len(b.Against), len(a.For)-len(a.Against))
	})
	var words []string
	for _, c := range all {
		word := safetext.Line(c.Who)
		if counts && len(c.For)+len(c.Against) > 0 {
			word += fmt.Sprintf(" (%d for, %d against)", len(c.For), len(c.Against))
		}
		words = append(words, word)
	}
	return strings.Join(words, "; or ")
}

// touchesText counts the transactions that have a statement among the events. More can rest on these
// events, which package affected finds out.
func touchesText(one incident.Incident) string {
	t := one.Transactions
	if t.Count == 0 {
		return ""
	}
	names := answer.NameList(t.IDs[:min(len(t.IDs), 2)], 2)
	if t.Count > 2 {
		names = answer.Say(names, ", …")
	}
	return fmt.Sprintf("at least %s (%s)", safetext.Count(t.Count, "transaction"), names)
}
