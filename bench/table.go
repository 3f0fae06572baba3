//go:build linux

package main

import (
	"fmt"
	"io"
	"math"
	"slices"
)

// order is the order of the stages in each round: a walk follows the ingest that
// it needs, and the parts follow the whole.
var order = []string{"naive", "bare", "ingest", "walk", "again", "since", "foreign", "paired", "apart", "compared",
	"compared-again", "digest", "reading", "scanning", "rows", "links", "signatures"}

// lines are the lines of the table: a stage or, where less is set, what remains
// of one without these parts of it.
var lines = []struct {
	name, of string
	less     []string
}{
	{"naive pipeline", "naive", nil},
	{"bare crypto/ed25519", "bare", nil},
	{"ingest", "ingest", nil},
	{"  find the records", "reading", nil},
	{"  digest of the source", "digest", nil},
	{"  scan the events", "scanning", nil},
	{"  rows, bodies, index", "ingest", []string{"reading", "digest", "scanning"}},
	{"walk", "walk", nil},
	{"  read the rows", "rows", nil},
	{"  hashes of the links", "links", nil},
	{"  signatures", "signatures", nil},
	{"  everything else", "walk", []string{"rows", "links", "signatures"}},
	{"second walk", "again", nil},
	{"walk since the last", "since", nil},
	{"walk of another's case", "foreign", nil},
	{"ingest of the stores", "paired", nil},
	{"walk of the stores", "apart", nil},
	{"  with comparison", "compared", nil},
	{"  second, with comparison", "compared-again", nil},
}

// result is what all stages took, over all rounds.
type result struct {
	evidence
	used map[string][]usage
}

// measure makes the evidence and runs the stages, round by round.
func (e evidence) measure(names []string, rounds int) (result, error) {
	if err := e.make(); err != nil {
		return result{}, err
	}
	return e.runStages(names, rounds)
}

// runStages runs the stages, round by round.
func (e evidence) runStages(names []string, rounds int) (result, error) {
	r := result{e, map[string][]usage{}}
	for range rounds {
		for _, name := range names {
			u, err := e.runStage(name)
			if err != nil {
				return r, err
			}
			r.used[name] = append(r.used[name], u)
		}
	}
	return r, nil
}

// median is the median over the rounds, NaN if the stages were not run.
func (r result) median(of func(round int) float64, names ...string) float64 {
	rounds := math.MaxInt
	for _, name := range names {
		rounds = min(rounds, len(r.used[name]))
	}
	var all []float64
	for i := range rounds {
		all = append(all, of(i))
	}
	if len(all) == 0 {
		return math.NaN()
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// cpu is what a stage took in one round, in nanoseconds an event.
func (r result) cpu(name string, round int) float64 {
	return float64(r.used[name][round].CPU) / float64(r.events)
}

// spent is the median of a stage without some of its parts.
func (r result) spent(name string, less ...string) float64 {
	return r.median(func(i int) float64 {
		rest := r.cpu(name, i)
		for _, part := range less {
			rest -= r.cpu(part, i)
		}
		return rest
	}, append(less, name)...)
}

// whole is what an ingest and the walk after it took in one round.
func (r result) whole(i int) float64 { return r.cpu("ingest", i) + r.cpu("walk", i) }

// peak is the largest memory of a stage, in MiB.
func (r result) peak(name string) float64 {
	most := int64(0)
	for _, u := range r.used[name] {
		most = max(most, u.Peak)
	}
	return float64(most) / 1024
}

func (r result) print(w io.Writer) {
	fmt.Fprintf(w, "%d events%28s %10s %10s\n", r.events, "ns/event", "share", "peak MiB")
	whole := r.median(r.whole, "ingest", "walk")
	for _, l := range lines {
		spent := r.spent(l.of, l.less...)
		if math.IsNaN(spent) {
			continue
		}
		fmt.Fprintf(w, "  %-22s %10.0f %8.1f %%", l.name, spent, 100*spent/whole)
		if l.less == nil {
			fmt.Fprintf(w, " %10.0f", r.peak(l.of))
		}
		fmt.Fprintln(w)
	}
	r.printRatio(w, "naive / (ingest + walk)", func(i int) float64 { return r.cpu("naive", i) / r.whole(i) }, "naive",
		"ingest", "walk")
	r.printRatio(w, "(ingest + walk) / bare", func(i int) float64 { return r.whole(i) / r.cpu("bare", i) }, "bare",
		"ingest", "walk")
	r.printRatio(w, "walk / second walk", func(i int) float64 { return r.cpu("walk", i) / r.cpu("again", i) },
		"walk", "again")
	r.printRatio(w, "ingest + another's walk / bare",
		func(i int) float64 { return (r.cpu("ingest", i) + r.cpu("foreign", i)) / r.cpu("bare", i) },
		"bare", "ingest", "foreign")
	r.printRatio(w, "another's walk / walk", func(i int) float64 { return r.cpu("foreign", i) / r.cpu("walk", i) },
		"walk", "foreign")
	r.printRatio(w, "walk / walk since the last", func(i int) float64 { return r.cpu("walk", i) / r.cpu("since", i) },
		"walk", "since")
	r.printRatio(w, "with comparison / without", func(i int) float64 { return r.cpu("compared", i) / r.cpu("apart", i) },
		"apart", "compared")
	r.printRatio(w, "with comparison / second",
		func(i int) float64 { return r.cpu("compared", i) / r.cpu("compared-again", i) }, "compared", "compared-again")
}

// printRatio prints the median of a ratio that is taken round by round.
func (r result) printRatio(w io.Writer, name string, of func(int) float64, stages ...string) {
	if ratio := r.median(of, stages...); !math.IsNaN(ratio) {
		fmt.Fprintf(w, "  %-26s %6.2f\n", name, ratio)
	}
}

// printGrowth prints how the time grows from the smallest size to the largest.
func printGrowth(w io.Writer, all []result) {
	first, last := all[0], all[len(all)-1]
	if first.events == last.events {
		return
	}
	factor := float64(last.events) / float64(first.events)
	for _, name := range []string{"ingest", "walk", "again"} {
		if ratio := last.spent(name) / first.spent(name); !math.IsNaN(ratio) {
			fmt.Fprintf(w, "%s: time grows as events^%.3f\n", name, 1+math.Log(ratio)/math.Log(factor))
		}
	}
}
