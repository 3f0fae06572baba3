//go:build linux

package main

import (
	"fmt"
	"io"
	"math"
	"syscall"
	"time"
)

// steps are the commands of the way through parts, in order. What joins and conclusion
// take of all comes on top of the work that is divided.
var steps = []string{"plan", "part", "join", "conclude"}

// took is what the runs of one command took together.
func (t *through) took(name string) (sum usage) {
	for _, u := range t.used[name] {
		sum.CPU, sum.Wall, sum.Peak = sum.CPU+u.CPU, sum.Wall+u.Wall, max(sum.Peak, u.Peak)
	}
	return sum
}

// whole is the CPU time of all commands.
func (t *through) whole() (sum time.Duration) {
	for _, name := range steps {
		sum += t.took(name).CPU
	}
	return sum
}

// atEnd is what joins and conclusion take of the whole.
func (t *through) atEnd() float64 {
	return float64(t.took("join").CPU+t.took("conclude").CPU) / float64(t.whole())
}

// micros is CPU time in microseconds an event.
func (t *through) micros(spent time.Duration) float64 {
	return float64(spent.Nanoseconds()) / 1000 / float64(t.count)
}

// printParts prints how large the evidence and the parts are.
func (t *through) printParts(w io.Writer) error {
	all, err := eachSize(t.files)
	if err != nil {
		return err
	}
	octets := int64(0)
	for _, size := range all {
		octets += size
	}
	kilo := func(size int64) float64 { return float64(size) / 1e3 }
	fmt.Fprintf(w, "%d events, %.1f GB, in %d parts of %.1f octets an event\n", t.count, float64(t.bytes)/1e9, len(all),
		float64(octets)/float64(t.count))
	fmt.Fprintf(w, "  a part has %.1f kB, from %.1f to %.1f\n", kilo(all[len(all)/2]), kilo(all[0]), kilo(all[len(all)-1]))
	return nil
}

// print prints what each command took, beside the making of the evidence.
func (t *through) print(w io.Writer) {
	fmt.Fprintf(w, "  %-10s %9s %14s %12s %10s\n", "", "processes", "CPU µs an event", "of the whole", "peak MiB")
	fmt.Fprintf(w, "  %-10s %9d %14.3f %12s %10.0f\n", "evidence", 1, t.micros(ownTime()-t.from), "",
		float64(peakOf("self"))/1024)
	for _, name := range steps {
		sum := t.took(name)
		fmt.Fprintf(w, "  %-10s %9d %14.3f %11.1f%% %10.0f\n", name, len(t.used[name]), t.micros(sum.CPU),
			100*float64(sum.CPU)/float64(t.whole()), float64(sum.Peak)/1024)
	}
	if len(t.used["part"]) == 0 {
		return // of generated records
	}
	fmt.Fprintf(w, "  (join + conclude) / (plan + part + join + conclude): %.1f%%\n", 100*t.atEnd())
}

// printSeries prints what an event took at each size, and how the time of each command
// grows from the smallest size to the largest.
func printSeries(w io.Writer, all []*through) {
	if len(all) < 2 {
		return
	}
	fmt.Fprintf(w, "%12s", "events")
	for _, name := range steps {
		fmt.Fprintf(w, " %10s", name)
	}
	fmt.Fprintf(w, " %16s\n", "join + conclude")
	for _, t := range all {
		fmt.Fprintf(w, "%12d", t.count)
		for _, name := range steps {
			fmt.Fprintf(w, " %10.3f", t.micros(t.took(name).CPU))
		}
		fmt.Fprintf(w, " %15.1f%%\n", 100*t.atEnd())
	}
	first, last := all[0], all[len(all)-1]
	factor := math.Log(float64(last.count) / float64(first.count))
	for _, name := range steps {
		if one, other := first.took(name).CPU, last.took(name).CPU; one > 0 && factor > 0 {
			fmt.Fprintf(w, "%s: time grows as events^%.3f\n", name, math.Log(float64(other)/float64(one))/factor)
		}
	}
}

// counted is a number of things.
func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// ownTime is the CPU time of this process, without those that it started.
func ownTime() time.Duration {
	own := rusage(syscall.RUSAGE_SELF)
	return time.Duration(own.Utime.Nano() + own.Stime.Nano())
}
