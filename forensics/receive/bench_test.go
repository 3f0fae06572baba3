package receive

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

// BenchmarkReceive has clients send batches of 100 events at once. Each batch is answered when
// it is on the disk.
func BenchmarkReceive(b *testing.B) {
	for _, clients := range []int{1, 8} {
		b.Run(fmt.Sprint(clients, " clients"), func(b *testing.B) {
			s := start(b, options(b.TempDir()))
			var bodies [][]byte
			for at := 0; at+100 <= len(journal()); at += 100 {
				bodies = append(bodies, proto(journal()[at:at+100]...))
			}
			var next atomic.Int64
			var group sync.WaitGroup
			b.ResetTimer()
			for i := range clients {
				group.Go(func() {
					own := client(ours().Client(fmt.Sprint(i)))
					for n := next.Add(1) - 1; n < int64(b.N); n = next.Add(1) - 1 {
						r, err := s.post(own, message{kind: typeProto, batch: fmt.Sprint(n), body: bodies[n%int64(len(bodies))]})
						if err != nil || r.status != 200 {
							b.Errorf("%+v, %v", r, err)
						}
					}
				})
			}
			group.Wait()
			b.ReportMetric(float64(b.N*100)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
