package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
)

// timePicture shows all logs over time, a row for each. A row has, from the top: the name, a line of
// symbols for each kind of finding, the events in columns with gaps and pauses upon them, how far
// nothing is missing, the incidents, and the anchors that hold. Places and widths are shares of the
// whole width; heights are pixels.
type timePicture struct {
	axis
	picture
	Lines      []box // Class is whole or unproven
	Ticks      []box // exact places of findings and incidents
	Symbols    []symbol
	LeftFaulty int // logs among the left ones that are not verified
}

// The limits of the pictures: rows for logs with and without a fault, incidents of a log, stores of a log,
// columns of events, and symbols in a line. Closer symbols would lie upon each other where the
// picture is narrow.
const (
	mostFaulty    = 16
	mostFaultless = 6
	mostLanes     = 6
	mostStoreRows = 8
	timeColumns   = 96
	mostSymbols   = 24
	labelColumns  = 26
)

// The heights of a row.
const (
	nameHeight   = 20
	symbolHeight = 20
	bandHeight   = 20
	laneHeight   = 22
)

// newTimePicture draws the logs over time; nil if there is none.
func newTimePicture(r *Report) *timePicture {
	if len(r.Logs) == 0 {
		return nil
	}
	p := &timePicture{axis: newAxis(r), picture: picture{Title: "All logs over time"}}
	shown, left := pictureLogs(r.Logs)
	for _, l := range left {
		p.Left++
		if l.Verdict != verify.Verified {
			p.LeftFaulty++
		}
	}
	var said []string
	for _, l := range shown {
		p.addLog(l)
		said = append(said, rowText(l))
	}
	p.Height += 4
	p.addLegend()
	p.Desc = fmt.Sprintf("From %s to %s, %s. %s", form.Clock(timeOf(p.start)), form.Clock(timeOf(p.end)),
		safetext.Count(len(r.Logs), "log"), strings.Join(said, " "))
	return p
}

// pictureLogs chooses the logs that have a row: first those with a fault.
func pictureLogs(all []Log) (shown, left []Log) {
	var faulty, faultless []Log
	for _, l := range all {
		if l.Verdict == verify.Verified {
			faultless = append(faultless, l)
		} else {
			faulty = append(faulty, l)
		}
	}
	n, m := min(len(faulty), mostFaulty), min(len(faultless), mostFaultless)
	return slices.Concat(faulty[:n], faultless[:m]), slices.Concat(faulty[n:], faultless[m:])
}

// rowText describes the row of a log, for those who do not see it.
func rowText(l Log) string {
	text := fmt.Sprintf("%s: %s, %s.", safetext.Quote(l.LogID), safetext.Count(l.Events, "event"), pictureState(l))
	marks := filterMarks(l.Marks, func(m Mark) bool { return m.Kind != OfIncident })
	for i, m := range marks {
		if i == mostItems {
			return text + fmt.Sprintf(" And %d more.", len(marks)-i)
		}
		text += " " + m.markText(0) + "."
	}
	return text
}

func pictureState(l Log) string {
	switch {
	case l.Verdict == verify.Verified:
		return "faultless"
	case len(l.LogResult.Forks) == 0 && l.Missing > 0:
		return "missing" // a number has no room
	}
	return logState(l.LogResult)
}

// markText describes a mark and its time. More is how many other marks share its symbol.
func (m Mark) markText(more int) string {
	text := rangeText(m.First, m.Last) + ": " + meaningOf(m.Kind)
	if m.FromMS != 0 || m.UntilMS != 0 {
		from, until := cmp.Or(m.FromMS, m.UntilMS), cmp.Or(m.UntilMS, m.FromMS)
		text += ", " + form.Clock(timeOf(from))
		if until != from {
			text = strings.TrimSuffix(text, form.Clock(timeOf(from))) + form.ClockRange(timeOf(from), timeOf(until))
		}
	}
	if more += m.Count; more > 1 {
		text += fmt.Sprintf(", %s places", formatNumber(more))
	}
	return text
}

// addLog adds the row of a log.
func (p *timePicture) addLog(l Log) {
	p.addName(l.LogID, label{X: "100%", Side: "end", Class: string(answer.ToneOf(l.Verdict)), Text: pictureState(l)})
	for _, kind := range rowKinds {
		p.addSymbols(marksOfKind(l.Marks, kind))
	}
	p.addBand(l)
	p.addLanes(l.Marks)
	p.addAnchors(l)
	p.Height += 10
}

// addLegend lists the kinds of marks that are drawn.
func (p *timePicture) addLegend() {
	drawn := map[string]bool{}
	for _, s := range p.Symbols {
		drawn[s.Kind] = true
	}
	for _, b := range slices.Concat(p.Bars, p.Ticks) {
		drawn[b.Class] = true
	}
	p.Words = append(p.Words, p.From+" to "+p.To+"; - = #  ever more events")
	for _, item := range legend {
		if drawn[item.Kind] {
			p.Legend = append(p.Legend, item)
			if item.Kind != OfIncident {
				p.Words = append(p.Words, item.Sign+"  "+item.Text)
			}
		}
	}
}

// legend is the meaning of each kind of mark.
var legend = []legendItem{
	{Missing, "missing", "_"}, {Paused, "issuance is paused", "p"},
	{string(finding.Forked), "fork: two signed histories from here on", "F"},
	{string(finding.Altered), "does not hold", "A"}, {string(finding.BadCopy), "a copy does not hold", "B"},
	{string(finding.Unverified), "cannot be verified", "U"},
	{string(finding.Contradicted), "an anchor names another event", "N"},
	{anchorBeyond, "an anchor above the last event", "E"}, {OfIncident, "events of an incident", "i"},
	{string(facts.WitnessedCheckpoint), "witnessed checkpoint", "W"},
	{string(facts.JournalWitness), "nodes witnessed a checkpoint", "J"},
	{string(facts.Checkpoint), "checkpoint", "C"},
	{string(facts.NodeReport), "report of the node in the tenant log", "R"},
	{string(facts.ExportCursor), "export cursor", "X"},
}

// rowKinds are the kinds of marks that have a line of symbols, from the top.
var rowKinds = []string{anchorBeyond, string(finding.Contradicted), string(finding.Forked), string(finding.Unverified),
	string(finding.BadCopy), string(finding.Altered)}

func meaningOf(kind string) string {
	for _, item := range legend {
		if item.Kind == kind {
			return item.Text
		}
	}
	return kind
}
