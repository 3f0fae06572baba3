package ledger_test

import (
	"os"
	"testing"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/internal/must"
)

// BenchmarkCheck is what a check of unchanged objects asks of the ledger: open it,
// read each object, write it again with another time, and end the run.
func BenchmarkCheck(b *testing.B) {
	const objects = 20_000
	path := made(b, objects)
	info := must.Get(os.Stat(path))(b)
	b.ReportAllocs()
	for b.Loop() {
		write(b, path, func(w *ledger.Writer) {
			must.Do(b, w.Begin(1))
			n := 0
			for o, err := range w.Objects(b.Context()) {
				must.Do(b, err)
				o.ReadIn, o.ReadAt = w.Next(), o.ReadAt+1
				must.Do(b, w.Put(o))
				if n++; n%1000 == 0 {
					must.Do(b, w.Commit())
				}
			}
			must.Get(w.AppendRun(b.Context(), record()))(b)
		})
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/objects, "µs/object")
	b.ReportMetric(float64(info.Size())/objects, "octets/object")
}

// BenchmarkOpen is what opening asks: every row and its code.
func BenchmarkOpen(b *testing.B) {
	const objects = 20_000
	path := made(b, objects)
	b.ReportAllocs()
	for b.Loop() {
		l := must.Get(ledger.Open(b.Context(), path, ours))(b)
		must.Do(b, l.Close())
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/objects, "µs/object")
}
