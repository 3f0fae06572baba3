package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// addBand adds the events of a log, with gaps and pauses.
func (p *timePicture) addBand(l Log) {
	y := p.Height
	p.Frames = append(p.Frames, box{X: "0", W: "100%", Y: y, H: bandHeight})
	var counts [timeColumns]int64
	most := int64(1)
	for _, b := range l.Times.Buckets {
		x := p.at(b.StartMS + l.Times.BucketMS/2)
		if x < 0 || x > 1 {
			continue // far off
		}
		c := min(int(x*timeColumns), timeColumns-1)
		counts[c] += b.Events
		most = max(most, counts[c])
	}
	for c, n := range counts {
		if n > 0 {
			h := max(4, int(float64(bandHeight)*float64(n)/float64(most)))
			p.Bars = append(p.Bars, box{X: percentOf(float64(c), timeColumns), W: percentOf(1, timeColumns),
				Y: y + bandHeight - h, H: h, Class: "there", Text: safetext.Count(n, "event")})
		}
	}
	for _, m := range append(marksOfKind(l.Marks, Paused), marksOfKind(l.Marks, Missing)...) {
		x, w := p.placeOf(m)
		p.Bars = append(p.Bars, box{X: x, W: w, Y: y, H: bandHeight, Class: m.Kind, Text: m.markText(0)})
	}
	p.Height += bandHeight
	p.Lines = append(p.Lines, box{W: "100%", Y: p.Height + 4, Class: "unproven"})
	if i := slices.IndexFunc(l.Marks, func(m Mark) bool { return m.First == l.AnchoredSequence && m.isAnchor() }); i >= 0 {
		x, _ := p.placeOf(l.Marks[i])
		p.Lines = append(p.Lines, box{W: x, Y: p.Height + 4, Class: "whole"})
	}
	p.Height += 8
	p.addWords(l, counts, most)
}

// addWords adds the row of a log as lines of text: its name, the events in half as many columns with
// gaps and pauses, and the other marks.
func (p *timePicture) addWords(l Log, counts [timeColumns]int64, most int64) {
	band, signs := []byte(strings.Repeat(".", timeColumns/2)), []byte(strings.Repeat(" ", timeColumns/2))
	for c := range band {
		if n := max(counts[2*c], counts[2*c+1]); n > 0 {
			band[c] = "-=#"[min(2, 3*n/(most+1))]
		}
	}
	for i := len(legend) - 1; i >= 0; i-- { // the gravest last, upon the others
		for _, m := range marksOfKind(l.Marks, legend[i].Kind) {
			if m.Kind == OfIncident {
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

// addSymbols adds a line of marks of one kind: ticks over them, one for those that are closer than a
// column, and a symbol for the first of those that are too close to have one of their own.
func (p *timePicture) addSymbols(marks []Mark) {
	if len(marks) == 0 {
		return
	}
	var near []Mark // that share a symbol
	kind, row, drawn := marks[0].Kind, p.Height, extentOf{-1, -1}
	marks = slices.SortedStableFunc(slices.Values(marks), func(a, b Mark) int {
		return cmp.Or(cmp.Compare(p.left(a), p.left(b)), cmp.Compare(p.middle(a), p.middle(b)))
	})
	for _, m := range marks {
		if p.left(m) >= drawn.until+1./timeColumns {
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
	p.addTick(drawn, row+15, kind)
	p.addSymbol(near, row+7)
	p.Height += symbolHeight
}

func (p *timePicture) addSymbol(near []Mark, y int) {
	more := 0
	for _, m := range near[1:] {
		more += m.Count
	}
	p.Symbols = append(p.Symbols, symbol{X: percentOf(p.middle(near[0]), 1), Y: y, Kind: near[0].Kind,
		Text: near[0].markText(more)})
}

// addLanes adds the first incidents of a log, each with its name and its ranges.
func (p *timePicture) addLanes(marks []Mark) {
	marks = marksOfKind(marks, OfIncident)
	var names []string
	for _, m := range marks {
		if !slices.Contains(names, m.Name) {
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
			if m.Name != name {
				continue
			}
			x, w := p.placeOf(m)
			p.Ticks = append(p.Ticks, box{X: x, W: w, Y: y + 17, H: 3, Class: OfIncident, Text: m.markText(0)})
			if named {
				continue
			}
			named = true
			one := label{X: x, Y: y + 13, Side: "start", Text: name, Class: "strong"}
			if p.left(m) > .6 {
				one.X, one.Side = percentOf(p.right(m), 1), "end"
			}
			p.Labels = append(p.Labels, one)
		}
	}
}

// addAnchors puts the anchors of a log at the times when they were made, and those with close
// times side by side.
func (p *timePicture) addAnchors(l Log) {
	all := filterMarks(l.Marks, Mark.isAnchor)
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
		x, _ := p.placeOf(all[start])
		p.Symbols = append(p.Symbols, symbol{X: x, Y: y, DX: step * (i - start), Kind: m.Kind, Text: m.markText(0)})
	}
	p.Height += symbolHeight
}
