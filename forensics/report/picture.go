package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/finding"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/english"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// legendItem is a symbol and what it stands for.
type legendItem struct{ Kind, Text string }

var legend = []legendItem{
	{string(finding.Altered), "does not hold"},
	{string(finding.Unverified), "cannot be verified"},
	{string(finding.Forked), "fork"},
	{string(finding.Contradicted), "an anchor names another event"},
	{AnchorBeyond, "an anchor above the last event"},
	{string(walk.WitnessedCheckpoint), "witnessed checkpoint"},
	{string(walk.Checkpoint), "checkpoint"},
	{string(walk.NodeReport), "report of the node"},
	{string(walk.ExportCursor), "export cursor"},
}

// presencePicture is the bar of one log. Places and widths are shares of the
// whole width; heights are pixels.
type presencePicture struct {
	ID, Title, Desc string
	Bars            []presenceBar
	Spans           []presenceBar
	Symbols         []symbol
	Whole           string // how far nothing is missing; "" for nowhere
	Last            uint64
}

type presenceBar struct{ X, W, Class, Text string }

type symbol struct {
	X        string
	Y, DX    int
	Kind     string
	Text     string
	sequence uint64
}

// The classes of presence.
const (
	there  = "there"
	gone   = "gap"
	partly = "partly"
)

// newPresencePicture draws the bar of a log; nil if there is nothing to draw.
func newPresencePicture(index int, l Log) *presencePicture {
	if l.Presence.Last == 0 {
		return nil
	}
	p := &presencePicture{ID: fmt.Sprintf("presence-%d", index), Last: l.Presence.Last,
		Title: "What is there of " + safetext.Quote(l.LogID)}
	for _, r := range classes(l.Presence) {
		p.Bars = append(p.Bars, r.bar(p.Last))
	}
	if l.AnchoredSequence > 0 {
		p.Whole = percent(float64(l.AnchoredSequence), float64(p.Last))
	}
	p.addMarks(l.Marks)
	p.Desc = strings.Join(append([]string{fmt.Sprintf("%s of %s, %s missing.", number(l.Events), english.Count(p.Last, "sequence"), number(l.Missing))}, p.texts()...), " ")
	return p
}

// stretchOf is a run of columns of one class.
type stretchOf struct {
	Stretch
	class   string
	present uint64
}

func (s stretchOf) bar(last uint64) presenceBar {
	text := span(s.First, s.Last) + " here"
	switch s.class {
	case gone:
		text = span(s.First, s.Last) + " missing"
	case partly:
		text = fmt.Sprintf("%s: %s missing", span(s.First, s.Last), number(s.Last-s.First+1-s.present))
	}
	return presenceBar{percent(float64(s.First-1), float64(last)), wide(float64(s.Last-s.First+1), float64(last)), s.class, text}
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

// The heights at which symbols stand: findings above the bar, anchors below.
const (
	above = 10
	below = 68
)

func (p *presencePicture) addMarks(marks []Mark) {
	for _, m := range marks {
		s := symbol{X: percent(float64(m.First+m.Last)/2-.5, float64(p.Last)), Y: above, Kind: m.Kind, sequence: m.First}
		s.Text = span(m.First, m.Last) + ": " + meaning(m.Kind)
		if slices.Contains(anchorKinds, walk.AnchorKind(m.Kind)) || m.Kind == AnchorBeyond {
			s.Y, s.X = below, percent(float64(m.Last), float64(p.Last))
		} else if m.Last > m.First {
			p.Spans = append(p.Spans, presenceBar{X: percent(float64(m.First-1), float64(p.Last)), W: wide(float64(m.Last-m.First+1), float64(p.Last))})
		}
		for _, other := range p.Symbols { // side by side at one place
			if other.Y == s.Y && other.sequence == s.sequence {
				s.DX -= 15
			}
		}
		p.Symbols = append(p.Symbols, s)
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
