package walk_test

import (
	"crypto/ed25519"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
)

// BenchmarkWalk walks a journal in memory, and in the same run verifies as many
// signatures one by one with crypto/ed25519, which is the least that a walk
// without bulk would cost.
func BenchmarkWalk(b *testing.B) {
	const events = 20_000
	w := walktest.NewWorld(9)
	w.Fill(walktest.Berlin, events)
	w.Report(walktest.Berlin)
	src := w.Reader()
	public := w.Keys["berlin"].Public()
	rows := src.Rows[walktest.Berlin]
	var walking, bare time.Duration
	for b.Loop() {
		start := time.Now()
		if r, _ := walkWith(b, src, w.Root, 1, walk.SectionEvents); r.Verdict != "verified" {
			b.Fatal(r.Verdict)
		}
		walking += time.Since(start)
		start = time.Now()
		for i := range rows[:events/10] {
			must.That(b, ed25519.Verify(public, seal.PAE("svc.audit-event.v1", rows[i].Recorded[:]), rows[i].Signature[:]),
				"a sound signature is refused")
		}
		bare += 10 * time.Since(start)
	}
	per := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / float64(b.N) / events }
	b.ReportMetric(per(walking), "walk-ns/event")
	b.ReportMetric(per(bare), "ed25519-ns/event")
	b.ReportMetric(float64(bare)/float64(walking), "times-faster")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkJudged walks a journal of which every event was judged before.
func BenchmarkJudged(b *testing.B) {
	const events = 100_000
	w := walktest.NewWorld(9)
	w.Fill(walktest.Berlin, events)
	w.Report(walktest.Berlin)
	src := w.Reader()
	must.Do(b, src.Judge(w.Root))
	for b.Loop() {
		if r, _ := walkWith(b, src, w.Root, 1, walk.SectionEvents); r.Verdict != "verified" {
			b.Fatal(r.Verdict)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/events, "ns/event")
}
