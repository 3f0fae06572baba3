package report

import (
	"fmt"
	"strconv"
	"time"
)

// chart is the deliveries over time. Places and widths are shares of the whole
// width; heights are pixels.
type chart struct {
	Lead, Title, Desc, From, To string
	Bars                        []chartBar
	Grid                        []gridLine
}

type chartBar struct {
	X, W, Text                     string
	FirstY, FirstH, AgainY, AgainH string // "" for nothing to draw
}

type gridLine struct {
	Y, TextY, Text string
}

// The heights of the chart: its baseline, and the top of the highest bar.
const (
	baseline = 166
	top      = 22
)

// newChart draws the deliveries; nil if there was none.
func newChart(d Deliveries) *chart {
	if len(d.Buckets) == 0 {
		return nil
	}
	first, last := d.Buckets[0].StartMS, d.Buckets[len(d.Buckets)-1].StartMS+d.BucketMS
	c := &chart{Title: "Deliveries over time", Lead: lead(d)}
	c.From, c.To = ends(first, last)
	var most int64
	for _, b := range d.Buckets {
		most = max(most, b.First+b.Redelivered)
	}
	for _, b := range d.Buckets {
		c.Bars = append(c.Bars, d.bar(b, most))
	}
	for _, v := range gridValues(most) {
		y := baseline - height(v, most)
		c.Grid = append(c.Grid, gridLine{pixels(y), pixels(y + 4), short(v)})
	}
	c.Desc = fmt.Sprintf("%s first deliveries and %s further ones, from %s to %s; at most %s in %s.",
		number(d.Events), number(d.Redelivered), clock(first), clock(last), number(most), duration(d.BucketMS))
	return c
}

func lead(d Deliveries) string {
	s := "By the clock of the collectors that observed the events; each bar is " + duration(d.BucketMS) + "."
	if d.Clock == Occurred {
		s = "No collector noted when it observed an event, so this is by the clock of those who wrote them; each bar " +
			"is " + duration(d.BucketMS) + "."
	}
	if d.Outside > 0 {
		s += " Deliveries dated far outside, which are not drawn: " + number(d.Outside) + "."
	}
	if d.Untimed > 0 {
		s += " Deliveries of which nothing says when, and which are not drawn: " + number(d.Untimed) + "."
	}
	return s
}

// bar draws one bucket, the further deliveries upon the first ones.
func (d Deliveries) bar(b Bucket, most int64) chartBar {
	start := d.Buckets[0].StartMS
	whole := float64(d.Buckets[len(d.Buckets)-1].StartMS-start) + float64(d.BucketMS)
	out := chartBar{X: percent(float64(b.StartMS-start), whole), W: percent(.86*float64(d.BucketMS), whole),
		Text: fmt.Sprintf("%s: %s first, %s again", clock(b.StartMS), number(b.First), number(b.Redelivered))}
	first, again := height(b.First, most), height(b.Redelivered, most)
	if b.First > 0 {
		out.FirstY, out.FirstH = pixels(baseline-first), pixels(first)
	}
	if b.Redelivered > 0 {
		out.AgainY, out.AgainH = pixels(baseline-first-again), pixels(again)
	}
	return out
}

// height is how high a count is drawn; one that is not 0 can be seen.
func height(n, most int64) float64 {
	if n == 0 {
		return 0
	}
	return max(2, (baseline-top)*float64(n)/float64(max(most, 1)))
}

func clock(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05Z") }

// ends writes two times so short that a narrow screen has room for both: the day
// once, or no seconds.
func ends(first, last int64) (string, string) {
	from, to := clock(first), clock(last)
	if from[:len(time.DateOnly)] == to[:len(time.DateOnly)] {
		return from, to[len(time.DateOnly)+1:]
	}
	return from[:len(from)-len(":05Z")] + "Z", to[:len(to)-len(":05Z")] + "Z"
}

func pixels(y float64) string { return fmt.Sprintf("%.1f", y) }

// short writes a round number in few signs, for the side of the chart.
func short(n int64) string {
	unit := 0
	for ; n >= 1000 && n%1000 == 0 && unit+1 < len(units); unit++ {
		n /= 1000
	}
	return strconv.FormatInt(n, 10) + units[unit]
}

// units are thousands, millions and so on.
var units = []string{"", "k", "M", "G", "T", "P"}

// gridValues are one or two round numbers up to the highest bar.
func gridValues(most int64) []int64 {
	step := int64(1)
	for step*10 <= most {
		step *= 10
	}
	switch {
	case most >= 5*step:
		step *= 5
	case most >= 2*step:
		step *= 2
	}
	return []int64{0, step}
}

// duration writes the width of a bar, which is a power of two milliseconds.
func duration(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case ms >= 48*3600*1000:
		return fmt.Sprintf("%.1f days", float64(ms)/(24*3600*1000))
	case d >= 2*time.Hour:
		return fmt.Sprintf("%.1f hours", d.Hours())
	case d >= 2*time.Minute:
		return fmt.Sprintf("%.1f minutes", d.Minutes())
	}
	return fmt.Sprintf("%.3g seconds", d.Seconds())
}
