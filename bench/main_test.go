//go:build linux && heavy

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/worst"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

func TestMain(m *testing.M) {
	if os.Getenv(stageEnv) != "" {
		main()
		return
	}
	os.Exit(runAll(m))
}

// runAll runs the tests, all of them with a program that is built once.
func runAll(m *testing.M) int {
	once, err := os.MkdirTemp("", "")
	if err == nil {
		defer os.RemoveAll(once)
		err = build(once)
	}
	if err != nil {
		panic(err)
	}
	build = func(dir string) error {
		return errors.Join(os.MkdirAll(dir, 0o700), os.Link(filepath.Join(once, program), filepath.Join(dir, program)))
	}
	return m.Run()
}

// TestRun: every stage works on a small journal, and every line of the table is
// there.
func TestRun(t *testing.T) {
	var out strings.Builder
	must.Do(t, runSizes([]string{"-events", "300,150", "-rounds", "1", "-dir", t.TempDir()}, &out))
	for _, want := range []string{"150 events", "300 events", "naive / (ingest + walk)", "walk: time grows as n^"} {
		check.That(t, strings.Contains(out.String(), want), "no %q in\n%s", want, out.String())
	}
	for _, r := range journalTable.rows {
		check.That(t, strings.Count(out.String(), "\n  "+r.name+" ") >= 2,
			"no line %q for each size in\n%s", r.name, out.String())
	}
}

// TestWorst: every hard input is measured, and leaves nothing behind.
func TestWorst(t *testing.T) {
	var out strings.Builder
	dir := filepath.Join(t.TempDir(), "bench")
	must.Do(t, runSizes([]string{"-worst", "40", "-dir", dir}, &out))
	got, want := strings.Count(out.String(), "\n"), 1+len(worst.Texts(40))+len(worst.Cases(4))
	check.That(t, got == want, "%d lines, want %d:\n%s", got, want, out.String())
	nothingLeft(t, dir)
}

// nothingLeft wants a folder to be empty.
func nothingLeft(t *testing.T, dir string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	check.That(t, err == nil && len(left) == 0, "%v, %v", left, err)
}

// inFolder is evidence below a folder of this test, with the program next to it.
func inFolder(t *testing.T, size int) *evidence {
	t.Helper()
	s := settings{dir: t.TempDir(), stores: 2, rounds: 1}
	must.Do(t, build(s.dir))
	return newEvidence(s, size)
}

// TestLinesHaveTheReferenceSize: the measured event has 866 bytes.
func TestLinesHaveTheReferenceSize(t *testing.T) {
	e := inFolder(t, 400)
	must.Do(t, e.make())
	info := must.Get(os.Stat(e.journal()))(t)
	got := float64(info.Size()) / float64(e.count)
	check.That(t, math.Abs(got-866) <= 15, "a line has %.0f bytes on average, want about 866", got)
}

// TestStagesWantWholeEvidence: a stage fails if the evidence is wrong, so that no stage is
// measured that did nothing.
func TestStagesWantWholeEvidence(t *testing.T) {
	e := inFolder(t, 50)
	must.Do(t, e.make())
	must.Do(t, e.ingestStores("paired"))
	must.Do(t, e.ingestPlain("ingest"))
	e.count++ // one more than there are
	for _, stage := range []string{"naive", "walk", "since", "foreign", "apart", "compared"} {
		check.That(t, e.runStage(stage) != nil, "%s is content with one event too few", stage)
	}
}

func TestSettings(t *testing.T) {
	for _, args := range [][]string{{"-events", "0"}, {"-events", "1,x"}, {"-stages", "walk,none"}, {"-rounds", "0"},
		{"-archive", "1,0"}, {"-parts", "-1"}} {
		if _, err := parseSettings(args); err == nil {
			t.Errorf("%v are taken", args)
		}
	}
	s, err := parseSettings([]string{"-events", "20,10", "-stages", "ingest,walk"})
	check.That(t, err == nil && len(s.sizes) == 2 && s.sizes[0] == 10 && len(s.stages) == 2, "%+v, %v", s, err)
}

// TestMedians: ratios are taken within a round, and stages that were not measured leave no
// number.
func TestMedians(t *testing.T) {
	e := newEvidence(settings{}, 1000)
	for i, spent := range []time.Duration{1, 2, 9} {
		e.round = i
		e.note("ingest", usage{CPU: spent * time.Second})
		e.note("walk", usage{CPU: 2 * spent * time.Second})
		e.note("walk", usage{CPU: spent * time.Second})
	}
	got := e.medianSpent("walk")
	check.That(t, got == 6000, "the walk is %v, want 6000 µs an event", got)
	both := func(i int) float64 { return e.cpu(i, "ingest", "walk") }
	if least, middle, most := e.median(both, "ingest", "walk"); least != 4000 || middle != 8000 || most != 36000 {
		t.Errorf("both are %v, %v and %v, want 4000, 8000 and 36000 µs an event", least, middle, most)
	}
	if got := e.medianSpent("bare"); !math.IsNaN(got) {
		t.Errorf("what was not measured is %v", got)
	}
}

// TestBundles: every stage verifies all bundles, every ratio is there, and
// nothing is left behind.
func TestBundles(t *testing.T) {
	var out strings.Builder
	dir := filepath.Join(t.TempDir(), "bench")
	must.Do(t, runSizes([]string{"-bundles", "25", "-rounds", "1", "-dir", dir}, &out))
	got, want := strings.Count(out.String(), "\n"), 1+len(bundleTable.rows)+3
	check.That(t, got == want && !strings.Contains(out.String(), "NaN"), "%d lines, want %d:\n%s", got, want, out.String())
	nothingLeft(t, dir)
}

// TestBundleStagesWantAll: a stage fails where a bundle is missing or does not
// verify.
func TestBundleStagesWantAll(t *testing.T) {
	e := inFolder(t, 12)
	must.Do(t, e.makeBundles(e.count, 1))
	for _, damage := range []func() error{
		func() error { return os.Truncate(e.bundle(3), 5000) }, func() error { return os.Remove(e.bundle(3)) }} {
		must.Do(t, damage())
		for stage, err := range map[string]error{"each": e.runStage("apart-bundles"),
			"batch": e.verifyAll("one-worker", nil, e.bundleDir()), "loop": e.shellLoop()} {
			check.That(t, err != nil, "%s is content", stage)
		}
	}
}

// TestArchive: archives of two sizes are measured, every ratio is there, and nothing
// is left behind.
func TestArchive(t *testing.T) {
	var out strings.Builder
	dir := filepath.Join(t.TempDir(), "bench")
	must.Do(t, runSizes([]string{"-archive", "40,20", "-rounds", "1", "-dir", dir}, &out))
	got, want := strings.Count(out.String(), "\n"), 2*(1+len(archiveTable.rows)+3)+2
	check.That(t, got == want && !strings.Contains(out.String(), "NaN"), "%d lines, want %d:\n%s", got, want, out.String())
	nothingLeft(t, dir)
}

// TestArchiveStagesWantAll: a stage fails where an object is missing or does not
// verify.
func TestArchiveStagesWantAll(t *testing.T) {
	e := inFolder(t, 12)
	must.Do(t, e.makeBundles(e.count, perTransaction))
	must.Do(t, e.checkArchive("first-check"))
	must.Do(t, os.Truncate(e.bundle(3), 5000))
	check.That(t, e.checkArchive("unchanged") != nil, "cut: a second check is content")
	must.Do(t, removeDatabase(e.ledger()))
	check.That(t, e.checkArchive("first-check") != nil, "cut: a first check is content")
	must.Do(t, os.Remove(e.bundle(4)))
	check.That(t, e.runStage("read-naive") != nil, "missing: the naive loop is content")
}

// TestStream: bundles are verified while they are made, several of one
// transaction, and nothing is left behind.
func TestStream(t *testing.T) {
	var out strings.Builder
	dir := filepath.Join(t.TempDir(), "bench")
	must.Do(t, runSizes([]string{"-stream", "250", "-dir", dir}, &out))
	check.That(t, strings.HasPrefix(out.String(), "250 bundles from a stream "), "%s", out.String())
	nothingLeft(t, dir)
}

// TestShares: workers are measured against ingest and walk, on four logs and on a
// thousand; every ratio is there, and nothing is left behind.
func TestShares(t *testing.T) {
	var out strings.Builder
	dir := filepath.Join(t.TempDir(), "bench")
	must.Do(t, runSizes([]string{"-parts", "1", "-events", "18000", "-rounds", "1", "-dir", dir}, &out))
	for _, want := range []string{"  4 logs, ", "  1000 logs, ", "part / (ingest + walk) ",
		"one process / two halves ", "check on two cores "} {
		check.That(t, strings.Contains(out.String(), want) && !strings.Contains(out.String(), "NaN"),
			"no %q in\n%s", want, out.String())
	}
	nothingLeft(t, dir)
}

// narrow has forty parts joined before they are concluded from.
func narrow(t *testing.T) {
	t.Helper()
	before := joinWidth
	joinWidth = 32
	t.Cleanup(func() { joinWidth = before })
}

// TestThrough: forty parts are made while their evidence is, joined and concluded, and
// nothing is left behind. A conclusion that lacks a part is no result.
func TestThrough(t *testing.T) {
	narrow(t)
	var out strings.Builder
	dir := filepath.Join(t.TempDir(), "bench")
	must.Do(t, runSizes([]string{"-parts", "40", "-events", "6000,4000", "-dir", dir}, &out))
	for _, want := range []string{" in 40 parts of ", "\n  join  ", "(join + conclude) / all of the program ",
		"conclude: time grows as n^"} {
		check.That(t, strings.Contains(out.String(), want) && !strings.Contains(out.String(), "NaN"),
			"no %q in\n%s", want, out.String())
	}
	check.That(t, strings.Count(out.String(), "concluded from 2 parts: verified") == 2, "%s", out.String())
	nothingLeft(t, dir)
	through := must.Get(newThrough(inFolder(t, 400), throughNodes))(t)
	must.Do(t, through.writeRound(80))
	through.files = through.files[1:]
	check.That(t, through.conclude(&out) != nil, "a part is lacking, and there is a result")
}

// TestThroughWaits: as evidence grows, no more approvals wait for their other side. A
// comparison by time meets the two sides of each close together, in one round or many.
func TestThroughWaits(t *testing.T) {
	for _, c := range []struct{ rounds, each int }{{1, 400}, {1, 4000}, {8, 400}} {
		f := must.Get(newFleet(throughNodes))(t)
		texts := make([]bytes.Buffer, f.logs())
		for range c.rounds {
			for log := range texts {
				must.Do(t, f.write(log, &texts[log], c.each))
			}
		}
		if got, approvals := mostWaiting(t, texts); got > throughNodes || approvals < c.rounds*c.each*throughNodes/16 {
			t.Errorf("%d rounds of %d events: %d of %d approvals wait at once", c.rounds, c.each, got, approvals)
		}
	}
}

// mostWaiting reads the events of logs by their times, and returns how many approvals wait for
// their other side at most, and how many there are.
func mostWaiting(t *testing.T, texts []bytes.Buffer) (most, approvals int) {
	t.Helper()
	type told struct {
		Type       string    `json:"type"`
		OccurredAt time.Time `json:"occurred_at"`
		Data       struct {
			Approval string `json:"approval_sha256"`
		} `json:"data"`
	}
	var all []told
	for i := range texts {
		last := time.Time{}
		for line := range bytes.Lines(texts[i].Bytes()) {
			var e struct {
				Body told `json:"body"`
			}
			err := json.Unmarshal(line, &e)
			must.That(t, err == nil && !e.Body.OccurredAt.Before(last), "%v: the times of a log go back: %s", err, line)
			last = e.Body.OccurredAt
			if e.Body.Type == "approval.signed" || e.Body.Type == "approval.recorded" {
				all = append(all, e.Body)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b told) int { return a.OccurredAt.Compare(b.OccurredAt) })
	waiting := map[string]bool{}
	for _, e := range all {
		if waiting[e.Data.Approval] {
			delete(waiting, e.Data.Approval)
			continue
		}
		waiting[e.Data.Approval] = true
		approvals, most = approvals+1, max(most, len(waiting))
	}
	return most, approvals
}

// TestThroughPlan: the same, of files that are divided by a plan. Without one of the
// parts, the conclusion is open.
func TestThroughPlan(t *testing.T) {
	var out strings.Builder
	dir := filepath.Join(t.TempDir(), "bench")
	must.Do(t, runSizes([]string{"-parts", "36", "-planned", "-events", "4000", "-dir", dir}, &out))
	for _, want := range []string{" in 36 parts of ", "\n  plan  ", "concluded from 36 parts: verified"} {
		check.That(t, strings.Contains(out.String(), want), "no %q in\n%s", want, out.String())
	}
	through := must.Get(newThrough(inFolder(t, 400), throughNodes))(t)
	through.planned = true
	must.Do(t, through.writeRound(100))
	must.Do(t, through.share("part", 3))
	through.files = through.files[1:]
	check.That(t, through.conclude(&out) != nil, "a part is lacking, and there is a result")
}
