//go:build linux && heavy

package main

import (
	"bufio"
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

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/worst"
)

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestRun: every stage works on a small journal, and every line of the table is
// there.
func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run([]string{"-events", "300,150", "-rounds", "1", "-dir", t.TempDir()}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"150 events", "300 events", "naive / (ingest + walk)", "walk: time grows as events^"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	for _, l := range lines {
		if strings.Count(out.String(), "\n  "+l.name+" ") < 2 {
			t.Errorf("no line %q for each size in\n%s", l.name, out.String())
		}
	}
}

// TestWorst: every hard input is measured, and leaves nothing behind.
func TestWorst(t *testing.T) {
	var out strings.Builder
	dir := filepath.Join(t.TempDir(), "bench")
	if err := run([]string{"-worst", "40", "-dir", dir}, &out); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Count(out.String(), "\n"), 1+len(worst.Texts(40))+len(worst.Cases(4)); got != want {
		t.Errorf("%d lines, want %d:\n%s", got, want, out.String())
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s: %v", dir, err)
	}
}

// TestLinesHaveTheReferenceSize: what is measured is an event of 866 bytes.
func TestLinesHaveTheReferenceSize(t *testing.T) {
	e := evidence{dir: t.TempDir(), events: 400}
	if err := e.make(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(e.journal())
	if err != nil {
		t.Fatal(err)
	}
	if got := float64(info.Size()) / float64(e.events); math.Abs(got-866) > 15 {
		t.Errorf("a line has %.0f bytes on average, want about 866", got)
	}
}

// TestStagesWantWholeEvidence: a stage fails where the evidence is not what it
// should be, so that nothing is measured that did nothing.
func TestStagesWantWholeEvidence(t *testing.T) {
	e := evidence{dir: t.TempDir(), events: 50}
	if err := e.make(); err != nil {
		t.Fatal(err)
	}
	if err := ingestAll(e, &meter{}); err != nil {
		t.Fatal(err)
	}
	e.events++ // one more than there are
	for name, s := range map[string]stage{"naive": naive, "walk": walkAll, "rows": rows} {
		if err := s(e, &meter{}); err == nil {
			t.Errorf("%s is content with one event too few", name)
		}
	}
}

func TestSettings(t *testing.T) {
	for _, args := range [][]string{{"-events", "0"}, {"-events", "1,x"}, {"-stages", "walk,none"}, {"-rounds", "0"},
		{"-archive", "1,0"}} {
		if _, err := parse(args); err == nil {
			t.Errorf("%v are taken", args)
		}
	}
	s, err := parse([]string{"-events", "20,10", "-stages", "ingest,walk"})
	if err != nil || len(s.sizes) != 2 || s.sizes[0] != 10 || len(s.stages) != 2 {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestMedians: ratios are taken within a round, and parts that were not measured
// leave no number.
func TestMedians(t *testing.T) {
	r := result{evidence{events: 1000}, map[string][]usage{
		"ingest": {{CPU: 1 * time.Millisecond}, {CPU: 2 * time.Millisecond}, {CPU: 9 * time.Millisecond}},
		"walk":   {{CPU: 3 * time.Millisecond}, {CPU: 6 * time.Millisecond}, {CPU: 27 * time.Millisecond}},
	}}
	if got := r.spent("walk", "ingest"); got != 4000 {
		t.Errorf("the rest of the walk is %v, want 4000 ns an event", got)
	}
	if got := r.median(r.whole, "ingest", "walk"); got != 8000 {
		t.Errorf("both are %v, want 8000 ns an event", got)
	}
	if got := r.spent("bare"); !math.IsNaN(got) {
		t.Errorf("what was not measured is %v", got)
	}
}

// TestBundles: every stage verifies all bundles, every ratio is there, and
// nothing is left behind.
func TestBundles(t *testing.T) {
	var out strings.Builder
	dir := filepath.Join(t.TempDir(), "bench")
	if err := run([]string{"-bundles", "25", "-rounds", "1", "-dir", dir}, &out); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Count(out.String(), "\n"), 1+len(bundleStages)+3; got != want ||
		strings.Contains(out.String(), "NaN") {
		t.Errorf("%d lines, want %d:\n%s", got, want, out.String())
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// TestBundleStagesWantAll: a stage fails where a bundle is missing or does not
// verify.
func TestBundleStagesWantAll(t *testing.T) {
	e := evidence{dir: t.TempDir(), events: 12}
	if err := e.makeBundles(); err != nil {
		t.Fatal(err)
	}
	paths, err := e.bundlePaths()
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{"cut", "missing"} {
		damage := func() error { return os.Truncate(paths[3], 5000) }
		if what == "missing" {
			damage = func() error { return os.Remove(paths[3]) }
		}
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		for _, stage := range bundleStages {
			if what == "missing" && (stage.name == "batch-command" || stage.name == "shell-loop") {
				continue // they verify what is there
			}
			if err := stages[stage.name](e, &meter{}); err == nil {
				t.Errorf("%s: %s is content", what, stage.name)
			}
		}
	}
}

// TestArchive: archives of two sizes are measured, every ratio is there, and nothing
// is left behind.
func TestArchive(t *testing.T) {
	var out strings.Builder
	dir := filepath.Join(t.TempDir(), "bench")
	if err := run([]string{"-archive", "40,20", "-rounds", "1", "-dir", dir}, &out); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Count(out.String(), "\n"), 2*(1+len(archiveStages)+3)+2; got != want ||
		strings.Contains(out.String(), "NaN") {
		t.Errorf("%d lines, want %d:\n%s", got, want, out.String())
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// TestArchiveStagesWantAll: a stage fails where an object is missing or does not
// verify.
func TestArchiveStagesWantAll(t *testing.T) {
	e := evidence{dir: t.TempDir(), events: 12}
	if err := e.makeArchive(); err != nil {
		t.Fatal(err)
	}
	if err := checkFirst(e, &meter{}); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(e.object(3), 5000); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"archive-again", "archive-first"} {
		if err := stages[name](e, &meter{}); err == nil {
			t.Errorf("cut: %s is content", name)
		}
	}
	if err := os.Remove(e.object(4)); err != nil {
		t.Fatal(err)
	}
	if err := readNaively(e, &meter{}); err == nil {
		t.Error("missing: the naive loop is content")
	}
}

// TestStream: bundles are verified while they are made, several of one
// transaction, and nothing is left behind.
func TestStream(t *testing.T) {
	var out strings.Builder
	dir := filepath.Join(t.TempDir(), "bench")
	if err := run([]string{"-stream", "250", "-dir", dir}, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), "250 bundles from a stream: ") {
		t.Error(out.String())
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// TestShares: workers are measured against ingest and walk, on four logs and on a
// thousand; every ratio is there, and nothing is left behind.
func TestShares(t *testing.T) {
	var out strings.Builder
	dir := filepath.Join(t.TempDir(), "bench")
	if err := run([]string{"-parts", "1", "-events", "18000", "-rounds", "1", "-dir", dir}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{" events in 4 logs", " events in 1000 logs", "part / (ingest + walk) ",
		"one process / two halves ", "check on two cores "} {
		if !strings.Contains(out.String(), want) || strings.Contains(out.String(), "NaN") {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
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
	if err := run([]string{"-parts", "40", "-events", "6000,4000", "-dir", dir}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"in 40 parts of ", "join               2 ",
		"(join + conclude) / (plan + part + join + conclude): ",
		"concluded from 2 parts", "conclude: time grows as events^"} {
		if !strings.Contains(out.String(), want) || strings.Contains(out.String(), "NaN") {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Count(out.String(), "verdict: verified") != 2 {
		t.Error(out.String())
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
	e, err := newThrough(evidence{dir: filepath.Join(dir, "lacking"), events: 400}, throughNodes)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.round(80); err != nil {
		t.Fatal(err)
	}
	e.files = e.files[1:]
	if err := e.finish(&out); err == nil {
		t.Error("a part is lacking, and there is a result")
	}
}

// TestThroughWaits: as evidence grows, no more approvals wait for their other side. A
// comparison by time meets the two sides of each close together, in one round or many.
func TestThroughWaits(t *testing.T) {
	for _, c := range []struct{ rounds, each int }{{1, 400}, {1, 4000}, {8, 400}} {
		th, err := newThrough(evidence{dir: t.TempDir()}, throughNodes)
		if err != nil {
			t.Fatal(err)
		}
		texts := make([]bytes.Buffer, throughNodes+1)
		for range c.rounds {
			th.write(t, texts, c.each)
		}
		if got, approvals := mostWaiting(t, texts); got > throughNodes || approvals < c.rounds*c.each*throughNodes/16 {
			t.Errorf("%d rounds of %d events: %d of %d approvals wait at once", c.rounds, c.each, got, approvals)
		}
	}
}

// write writes the events of a round.
func (t *through) write(tt *testing.T, texts []bytes.Buffer, each int) {
	tt.Helper()
	from, reports := make([]int, throughNodes), make([][]seal.Object, throughNodes)
	for i := range texts {
		w := bufio.NewWriter(&texts[i])
		var err error
		if i < throughNodes {
			from[i] = len(t.journals[i].hashes)
			err = t.journal(i, w, each, &reports[i])
		} else {
			err = t.answer(w, from, reports)
		}
		if err := errors.Join(err, w.Flush()); err != nil {
			tt.Fatal(err)
		}
	}
}

// mostWaiting takes the events of logs by their times, and returns how many approvals
// wait for their other side at most, and how many there are.
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
			if err := json.Unmarshal(line, &e); err != nil || e.Body.OccurredAt.Before(last) {
				t.Fatalf("%v: the times of a log go back: %s", err, line)
			}
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
	if err := run([]string{"-parts", "36", "-planned", "-events", "4000", "-dir", dir}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"in 36 parts of ", "  plan               1 ", "  part              36 ",
		"verdict: verified"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	e, err := newThrough(evidence{dir: filepath.Join(dir, "lacking")}, throughNodes)
	if err != nil {
		t.Fatal(err)
	}
	e.plan = e.file("plan.json")
	if err := errors.Join(e.round(100), e.share(3)); err != nil {
		t.Fatal(err)
	}
	e.files = e.files[1:]
	if err := e.finish(&out); err == nil {
		t.Error("a part is lacking, and there is a result")
	}
}

// TestRecords: parts that hold what a verdict asks for and no more are joined and
// concluded; the records are as many as were asked for, and agree with each other.
func TestRecords(t *testing.T) {
	narrow(t)
	var out strings.Builder
	dir := filepath.Join(t.TempDir(), "bench")
	if err := run([]string{"-records", "90100", "-parts", "40", "-dir", dir}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"90008 events, ", "in 36 parts of ", "join               2 ", "verdict: verified"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}
