//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/svc-edge/svc-verify/batch"
	"github.com/svc-edge/svc-verify/batch/entry"
	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// loopSample is how many bundles the shell loop goes through: it would take
// minutes for all of them.
const loopSample = 500

// verifyApart verifies each bundle by itself, in one process.
func verifyApart(e evidence, m *meter) error {
	paths, err := e.bundlePaths()
	if err != nil {
		return err
	}
	root, err := e.root()
	if err != nil {
		return err
	}
	m.start()
	for _, path := range paths {
		if err := verifyFile(path, root); err != nil {
			return err
		}
	}
	return nil
}

func verifyFile(path string, root *trust.Root) error {
	doc, err := os.ReadFile(path) // #nosec G304 -- the developer names it
	if err != nil {
		return err
	}
	if r := verify.Verify(bundle.Open(doc), root, verify.Policy{}); r.Verdict != verify.Verified {
		return fmt.Errorf("%s: %s", path, r.Verdict)
	}
	return nil
}

// verifyTogether verifies the bundles as a batch, with so many workers.
func verifyTogether(workers int) stage {
	return func(e evidence, m *meter) (err error) {
		root, err := e.root()
		if err != nil {
			return err
		}
		m.start()
		set, err := entry.New(entry.Source{Paths: []string{e.bundleDir()}, TempDir: e.dir})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, set.Close()) }()
		r, err := batch.Run(context.Background(), set, batch.Options{Root: root, Workers: workers, TempDir: e.dir})
		if err != nil {
			return err
		}
		if r.Summary.Verdict != outcome.Verified || r.Summary.Entries.Verified != int64(e.events) {
			err = fmt.Errorf("expected %d verified bundles, found %s: %+v", e.events, r.Summary.Verdict, r.Summary.Entries)
		}
		return errors.Join(err, r.Close())
	}
}

// batchCommand verifies the bundles with the program.
func batchCommand(e evidence, m *meter) error {
	return runQuietly(m, e.program(), "verify", "--status", "any", "--trust", e.trust(), e.bundleDir())
}

// shellLoop verifies the first bundles as one does without a batch: one process
// for each.
func shellLoop(e evidence, m *meter) error {
	paths, err := e.bundlePaths()
	if err != nil {
		return err
	}
	const loop = `program=$1 trust=$2; shift 2
		for bundle; do "$program" --evidence "$bundle" --trust "$trust" || exit; done`
	arguments := append([]string{"-c", loop, "sh", e.program(), e.trust()}, paths[:min(loopSample, len(paths))]...)
	return runQuietly(m, "sh", arguments...)
}

// runQuietly runs a program that has to succeed.
func runQuietly(m *meter, name string, arguments ...string) error {
	cmd := exec.Command(name, arguments...) // #nosec G204 -- made by this program
	cmd.Stdout, cmd.Stderr = io.Discard, os.Stderr
	m.start()
	return cmd.Run()
}

// bundleStages are the stages for bundles, in this order.
var bundleStages = []struct{ name, line string }{
	{"apart-bundles", "each by itself"},
	{"one-worker", "batch, one worker"},
	{"two-workers", "batch, two workers"},
	{"batch-command", "svc-verify verify"},
	{"shell-loop", "svc-verify in a shell loop"},
}

// measureBundles prints what many bundles take, and how much less that is than
// to verify each by itself.
func measureBundles(w io.Writer, s settings) (err error) {
	e := evidence{dir: filepath.Join(s.dir, fmt.Sprintf("bundles-%d", s.bundles)), events: s.bundles}
	if !s.keep {
		defer func() { err = errors.Join(err, os.RemoveAll(e.dir)) }()
	}
	if err := e.makeBundles(); err != nil {
		return err
	}
	var names []string
	for _, stage := range bundleStages {
		names = append(names, stage.name)
	}
	r, err := e.runStages(names, s.rounds)
	if err != nil {
		return err
	}
	r.printBundles(w)
	return nil
}

func (r result) printBundles(w io.Writer) {
	fmt.Fprintf(w, "%-28s %12s %12s %10s\n",
		fmt.Sprintf("%d bundles", r.events), "CPU µs each", "wall µs each", "peak MiB")
	cpu := func(name string) func(int) float64 {
		return func(i int) float64 { return float64(r.used[name][i].CPU.Microseconds()) / float64(r.bundlesOf(name)) }
	}
	wall := func(name string) func(int) float64 {
		return func(i int) float64 { return float64(r.used[name][i].Wall.Microseconds()) / float64(r.bundlesOf(name)) }
	}
	for _, stage := range bundleStages {
		fmt.Fprintf(w, "  %-26s %12.0f %12.0f %10.0f\n", stage.line, r.median(cpu(stage.name), stage.name),
			r.median(wall(stage.name), stage.name), r.peak(stage.name))
	}
	ratio := func(name string, of func(string) func(int) float64, over, under string) {
		r.printRatio(w, name, func(i int) float64 { return of(over)(i) / of(under)(i) }, over, under)
	}
	ratio("batch / each by itself", cpu, "one-worker", "apart-bundles")
	ratio("one worker / two, wall", wall, "one-worker", "two-workers")
	ratio("shell loop / batch, wall", wall, "shell-loop", "batch-command")
}

// bundlesOf is how many bundles a stage verifies.
func (r result) bundlesOf(stage string) int {
	if stage == "shell-loop" {
		return min(loopSample, r.events)
	}
	return r.events
}
