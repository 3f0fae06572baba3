package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// legendItem is a symbol and what it stands for.
type legendItem struct{ Kind, Text string }

var legend = []legendItem{
	{string(finding.Altered), "does not hold"},
	{string(finding.BadCopy), "a copy does not hold"},
	{string(finding.Unverified), "cannot be verified"},
	{string(finding.Forked), "fork"},
	{string(finding.Contradicted), "an anchor names another event"},
	{AnchorBeyond, "an anchor above the last event"},
	{string(walk.WitnessedCheckpoint), "witnessed checkpoint"},
	{string(walk.Checkpoint), "checkpoint"},
	{string(walk.NodeReport), "report of the node"},
	{string(walk.ExportCursor), "export cursor"},
}

// presencePicture is the bar of one log. Above it is a row for each kind of
// finding and for the anchor above the last event; below it are the anchors that
// hold. Places and widths are shares of the whole width; heights are pixels.
type presencePicture struct {
	ID, Title, Desc         string
	Height, Top, Line, Axis int
	Bars                    []box
	Ticks                   []box // the exact places of findings
	Symbols                 []symbol
	Anchored                *label
	Whole                   string // how far nothing is missing; "" for nowhere
	Last                    uint64
}

type box struct {
	X, W        string
	Y           int
	Class, Text string
}

type symbol struct {
	X          string
	Y, DX      int
	Kind, Text string
}

// label is text beside a place: its side is the anchor of the text.
type label struct {
	X          string
	Y, DX      int
	Side, Text string
}

// The classes of presence.
const (
	there  = "there"
	gone   = "missing"
	partly = "partly"
)

// The heights of a picture: of a row above the bar, and from the top of the bar
// to what is below it.
const (
	rowHeight = 22
	toLine    = 34
	toAnchors = 48
	toAxis    = 70
)

// newPresencePicture draws the bar of a log; nil if there is nothing to draw.
func newPresencePicture(index int, l Log) *presencePicture {
	if l.Presence.Last == 0 {
		return nil
	}
	p := &presencePicture{ID: fmt.Sprintf("presence-%d", index), Last: l.Presence.Last,
		Title: "What is there of " + safetext.Quote(l.LogID)}
	p.Top = 4
	for _, kind := range rowKinds {
		p.addRow(kind, l.Marks)
	}
	p.Line, p.Axis, p.Height = p.Top+toLine, p.Top+toAxis, p.Top+toAxis+4
	for _, r := range classes(l.Presence) {
		p.Bars = append(p.Bars, r.bar(p.Last, p.Top))
	}
	if l.AnchoredSequence > 0 {
		p.Whole = percent(float64(l.AnchoredSequence), float64(p.Last))
	}
	p.addAnchors(l)
	p.Desc = strings.Join(append([]string{fmt.Sprintf("%s of %s, %s missing.", number(l.Events),
		safetext.Count(p.Last, "sequence"), number(l.Missing))}, p.texts()...), " ")
	return p
}

// stretchOf is a run of columns of one class.
type stretchOf struct {
	Stretch
	class   string
	present uint64
}

func (s stretchOf) bar(last uint64, top int) box {
	text := span(s.First, s.Last) + " here"
	switch s.class {
	case gone:
		text = span(s.First, s.Last) + " missing"
	case partly:
		text = fmt.Sprintf("%s: %s missing", span(s.First, s.Last), number(s.Last-s.First+1-s.present))
	}
	return box{percent(float64(s.First-1), float64(last)), wide(float64(s.Last-s.First+1), float64(last)), top, s.class,
		text}
}

// classes turns columns into runs that are there, missing or missing in part.
// The exact stretches, where all are known, take the place of the columns.
func classes(p Presence) []stretchOf {
	var all []stretchOf
	next := uint64(1)
	add := func(s stretchOf) {
		if s.First > next {
			all = append(all, stretchOf{Stretch: Stretch{next, s.First - 1}, class: gone})
		}
		next = s.Last + 1
		if n := len(all); n > 0 && all[n-1].class == s.class {
			all[n-1].Last, all[n-1].present = s.Last, all[n-1].present+s.present
			return
		}
		all = append(all, s)
	}
	if p.More == 0 {
		for _, s := range p.Stretches {
			add(stretchOf{s, there, s.Last - s.First + 1})
		}
	} else {
		for _, c := range p.Columns {
			s := stretchOf{Stretch{c.First, min(c.First+p.ColumnSize-1, p.Last)}, there, c.Present}
			if s.Last-s.First+1 > s.present {
				s.class = partly
			}
			add(s)
		}
	}
	if next <= p.Last {
		all = append(all, stretchOf{Stretch: Stretch{next, p.Last}, class: gone})
	}
	return all
}

// rowKinds are the kinds of marks that have a row above the bar, from the top.
var rowKinds = []string{AnchorBeyond, string(finding.Contradicted), string(finding.Forked), string(finding.Unverified),
	string(finding.BadCopy), string(finding.Altered)}

// mostSymbols bounds the symbols in a row: closer ones would lie upon each other
// where the picture is narrow.
const mostSymbols = 24

// addRow adds the marks of a kind, which ascend: a tick for each, and a symbol
// for the first of those that are too close to have one of their own.
func (p *presencePicture) addRow(kind string, marks []Mark) {
	var near []Mark // that share a symbol
	row := p.Top
	for _, m := range marks {
		if m.Kind != kind {
			continue
		}
		p.Top = row + rowHeight
		p.Ticks = append(p.Ticks, box{X: percent(float64(m.First-1), float64(p.Last)),
			W: wide(float64(m.Last-m.First+1), float64(p.Last)), Y: row + 15, Class: kind})
		if len(near) > 0 && middle(m)-middle(near[0]) >= float64(p.Last)/mostSymbols {
			p.addSymbol(near, row+7)
			near = nil
		}
		near = append(near, m)
	}
	if len(near) > 0 {
		p.addSymbol(near, row+7)
	}
}

func (p *presencePicture) addSymbol(near []Mark, y int) {
	last, count := uint64(0), 0
	for _, m := range near {
		last, count = max(last, m.Last), count+m.Count
	}
	s := symbol{X: percent(middle(near[0]), float64(p.Last)), Y: y, Kind: near[0].Kind}
	s.Text = span(near[0].First, last) + ": " + meaning(s.Kind)
	if count > 1 {
		s.Text += fmt.Sprintf(", %s findings", number(count))
	}
	p.Symbols = append(p.Symbols, s)
}

// middle is where the symbol of a mark is, in sequences from the left end.
func middle(m Mark) float64 { return (float64(m.First)+float64(m.Last))/2 - .5 }

// addAnchors puts the kinds of anchor that the log is complete up to side by
// side, on the side of their place where there is more room.
func (p *presencePicture) addAnchors(l Log) {
	step, side := 15, "start"
	if 2*l.AnchoredSequence > p.Last {
		step, side = -15, "end"
	}
	a := label{X: p.Whole, Y: p.Top + toAnchors, Side: side, Text: "up to " + number(l.AnchoredSequence)}
	for _, kind := range anchorKinds {
		if !slices.Contains(l.AnchoredBy, kind) || l.AnchoredSequence == 0 {
			continue
		}
		p.Symbols = append(p.Symbols, symbol{X: a.X, Y: a.Y, DX: a.DX, Kind: string(kind),
			Text: span(l.AnchoredSequence, l.AnchoredSequence) + ": " + meaning(string(kind))})
		a.DX += step
		p.Anchored = &a
	}
}

// texts says what is marked, for those who do not see it.
func (p *presencePicture) texts() []string {
	var all []string
	for _, s := range p.Symbols[:min(len(p.Symbols), mostItems)] {
		all = append(all, s.Text+".")
	}
	return all
}

func meaning(kind string) string {
	i := slices.IndexFunc(legend, func(l legendItem) bool { return l.Kind == kind })
	return legend[i].Text
}
