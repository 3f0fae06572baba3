package index

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"testing"

	"github.com/svc-edge/svc-verify/contradiction"
	"github.com/svc-edge/svc-verify/internal/must"
)

// plain returns the facts of a bundle as an honest service makes them, with as many
// events.
func plain(number, events int) contradiction.Facts {
	f := contradiction.Facts{
		SHA256:      hashOf("document", number),
		Tenant:      "acme-corporation",
		Transaction: fmt.Sprintf("tx-2026-%09d", number),
		Checkpoint:  hashOf("checkpoint", number),
		Manifest:    hashOf("manifest", number),
		Issuer:      hashOf("issuer"),
		Serial:      fmt.Sprintf("62942092e45cc773d8e4f773%016x", number),
		Certificate: hashOf("certificate", number),
		Keys:        contradiction.Keys{Checkpoint: "audit-2026-1", Receipt: "signer-2026-1"},
	}
	f.Keys.Status, f.Keys.Service, f.Keys.Issuance = f.Keys.Checkpoint, f.Keys.Checkpoint, f.Keys.Checkpoint
	for _, city := range []string{"berlin", "lisbon", "oslo", "vienna", "zurich"} {
		node := "mesh-" + city + "-1"
		f.Keys.Witnesses = append(f.Keys.Witnesses, contradiction.Witness{Node: node, Key: node})
	}
	head := uint64(number)*20 + 1<<30
	for i := range uint64(events) {
		s := head - i
		if i > uint64(events)/2 { // skip links lead far
			s = head - i*i*i*i
		}
		e := contradiction.Event{Sequence: s, Link: i%3 == 0}
		for w := range uint64(4) { // cheaper than a real hash
			binary.BigEndian.PutUint64(e.Hash[8*w:], (s+w)*0x9e3779b97f4a7c15)
		}
		f.Way = append(f.Way, e)
	}
	f.Issuance = f.Way[len(f.Way)/2].Sequence
	return f
}

// BenchmarkIndex measures a whole run, for each bundle.
func BenchmarkIndex(b *testing.B) {
	for _, events := range []int{24, 70} {
		facts := make([]contradiction.Facts, 1<<10)
		for i := range facts {
			facts[i] = plain(i, events)
		}
		for _, bundles := range []int{1e4, 1e5, 1e6} {
			b.Run(fmt.Sprintf("events=%d/bundles=%d", events, bundles), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					x := New(Options{Dir: b.TempDir()})
					for n := range bundles {
						f := facts[n%len(facts)]
						f.Tenant = fmt.Sprint("tenant-", n/len(facts)) // all claims are about different things
						must.Do(b, x.Add(uint32(n), &f))
					}
					must.Get(x.Settle(b.Context()))(b)
					b.ReportMetric(float64(x.work.disk)/float64(bundles), "disk-B/bundle")
					var m runtime.MemStats
					runtime.ReadMemStats(&m)
					b.ReportMetric(float64(m.Sys)/(1<<20), "sys-MiB")
					n := len(found(b, x))
					must.That(b, n == 0, "%v %v", n, "contradictions")
					x.Close()
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*bundles), "µs/bundle")
			})
		}
	}
}

// BenchmarkContradictions measures a set in which every bundle is contradicted, for
// each bundle.
func BenchmarkContradictions(b *testing.B) {
	const bundles = 20000
	x := New(Options{Dir: b.TempDir()})
	defer x.Close()
	for n := range bundles {
		f := plain(n%1000, 24)
		f.SHA256, f.Transaction, f.Manifest = hashOf("document", n), fmt.Sprint("tx-", n), hashOf("manifest", n)
		f.Serial, f.Certificate = fmt.Sprintf("%x", n+1), hashOf("certificate", n)
		f.Way = append(f.Way[:0:0], f.Way...)
		f.Way[1].Hash = hashOf(n / 1000 % 2)
		must.Do(b, x.Add(uint32(n), &f))
	}
	must.Get(x.Settle(b.Context()))(b)
	b.ReportAllocs()
	for b.Loop() {
		must.That(b, len(found(b, x)) >= bundles, "too few")
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*bundles), "µs/bundle")
	b.ReportMetric(float64(x.work.compared)/float64(b.N*bundles), "compared/bundle")
	b.ReportMetric(float64(x.work.decoded)/float64(b.N*bundles), "decoded/bundle")
}
