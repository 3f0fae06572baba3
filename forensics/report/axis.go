package report

import (
	"cmp"
	"time"

	"github.com/svc-edge/svc-verify/internal/form"
)

// axis is the time of a picture, in milliseconds since 1970, and its labels.
type axis struct {
	start, end int64
	Grid       []label
	From, To   string
}

// newAxis returns the axis over the events of all logs, and over the marks that are close to them.
func newAxis(r *Report) axis {
	a := axis{start: r.Period.StartMS, end: r.Period.EndMS}
	reach := float64(a.end) - float64(a.start)
	for _, l := range r.Logs {
		for _, m := range l.Marks {
			for _, at := range []int64{m.FromMS, m.UntilMS} {
				if beyond := float64(at) - float64(r.Period.EndMS); beyond > 0 && beyond < reach/4 {
					a.end = max(a.end, at)
				}
			}
		}
	}
	if a.end <= a.start {
		a.end = a.start + 1000
	}
	a.addGrid()
	a.From, a.To = form.Clock(timeOf(a.start)), form.Clock(timeOf(a.end))
	if from, to := time.UnixMilli(a.start).UTC(), time.UnixMilli(a.end).UTC(); from.YearDay() == to.YearDay() &&
		from.Year() == to.Year() {
		a.To = to.Format("15:04:05 UTC")
	}
	return a
}

// steps are the distances between lines of the grid, from the narrowest.
var steps = []time.Duration{time.Second, 5 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute,
	15 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour,
	90 * 24 * time.Hour, 365 * 24 * time.Hour}

// mostLines bounds the lines of a grid: a narrow picture has room for so many labels.
const mostLines = 5

// addGrid adds lines at round times, with labels where there is room on both sides.
func (a *axis) addGrid() {
	for _, step := range steps {
		ms := step.Milliseconds()
		if (a.end/2-a.start/2)/ms*2 > mostLines {
			continue
		}
		format := "15:04"
		switch {
		case step < time.Minute:
			format = "15:04:05"
		case step >= 30*24*time.Hour:
			format = "Jan 06"
		case step >= 24*time.Hour:
			format = "2 Jan"
		}
		for at := (a.start/ms + 1) * ms; at < a.end; at += ms {
			line := label{X: percentOf(a.at(at), 1), Side: "middle", Text: time.UnixMilli(at).UTC().Format(format)}
			if x := a.at(at); x < .1 || x > .9 {
				line.Text = ""
			}
			a.Grid = append(a.Grid, line)
		}
		return
	}
}

// at returns the place of a time as a share of the axis, which is outside of 0 to 1 for other times.
func (a axis) at(ms int64) float64 {
	return (float64(ms) - float64(a.start)) / (float64(a.end) - float64(a.start))
}

// left and right are the ends of a mark, within the axis. A mark without a time is at its end.
func (a axis) left(m Mark) float64 { return a.placeWithin(cmp.Or(m.FromMS, m.UntilMS, a.end)) }

func (a axis) right(m Mark) float64 {
	return max(a.left(m), a.placeWithin(cmp.Or(m.UntilMS, m.FromMS, a.end)))
}

func (a axis) placeWithin(ms int64) float64 { return min(max(a.at(ms), 0), 1) }

func (a axis) middle(m Mark) float64 { return (a.left(m) + a.right(m)) / 2 }

// placeOf returns where a mark begins, and its width, which can be seen however short it is.
func (a axis) placeOf(m Mark) (x, w string) { return wideEnough(a.left(m), a.right(m)) }

func wideEnough(left, right float64) (x, w string) {
	const least = .004
	if right-left < least {
		left = min(left, 1-least)
		right = left + least
	}
	return percentOf(left, 1), percentOf(right-left, 1)
}
