package archive_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
	"github.com/svc-edge/svc-verify/outcome"
)

// fill writes n bundles. Each has bytes of its own.
func (b *bench) fill(n int) {
	b.t.Helper()
	for i := range n {
		b.write(fmt.Sprintf("%02d", i), slices.Concat(b.one, bytes.Repeat([]byte("\n"), i)))
	}
}

// reads are the objects that were read, in path order.
func reads(t *testing.T, r *archive.Result) string {
	t.Helper()
	var all []string
	for record, err := range r.Records() {
		must.Do(t, err)
		if record.Read {
			all = append(all, record.Path)
		}
	}
	return strings.Join(all, " ")
}

// budget lets a check begin n objects: each look at the clock before one uses a second of it.
func budget(n int) func(*archive.Options) {
	return func(o *archive.Options) {
		var looks atomic.Int64
		o.Workers, o.Budget = 1, time.Duration(n)*time.Second
		o.Elapsed = func() time.Duration { return time.Duration(looks.Add(1)-1) * time.Second }
	}
}

// TestBudget: new and failed objects come first, then those whose last reading is oldest, and
// unread objects are reported.
func TestBudget(t *testing.T) {
	b := newBench(t)
	b.fill(6)
	r := b.check(budget(4))
	if got := reads(t, r); got != "00 01 02 03" || r.Verdict != outcome.Inconclusive ||
		r.Counts.Classes[archive.Stale] != 2 ||
		r.NotExamined[0] != "2 objects were not read in this run." {
		t.Errorf("first: %s, %s, %v", got, r.Verdict, r.NotExamined)
	}
	got := reads(t, b.check(budget(3)))
	check.That(t, got == "00 04 05", "second: %s", got)
	b.write("04", []byte("altered"))
	r = b.check(budget(3))
	check.That(t, reads(t, r) == "01 02 03" && r.Verdict == outcome.Verified && r.Counts.Classes[archive.Unread] == 3,
		"third: %s, %s", reads(t, r), r.Verdict)
	if r = b.check(budget(3)); reads(t, r) != "00 04 05" || r.Verdict != outcome.Rejected {
		t.Errorf("fourth: %s, %s", reads(t, r), r.Verdict)
	}
	b.write("99", []byte("new"))
	r = b.check(budget(2))
	check.That(t, reads(t, r) == "04 99" && r.Verdict == outcome.Rejected, "fifth: %s, %s", reads(t, r), r.Verdict)
	r = b.check(budget(1))
	check.That(t, reads(t, r) == "04" && r.Verdict == outcome.Rejected, "sixth: %s, %s", reads(t, r), r.Verdict)
	b.write("0", []byte("new"))
	r = b.check(budget(1))
	check.That(t, reads(t, r) == "0" && classes(t, r)["04"] == archive.Altered && r.Verdict == outcome.Rejected,
		"what was altered is not read: %s, %s", reads(t, r), r.Verdict)
}

// TestSample: a seed decides which objects are read, and new and failed ones are read
// in any case.
func TestSample(t *testing.T) {
	b := newBench(t)
	b.fill(40)
	sample := func(parts int64, seed string) func(*archive.Options) {
		return func(o *archive.Options) { o.Sample, o.Seed = parts, seed }
	}
	r := b.check(sample(50_000, "a"))
	check.That(t, r.Counts.Read == 40, "%d of 40 new objects were read", r.Counts.Read)
	one, again, other := reads(t, b.check(sample(100_000, "a"))), reads(t, b.check(sample(100_000, "a"))),
		reads(t, b.check(sample(100_000, "b")))
	check.That(t, one == again && one != other && len(strings.Fields(one)) == 4 && len(strings.Fields(other)) == 4,
		"samples %q, %q and %q", one, again, other)
	r = b.check(sample(1, "a"))
	check.That(t, r.Counts.Read == 1, "the smallest sample has %d objects", r.Counts.Read)
	b.write("new", nil)
	if r := b.check(sample(1, "a")); r.Counts.Read != 2 || r.Seed != "a" {
		t.Errorf("a new object beside the smallest sample: %d", r.Counts.Read)
	}
}

// TestParsePercent: a part has up to four decimals, and is more than none and at most all.
func TestParsePercent(t *testing.T) {
	for text, want := range map[string]int64{"5%": 50_000, "0.25%": 2500, "0.0001%": 1, "100%": 1_000_000, "0%": 0,
		"100.0001%": 0, "5": 0, "%": 0, ".5%": 0, "5.%": 0, "0.00001%": 0, "-1%": 0, "1000%": 0, "5 %": 0} {
		parts, ok := archive.ParsePercent(text)
		check.That(t, ok == (want > 0) && (!ok || parts == want), "%q: %d, %v", text, parts, ok)
	}
}

// TestMaxAge: an object is stale if its last reading is older, not if it is as old.
func TestMaxAge(t *testing.T) {
	b := newBench(t)
	b.fill(2)
	b.check()
	age := func(d time.Duration) func(*archive.Options) {
		return func(o *archive.Options) { o.MaxAge, o.Sample, o.Seed = d, 1, "s" }
	}
	if r := b.check(age(24 * time.Hour)); r.Verdict != outcome.Verified || r.Counts.Classes[archive.Stale] != 0 {
		t.Errorf("as old: %s", r.Verdict)
	}
	if r := b.check(age(24 * time.Hour)); r.Verdict != outcome.Inconclusive || r.Counts.Classes[archive.Stale] != 1 {
		t.Errorf("older: %s, %+v", r.Verdict, r.Counts.Classes)
	}
}

// TestStopped: a stopped run reports that and keeps its results, and the next one continues
// with the rest.
func TestStopped(t *testing.T) {
	const all = 300 // more than can be handed out at once
	b := newBench(t)
	b.fill(all)
	ctx, stop := context.WithCancel(context.Background())
	r := b.checkUntil(ctx, func(o *archive.Options) {
		o.Workers = 1
		o.Progress = func(p archive.Progress) {
			if p.Done == 10 {
				stop()
			}
		}
	})
	read := r.Counts.Read
	check.That(t, r.Verdict == outcome.Inconclusive && read >= 10 && read != all && r.Run != nil &&
		strings.HasPrefix(r.NotExamined[0], "The run was stopped"), "%d read, %s, %v", read, r.Verdict, r.NotExamined)
	if r = b.check(); r.Counts.Classes[archive.Added] != all-read || r.Counts.Classes[archive.Intact] != read {
		t.Errorf("after %d: %+v", read, r.Counts.Classes)
	}
}

// TestClock: a clock that went back is said.
func TestClock(t *testing.T) {
	b := newBench(t)
	b.fill(1)
	b.check()
	back := func(o *archive.Options) { o.At = first.Add(-time.Hour) }
	const said = "The clock went back: the newest run ended at 2026-05-01T09:00:00.000Z."
	r := b.check(back)
	check.That(t, strings.Join(r.NotExamined, " ") == said, "%q", r.NotExamined)
	r = b.check()
	check.That(t, len(r.NotExamined) == 0, "%q", r.NotExamined)
}

// TestClockAhead: a reading that a clock dated ahead is stale, and repeated first. A day counts as no
// difference.
func TestClockAhead(t *testing.T) {
	for ahead, want := range map[time.Duration]string{24 * time.Hour: "02", 25 * time.Hour: "00", 9e4 * time.Hour: "00"} {
		b := newBench(t)
		b.fill(3)
		b.check(budget(2), func(o *archive.Options) { o.At = first.Add(ahead) }) // 00 and 01
		now := func(o *archive.Options) { o.At, o.MaxAge = first, time.Hour }
		b.check(budget(1), now)
		r := b.check(budget(1), now)
		stale := r.Counts.Classes[archive.Stale]
		check.That(t, reads(t, r) == want && (stale == 1) == (want == "00") && stale <= 1,
			"%v ahead: %s was read, and %d are stale", ahead, reads(t, r), stale)
	}
}

// TestEdited: a ledger that was changed by hand is one finding, nothing is read, and
// the ledger stays as it is.
func TestEdited(t *testing.T) {
	b := newBench(t)
	b.fill(3)
	newest := b.check().Run.Digest
	conn := must.Get(sqlite.Open(b.ledger, sqlite.ReadWrite))(t)
	must.Do(t, conn.Exec("DELETE FROM objects WHERE path = x'3031'"))
	must.Do(t, conn.Close())
	for range 2 {
		r := b.check()
		check.That(t, r.Verdict == outcome.Rejected && len(r.Findings) == 1 && r.Findings[0].Code == "ledger.altered" &&
			r.Run == nil && r.Counts.Read == 0 && r.Ledger.Newest == newest &&
			r.NotExamined[0] == "No object was read, as the ledger cannot be believed.", "%+v", r)
	}
}

// TestJobs: the record of a run and its lines do not depend on how many objects are read at once, nor does its sample.
func TestJobs(t *testing.T) {
	results := map[string]bool{}
	for _, jobs := range []int{1, 2, 7} {
		b := newBench(t)
		b.fill(50)
		b.write("a.json", b.one)
		b.write("b.json", b.other)
		b.check()
		b.write("07", []byte("altered"))
		b.remove("08")
		r := b.check(func(o *archive.Options) { o.Workers, o.Sample, o.Seed = jobs, archive.PartsOfAll/2, "seed" })
		var lines strings.Builder
		must.Do(t, r.WriteLines(&lines))
		results[r.Run.Digest+lines.String()] = true
	}
	check.That(t, len(results) == 1, "%d different results", len(results))
}
