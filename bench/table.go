//go:build linux

package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// table is how figures are printed.
type table struct {
	unit   string // the name of the counted things
	rows   []row
	whole  []string // the stages that shares are of
	ratios []ratio
}

// row is a line of a table, of a stage.
type row struct{ name, of string }

// ratio is the CPU time of some stages divided by the CPU time of others, in the same round.
type ratio struct {
	name        string
	over, under []string
}

// median is the least, the median and the most over the rounds; NaN if a stage was not
// run, or there is none.
func (e *evidence) median(of func(round int) float64, stages ...string) (least, middle, most float64) {
	rounds := 0
	for i, stage := range stages {
		if n := len(e.used[stage]); i == 0 || n < rounds {
			rounds = n
		}
	}
	var all []float64
	for i := range rounds {
		all = append(all, of(i))
	}
	if len(all) == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	slices.Sort(all)
	return all[0], all[len(all)/2], all[len(all)-1]
}

// cpu returns the CPU time of stages together in one round, in microseconds for each event,
// bundle or object.
func (e *evidence) cpu(round int, stages ...string) (sum float64) {
	for _, stage := range stages {
		sum += float64(e.used[stage][round].CPU) / 1000 / float64(e.countOf(stage))
	}
	return sum
}

// wall is the time that a stage took in one round, likewise.
func (e *evidence) wall(round int, stage string) float64 {
	return float64(e.used[stage][round].Wall) / 1000 / float64(e.countOf(stage))
}

// medianSpent is the median of a stage.
func (e *evidence) medianSpent(stage string) float64 {
	_, middle, _ := e.median(func(i int) float64 { return e.cpu(i, stage) }, stage)
	return middle
}

// peak is the largest memory of a stage, in MiB.
func (e *evidence) peak(stage string) float64 {
	most := int64(0)
	for _, u := range e.used[stage] {
		most = max(most, u.Peak)
	}
	return float64(most) / 1024
}

// print prints the rows and ratios of stages that were run.
func (e *evidence) print(w io.Writer, t *table) {
	fmt.Fprintf(w, "%-38s %12s %12s %8s %10s\n", fmt.Sprintf("%d %s", e.count, t.unit), "CPU µs each", "wall µs each",
		"share", "peak MiB")
	_, whole, _ := e.median(func(i int) float64 { return e.cpu(i, t.whole...) }, t.whole...)
	for _, r := range t.rows {
		spent := e.medianSpent(r.of)
		if math.IsNaN(spent) {
			continue
		}
		share := ""
		if !math.IsNaN(whole) {
			share = fmt.Sprintf("%.1f %%", 100*spent/whole)
		}
		_, wall, _ := e.median(func(i int) float64 { return e.wall(i, r.of) }, r.of)
		fmt.Fprintf(w, "  %-36s %12.2f %12.2f %8s %10.0f\n", r.name, spent, wall, share, e.peak(r.of))
	}
	for _, r := range t.ratios {
		e.printRatio(w, r.name, func(i int) float64 { return e.cpu(i, r.over...) / e.cpu(i, r.under...) },
			slices.Concat(r.over, r.under)...)
	}
}

// printRatio prints a ratio that is taken round by round: the median, and the least and most.
func (e *evidence) printRatio(w io.Writer, name string, of func(round int) float64, stages ...string) {
	least, middle, most := e.median(of, stages...)
	switch {
	case math.IsNaN(middle):
	case least < most:
		fmt.Fprintf(w, "  %-36s %12.2f (%.2f to %.2f)\n", name, middle, least, most)
	default:
		fmt.Fprintf(w, "  %-36s %12.2f\n", name, middle)
	}
}

// printGrowth prints how the time of each stage grows from the smallest size to the
// largest.
func printGrowth(w io.Writer, all []*evidence) {
	first, last := all[0], all[len(all)-1]
	if first.count == last.count {
		return
	}
	factor := math.Log(float64(last.count) / float64(first.count))
	for _, stage := range grows {
		if ratio := last.medianSpent(stage) / first.medianSpent(stage); !math.IsNaN(ratio) {
			fmt.Fprintf(w, "%s: time grows as n^%.3f\n", strings.ReplaceAll(stage, "-", " "), 1+math.Log(ratio)/factor)
		}
	}
}

// grows are the stages whose growth is of interest.
var grows = []string{"ingest", "walk", "again", "first-check", "unchanged", "plan", "part", "join", "conclude"}
