//go:build linux

// Command bench measures what it costs to verify a whole journal, many bundles
// (-bundles) or an archive of them (-archive). The baselines of a journal are the
// pipeline that one would write first, and crypto/ed25519 alone on as many
// signatures. Those of bundles are to verify each by itself, in one process or in
// a process each. Those of an archive are svc-verify verify, and a loop that only
// reads and hashes.
//
// The evidence is made by the harness's encoder, with real keys. Each stage runs
// in a process of its own, and what counts is the CPU time of that process, user
// and system, over all threads; its peak memory is what Linux says of it. The
// stages of one round stand side by side, so that whatever else the machine does
// slows all of them: read the ratios, not the times.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// settings is what the command line says.
type settings struct {
	sizes  []int
	stages []string
	rounds int
	dir    string
	keep   bool
	worst  int
	stores int

	bundles  int
	stream   int
	archives []int
	parts    int
	planned  bool
	records  []int
}

func main() {
	if err := dispatch(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
}

// dispatch runs one stage if this process was started for it, and else all of
// them.
func dispatch() error {
	if name := os.Getenv(childEnv); name != "" {
		return child(name, os.Args[1:])
	}
	return run(os.Args[1:], os.Stdout)
}

// run measures every size and prints what it took.
func run(args []string, w io.Writer) error {
	s, err := parse(args)
	if err != nil {
		return err
	}
	switch {
	case len(s.records) > 0:
		return measureSeries(w, s.records, func(records int) (*through, error) {
			return measureRecords(w, filepath.Join(s.dir, "records"), records, max(s.parts, throughNodes+1))
		})
	case s.parts == 1:
		return measureShares(w, s)
	case s.parts > 1:
		return measureSeries(w, s.sizes, func(events int) (*through, error) {
			return measureThrough(w, s.dir, events, s.parts, s.planned)
		})
	}
	if s.worst > 0 {
		return measureWorst(w, s.dir, s.worst)
	}
	if s.stream > 0 {
		return measureStream(w, s.dir, s.stream)
	}
	if s.bundles > 0 {
		return measureBundles(w, s)
	}
	if len(s.archives) > 0 {
		return measureArchives(w, s)
	}
	var all []result
	for _, events := range s.sizes {
		e := evidence{dir: filepath.Join(s.dir, strconv.Itoa(events)), events: events, stores: s.stores}
		r, err := e.measure(s.stages, s.rounds)
		if !s.keep {
			err = errors.Join(err, os.RemoveAll(e.dir))
		}
		if err != nil {
			return err
		}
		r.print(w)
		all = append(all, r)
	}
	printGrowth(w, all)
	return nil
}

// measureSeries measures the way through parts at every size, and prints the growth.
func measureSeries(w io.Writer, sizes []int, measure func(size int) (*through, error)) error {
	var all []*through
	for _, size := range sizes {
		t, err := measure(size)
		if err != nil {
			return err
		}
		all = append(all, t)
	}
	printSeries(w, all)
	return nil
}

func parse(args []string) (settings, error) {
	s := settings{}
	f := flag.NewFlagSet("casebench", flag.ContinueOnError)
	sizes := f.String("events", "100000", "how many `events` the journal has; several sizes are separated by commas")
	names := f.String("stages", strings.Join(order, ","), "which `stages` to run, in this order")
	f.IntVar(&s.rounds, "rounds", 3, "how `often` everything is run; what is printed is the median")
	f.StringVar(&s.dir, "dir", filepath.Join(os.TempDir(), "svc-verify-casebench"), "the `folder` for journals and cases")
	f.IntVar(&s.stores, "stores", 2, "how many `stores` hold what is compared")
	f.IntVar(&s.worst, "worst", 0, "measure hard inputs of so many `parts` instead")
	f.IntVar(&s.bundles, "bundles", 0, "measure so many bundles in `files` instead")
	archives := f.String("archive", "",
		"measure archives of so many `objects` instead; several sizes are separated by commas")
	records := f.String("records", "",
		"join and conclude so many generated `records`, in -parts parts, instead; several sizes are separated by commas")
	f.IntVar(&s.stream, "stream", 0, "measure so many bundles from a `stream` instead")
	f.IntVar(&s.parts, "parts", 0,
		"make so many `parts` of the events and conclude instead; 1 compares a worker with ingest and walk")
	f.BoolVar(&s.planned, "planned", false, "with -parts: write the evidence into files, and make the parts by a `plan`")
	f.BoolVar(&s.keep, "keep", false, "leave the evidence for the next time")
	if err := f.Parse(args); err != nil {
		return s, err
	}
	var err error
	if s.sizes, err = numbers("events", *sizes); err != nil {
		return s, err
	}
	if *archives != "" {
		if s.archives, err = numbers("archive", *archives); err != nil {
			return s, err
		}
	}
	if *records != "" {
		if s.records, err = numbers("records", *records); err != nil {
			return s, err
		}
	}
	for name := range strings.SplitSeq(*names, ",") {
		if stages[name] == nil {
			return s, fmt.Errorf("stages: expected some of %s, found %q", strings.Join(order, ", "), name)
		}
		s.stages = append(s.stages, name)
	}
	if s.rounds < 1 || s.stores < 1 {
		return s, errors.New("rounds, stores: expected numbers from 1")
	}
	return s, nil
}

// numbers reads the sizes of a flag, in ascending order.
func numbers(flag, list string) (all []int, err error) {
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%s: expected a number from 1, found %q", flag, text)
		}
		all = append(all, n)
	}
	slices.SortFunc(all, cmp.Compare)
	return all, nil
}
