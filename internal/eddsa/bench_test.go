package eddsa

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/must"
)

// BenchmarkVerify measures a new Key over n signatures, its table and the
// confirmations included, against crypto/ed25519. The two take turns of about
// the same time, 512 signatures and 128, so that other load on the machine
// slows both: x-std is the ratio of the sums, median-x-std the median over the
// turns, which for large n is the speed once the table is there. The tables of
// the base point are there from the start: see BenchmarkTable.
func BenchmarkVerify(b *testing.B) {
	public, items := signed(50, 512)
	narrowBase()
	wideBase()
	for _, n := range []int{1, 100, breakEven, 1000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			var d duel
			for b.Loop() {
				k := New(public)
				for left := n; left > 0; left -= len(items) {
					d.turn(b, k, items[:min(left, len(items))])
				}
			}
			d.report(b, b.N*n)
		})
	}
}

// duel contains the times of both sides.
type duel struct {
	tables, reference time.Duration
	sample            int       // signatures verified by the reference
	ratios            []float64 // of each turn
}

// turn has the tables verify the items, and crypto/ed25519 a quarter of them.
func (d *duel) turn(b *testing.B, k *Key, items []Item) {
	valid, sample := make([]bool, len(items)), (len(items)+3)/4
	start := time.Now()
	must.Do(b, k.Verify(items, valid))
	middle := time.Now()
	for i, item := range items[:sample] {
		must.That(b, k.referenceVerdict(item) == valid[i], "the verdicts differ")
	}
	tables, reference := middle.Sub(start), time.Since(middle)
	d.tables += tables
	d.reference += reference
	d.sample += sample
	d.ratios = append(d.ratios, each(reference, sample)/each(tables, len(items)))
}

func (d *duel) report(b *testing.B, signatures int) {
	tables, reference := each(d.tables, signatures), each(d.reference, d.sample)
	slices.Sort(d.ratios)
	b.ReportMetric(tables, "ns/sig")
	b.ReportMetric(reference, "std-ns/sig")
	b.ReportMetric(reference/tables, "x-std")
	b.ReportMetric(d.ratios[len(d.ratios)/2], "median-x-std")
	b.ReportMetric(0, "ns/op")
}

func each(d time.Duration, n int) float64 {
	return float64(d.Nanoseconds()) / float64(n)
}

// BenchmarkTable measures the one-time cost of a Key, which the process pays once more.
func BenchmarkTable(b *testing.B) {
	public, _ := signed(51, 0)
	k := New(public)
	for _, radix := range []uint{narrow, wide} {
		b.Run(fmt.Sprintf("radix=%d", radix), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				newTable(k.minus, radix)
			}
		})
	}
}
