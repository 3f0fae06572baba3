package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/columns"
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
	Title, Desc string
	Height      int // of all
	Labels      []label
	Frames      []box
	Bars        []box
	Lines       []box // Class is whole or unproven
	Ticks       []box // exact places of findings and incidents
	Symbols     []symbol
	Legend      []legendItem // of what is drawn
	Words       []string     // the same in lines of text
	Left        int          // logs that are not drawn
	LeftFaulty  int          // those of them that are not verified
}

type box struct {
	X, W        string
	Y, H        int
	Class, Text string
}

type symbol struct {
	X          string
	Y, DX      int
	Kind, Text string
}

// label is text beside a place: its side is the anchor of the text.
type label struct {
	X              string
	Y, DX          int
	Side, Text     string
	Class, Tooltip string
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
	p := &timePicture{axis: newAxis(r), Title: "All logs over time"}
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
	p.Desc = fmt.Sprintf("From %s to %s, %s. %s", form.Clock(stamp(p.start)), form.Clock(stamp(p.end)),
		safetext.Count(len(r.Logs), "log"), strings.Join(said, " "))
	return p
}

// pictureLogs chooses the logs that have a row: first those with a fault.
func pictureLogs(all []Log) (shown, left []Log) {
	faultless := 0
	for _, l := range all {
		if l.Verdict != verify.Verified && len(shown) < mostFaulty {
			shown = append(shown, l)
		} else if l.Verdict != verify.Verified {
			left = append(left, l)
		}
	}
	for _, l := range all {
		if l.Verdict != verify.Verified {
			continue
		}
		if faultless++; faultless > mostFaultless {
			left = append(left, l)
			continue
		}
		shown = append(shown, l)
	}
	return shown, left
}

// rowText describes the row of a log, for those who do not see it.
func rowText(l Log) string {
	text := fmt.Sprintf("%s: %s, %s.", safetext.Quote(l.LogID), safetext.Count(l.Events, "event"), pictureState(l))
	marks := slices.DeleteFunc(slices.Clone(l.Marks), func(m Mark) bool { return m.Kind == OfIncident })
	for i, m := range marks {
		if i == mostItems {
			return text + fmt.Sprintf(" And %d more.", len(marks)-i)
		}
		text += " " + m.text(0) + "."
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

// text says what is marked, and when. More is how many other marks share its symbol.
func (m Mark) text(more int) string {
	text := span(m.First, m.Last) + ": " + meaning(m.Kind)
	if m.FromMS != 0 || m.UntilMS != 0 {
		from, until := cmp.Or(m.FromMS, m.UntilMS), cmp.Or(m.UntilMS, m.FromMS)
		text += ", " + form.Clock(stamp(from))
		if until != from {
			text = strings.TrimSuffix(text, form.Clock(stamp(from))) + form.ClockRange(stamp(from), stamp(until))
		}
	}
	if more += m.Count; more > 1 {
		text += fmt.Sprintf(", %s places", number(more))
	}
	return text
}

// addLog adds the row of a log.
func (p *timePicture) addLog(l Log) {
	tone := "good"
	if l.Verdict != verify.Verified {
		tone = "bad"
	}
	if l.Verdict == verify.Inconclusive {
		tone = "warn"
	}
	p.Labels = append(p.Labels,
		label{X: "0", Y: p.Height + 13, Side: "start", Class: "strong", Text: columns.Cut(l.LogID, labelColumns), Tooltip: l.LogID},
		label{X: "100%", Y: p.Height + 13, Side: "end", Class: tone, Text: pictureState(l)})
	p.Height += nameHeight
	for _, kind := range rowKinds {
		p.addSymbols(kind, l.Marks)
	}
	p.addBand(l)
	p.addLanes(l.Marks)
	p.addAnchors(l)
	p.Height += 10
}

// addBand adds the events of a log, with what is missing and when issuance was paused.
func (p *timePicture) addBand(l Log) {
	y := p.Height
	p.Frames = append(p.Frames, box{X: "0", W: "100%", Y: y, H: bandHeight})
	var counts [timeColumns]int64
	most := int64(1)
	for _, b := range l.Times.Buckets {
		x := p.at(b.StartMS + l.Times.BucketMS/2)
		if x < 0 || x > 1 {
			continue // far off, as the period says
		}
		c := min(int(x*timeColumns), timeColumns-1)
		counts[c] += b.Events
		most = max(most, counts[c])
	}
	for c, n := range counts {
		if n > 0 {
			h := max(4, int(float64(bandHeight)*float64(n)/float64(most)))
			p.Bars = append(p.Bars, box{X: percent(float64(c), timeColumns), W: percent(1, timeColumns), Y: y + bandHeight - h,
				H: h, Class: "there", Text: safetext.Count(n, "event")})
		}
	}
	for _, kind := range []string{Paused, Missing} {
		for _, m := range l.Marks {
			if m.Kind == kind {
				x, w := p.place(m)
				p.Bars = append(p.Bars, box{X: x, W: w, Y: y, H: bandHeight, Class: kind, Text: m.text(0)})
			}
		}
	}
	p.Height += bandHeight
	p.Lines = append(p.Lines, box{W: "100%", Y: p.Height + 4, Class: "unproven"})
	for _, m := range l.Marks {
		if m.First == l.AnchoredSequence && slices.Contains(anchorKinds, walk.AnchorKind(m.Kind)) {
			x, _ := p.place(m)
			p.Lines = append(p.Lines, box{W: x, Y: p.Height + 4, Class: "whole"})
			break
		}
	}
	p.Height += 8
	p.addWords(l, counts, most)
}

// addWords adds the row of a log as lines of text: its name, the events in half as many columns with
// what is missing and paused, and the other marks.
func (p *timePicture) addWords(l Log, counts [timeColumns]int64, most int64) {
	band, signs := []byte(strings.Repeat(".", timeColumns/2)), []byte(strings.Repeat(" ", timeColumns/2))
	for c := range band {
		if n := max(counts[2*c], counts[2*c+1]); n > 0 {
			band[c] = "-=#"[min(2, 3*n/(most+1))]
		}
	}
	for i := len(legend) - 1; i >= 0; i-- { // the gravest last, upon the others
		for _, m := range l.Marks {
			if m.Kind != legend[i].Kind || m.Kind == OfIncident {
				continue
			}
			line, first, last := signs, p.left(m), p.left(m)
			if m.Kind == Missing || m.Kind == Paused {
				line, last = band, p.right(m)
			}
			for c := int(first * (timeColumns/2 - 1)); c <= int(last*(timeColumns/2-1)); c++ {
				line[c] = legend[i].Sign[0]
			}
		}
	}
	p.Words = append(p.Words, safetext.Line(l.LogID)+", "+pictureState(l), string(band),
		strings.TrimRight(string(signs), " "))
}

// extentOf is a range of shares of the width, from -1 on if it is none.
type extentOf struct{ from, until float64 }

func (p *timePicture) addTick(e extentOf, y int, kind string) {
	if e.from >= 0 {
		x, w := wideEnough(e.from, e.until)
		p.Ticks = append(p.Ticks, box{X: x, W: w, Y: y, H: 3, Class: kind})
	}
}

// addSymbols adds a line of the marks of a kind: ticks over them, one for those that are closer than a
// column, and a symbol for the first of those that are too close to have one of their own.
func (p *timePicture) addSymbols(kind string, marks []Mark) {
	var near []Mark // that share a symbol
	row, found, drawn := p.Height, false, extentOf{-1, -1}
	marks = slices.SortedStableFunc(slices.Values(marks), func(a, b Mark) int {
		return cmp.Or(cmp.Compare(p.left(a), p.left(b)), cmp.Compare(p.middle(a), p.middle(b)))
	})
	for _, m := range marks {
		if m.Kind != kind {
			continue
		}
		if found = true; p.left(m) >= drawn.until+1./timeColumns {
			p.addTick(drawn, row+15, kind)
			drawn = extentOf{p.left(m), p.right(m)}
		}
		drawn.until = max(drawn.until, p.right(m))
		if len(near) > 0 && p.middle(m)-p.middle(near[0]) >= 1./mostSymbols {
			p.addSymbol(near, row+7)
			near = nil
		}
		near = append(near, m)
	}
	if found {
		p.addTick(drawn, row+15, kind)
		p.addSymbol(near, row+7)
		p.Height += symbolHeight
	}
}

func (p *timePicture) addSymbol(near []Mark, y int) {
	more := 0
	for _, m := range near[1:] {
		more += m.Count
	}
	p.Symbols = append(p.Symbols, symbol{X: percent(p.middle(near[0]), 1), Y: y, Kind: near[0].Kind, Text: near[0].text(more)})
}

// addLanes adds the first incidents of a log, each with its name and its ranges.
func (p *timePicture) addLanes(marks []Mark) {
	var names []string
	for _, m := range marks {
		if m.Kind == OfIncident && !slices.Contains(names, m.Name) {
			names = append(names, m.Name)
		}
	}
	for i, name := range names {
		y := p.Height
		p.Height += laneHeight
		if i == mostLanes-1 && len(names) > mostLanes {
			p.Labels = append(p.Labels, label{X: "0", Y: y + 13, Side: "start",
				Text: fmt.Sprintf("and %d more incidents", len(names)-i)})
			return
		}
		named := false
		for _, m := range marks {
			if m.Kind != OfIncident || m.Name != name {
				continue
			}
			x, w := p.place(m)
			p.Ticks = append(p.Ticks, box{X: x, W: w, Y: y + 17, H: 3, Class: OfIncident, Text: m.text(0)})
			if named {
				continue
			}
			named = true
			one := label{X: x, Y: y + 13, Side: "start", Text: name, Class: "strong"}
			if p.left(m) > .6 {
				one.X, one.Side = percent(p.right(m), 1), "end"
			}
			p.Labels = append(p.Labels, one)
		}
	}
}

// addAnchors puts the anchors of a log at the times when they were made, those of about one time side
// by side.
func (p *timePicture) addAnchors(l Log) {
	var all []Mark
	for _, m := range l.Marks {
		if slices.Contains(anchorKinds, walk.AnchorKind(m.Kind)) {
			all = append(all, m)
		}
	}
	if len(all) == 0 {
		return
	}
	slices.SortStableFunc(all, func(a, b Mark) int { return cmp.Compare(p.left(a), p.left(b)) })
	y, start, step := p.Height+9, 0, 0
	for i, m := range all {
		if p.left(m)-p.left(all[start]) >= 4./mostSymbols {
			start = i
		}
		if step = 15; p.left(all[start]) > .5 {
			step = -15
		}
		x, _ := p.place(all[start])
		p.Symbols = append(p.Symbols, symbol{X: x, Y: y, DX: step * (i - start), Kind: m.Kind, Text: m.text(0)})
	}
	p.Height += symbolHeight
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

// legendItem is a symbol and what it stands for. Sign is the symbol in a line of text.
type legendItem struct{ Kind, Text, Sign string }

// legend is what each kind of mark stands for.
var legend = []legendItem{
	{Missing, "missing", "_"}, {Paused, "issuance is paused", "p"},
	{string(finding.Forked), "fork: two signed histories from here on", "F"},
	{string(finding.Altered), "does not hold", "A"}, {string(finding.BadCopy), "a copy does not hold", "B"},
	{string(finding.Unverified), "cannot be verified", "U"},
	{string(finding.Contradicted), "an anchor names another event", "N"},
	{AnchorBeyond, "an anchor above the last event", "E"}, {OfIncident, "events of an incident", "i"},
	{string(walk.WitnessedCheckpoint), "witnessed checkpoint", "W"},
	{string(walk.JournalWitness), "nodes witnessed a checkpoint", "J"},
	{string(walk.Checkpoint), "checkpoint", "C"}, {string(walk.NodeReport), "report of the node in the tenant log", "R"},
	{string(walk.ExportCursor), "export cursor", "X"},
}

// rowKinds are the kinds of marks that have a line of symbols, from the top.
var rowKinds = []string{AnchorBeyond, string(finding.Contradicted), string(finding.Forked), string(finding.Unverified),
	string(finding.BadCopy), string(finding.Altered)}

func meaning(kind string) string {
	for _, item := range legend {
		if item.Kind == kind {
			return item.Text
		}
	}
	return kind
}
