//go:build linux

// Command bench measures what it costs to verify a whole journal. The baselines
// are the pipeline that one would write first, and crypto/ed25519 alone on as many
// signatures.
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
	if s.worst > 0 {
		return measureWorst(w, s.dir, s.worst)
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

func parse(args []string) (settings, error) {
	s := settings{}
	f := flag.NewFlagSet("casebench", flag.ContinueOnError)
	sizes := f.String("events", "100000", "how many `events` the journal has; several sizes are separated by commas")
	names := f.String("stages", strings.Join(order, ","), "which `stages` to run, in this order")
	f.IntVar(&s.rounds, "rounds", 3, "how `often` everything is run; what is printed is the median")
	f.StringVar(&s.dir, "dir", filepath.Join(os.TempDir(), "svc-verify-casebench"), "the `folder` for journals and cases")
	f.IntVar(&s.stores, "stores", 2, "how many `stores` hold what is compared")
	f.IntVar(&s.worst, "worst", 0, "measure hard inputs of so many `parts` instead")
	f.BoolVar(&s.keep, "keep", false, "leave the journals for the next time")
	if err := f.Parse(args); err != nil {
		return s, err
	}
	for _, text := range strings.Split(*sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return s, fmt.Errorf("events: expected a number from 1, found %q", text)
		}
		s.sizes = append(s.sizes, n)
	}
	slices.SortFunc(s.sizes, cmp.Compare)
	for _, name := range strings.Split(*names, ",") {
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
