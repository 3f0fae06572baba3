//go:build linux

// Command bench measures the cost of verifying a whole journal, many bundles (-bundles,
// -stream), an archive of them (-archive), hard inputs (-worst), or a fleet's journals through
// parts (-parts). The baselines of a journal are the pipeline that one would write first, and
// crypto/ed25519 alone on as many signatures. The baselines of bundles verify each by itself,
// in one process or in a process each. The baselines of an archive are svc-verify verify, and
// a loop that only reads and hashes. The baseline of parts is to ingest and walk the same
// evidence.
//
// The evidence has real keys and signatures. Each stage is a command of svc-verify, or a
// function of this program, in a process of its own. The measure is the CPU time of that
// process, user and system, over all threads. The stages of one round stand side by side, so
// that whatever else the machine does slows all of them: read the ratios, not the times.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// settings contains the values of the command line.
type settings struct {
	sizes   []int
	measure func(e *evidence, w io.Writer) error
	stages  []string // of a journal
	rounds  int
	stores  int
	parts   int
	planned bool
	keep    bool
	dir     string
}

func main() {
	var err error
	if stage := os.Getenv(stageEnv); stage != "" {
		err = runStage(stage, os.Args[1:])
	} else {
		err = runSizes(os.Args[1:], os.Stdout)
	}
	code := 2
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(code)
	}
}

// runSizes measures every size and prints the costs.
func runSizes(args []string, w io.Writer) (err error) {
	s, err := parseSettings(args)
	if err != nil {
		return err
	}
	if err := build(s.dir); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(filepath.Join(s.dir, program))) }()
	var all []*evidence
	for _, size := range s.sizes {
		e := newEvidence(s, size)
		err := s.measure(e, w)
		if !s.keep {
			err = errors.Join(err, os.RemoveAll(e.dir))
		}
		if err != nil {
			return err
		}
		all = append(all, e)
	}
	printGrowth(w, all)
	return nil
}

// program is the name of the program that is measured, in the folder of all evidence.
const program = "svc-verify"

// build builds the program into a folder. Tests build it once.
var build = func(dir string) error {
	command := exec.Command("go", "build", "-o", filepath.Join(dir, program), // #nosec G204 -- the developer names it
		"github.com/svc-edge/svc-verify/cmd/svc-verify")
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

func parseSettings(args []string) (s settings, err error) {
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	sizes := map[string]*string{
		"events":  f.String("events", "100000", "measure journals of so many `events`"),
		"bundles": f.String("bundles", "", "measure so many bundles in `files` instead"),
		"stream":  f.String("stream", "", "measure so many bundles from a `stream` instead"),
		"archive": f.String("archive", "", "measure archives of so many `objects` instead"),
		"worst":   f.String("worst", "", "measure hard inputs of so many `parts` instead"),
	}
	names := f.String("stages", strings.Join(order, ","), "which `stages` of a journal to run, in this order")
	f.IntVar(&s.rounds, "rounds", 3, "how `often` everything is run; what is printed is the median")
	f.StringVar(&s.dir, "dir", filepath.Join(os.TempDir(), "svc-verify-bench"), "the `folder` for evidence")
	f.IntVar(&s.stores, "stores", 2, "how many `stores` hold what is compared")
	f.IntVar(&s.parts, "parts", 0,
		"make so many `parts` of the events and conclude instead; 1 compares a worker with ingest and walk")
	f.BoolVar(&s.planned, "planned", false, "with -parts: write the evidence into files, and make the parts by a plan")
	f.BoolVar(&s.keep, "keep", false, "leave the evidence for the next time")
	f.Usage = func() {
		fmt.Fprintln(f.Output(), "Several sizes are separated by commas.")
		f.PrintDefaults()
	}
	if err := f.Parse(args); err != nil {
		return s, err
	}
	s.stages = strings.Split(*names, ",")
	for _, name := range s.stages {
		if !slices.Contains(order, name) {
			return s, fmt.Errorf("stages: expected some of %s, found %q", strings.Join(order, ", "), name)
		}
	}
	if s.rounds < 1 || s.stores < 1 || s.parts < 0 {
		return s, errors.New("rounds, stores, parts: expected positive numbers")
	}
	kind := "events"
	for name, measure := range map[string]func(*evidence, io.Writer) error{
		"bundles": measureBundles, "stream": measureStream, "archive": measureArchive, "worst": measureWorst} {
		if *sizes[name] != "" {
			kind, s.measure = name, measure
		}
	}
	switch {
	case s.measure != nil:
	case s.parts == 0:
		s.measure = measureJournal
	case s.parts == 1:
		s.measure = measureShares
	default:
		s.measure = measureThrough
	}
	s.sizes, err = parseSizes(kind, *sizes[kind])
	return s, err
}

// parseSizes reads the sizes of a flag, in ascending order.
func parseSizes(flag, list string) (all []int, err error) {
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%s: expected a number from 1, found %q", flag, text)
		}
		all = append(all, n)
	}
	slices.Sort(all)
	return all, nil
}
