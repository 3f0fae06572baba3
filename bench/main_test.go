//go:build linux

package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
	for _, args := range [][]string{{"-events", "0"}, {"-events", "1,x"}, {"-stages", "walk,none"}, {"-rounds", "0"}} {
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
